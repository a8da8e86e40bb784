import { textCandidate, type Candidate } from '../codec/candidates/candidate.ts'
import { createPrefixes } from '../codec/candidates/prefixes.ts'
import { allFixtures } from '../codec/fixtures/all-fixtures.ts'
import type { Fixture } from '../codec/fixtures/fixture.ts'

/** Nine models: all of the codec suite but the one of 100 kB, whose size the sweep covers, and the one that not every machine has. */
export const FIXTURES: readonly Fixture[] = allFixtures.filter(
  ({ name }) => name !== 'FeatureFlags' && name !== 'GalaLots',
)

export const CANDIDATES = ['model-cache', 'v2', 'v1'] as const
export type CandidateName = (typeof CANDIDATES)[number]

export const NOTES: Readonly<Record<CandidateName, string>> = {
  'model-cache':
    'the default codec: record format, rows checked before they are written and after they are read',
  v2: 'the published design: the exported createStringifier and createReviver',
  v1: 'the design before: JSON.stringify with a replacer, JSON.parse with a reviver that looks for prefixes',
}

export function candidateFor(name: CandidateName, fixture: Fixture): Candidate {
  switch (name) {
    case 'model-cache': {
      const codec = fixture.compile()
      return textCandidate(
        name,
        (row: unknown) => codec.encode(row),
        (text) => codec.decode(text),
      )
    }
    case 'v2': {
      const { stringify } = fixture.createStringifier()
      const { revive } = fixture.createReviver()
      return textCandidate(name, stringify as (row: unknown) => string, (text) => revive(text))
    }
    case 'v1':
      return createPrefixes()
  }
}
