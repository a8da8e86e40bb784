import { codecCandidate, textCandidate, type Candidate } from '../../harness/codecs/candidate.ts'
import { createPrefixes } from '../../harness/codecs/prefixes.ts'
import { verify } from '../../harness/codecs/verify.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import type { Task } from '../../harness/interleave.ts'

/** Without the model of 100 kB, whose size `sizes` covers, and the one that not every machine has. */
export const FIXTURES = allFixtures.filter(({ name }) => name !== 'FeatureFlags' && name !== 'GalaLots')

const CANDIDATES: Readonly<Record<string, (fixture: Fixture) => Candidate>> = {
  'model-cache': (fixture) => codecCandidate('model-cache', fixture.compile()),
  v2(fixture) {
    const { stringify } = fixture.createStringifier()
    const { revive } = fixture.createReviver()
    return textCandidate('v2', stringify as (row: unknown) => string, (text) => revive(text))
  },
  v1: createPrefixes,
}

/** To bytes, from received text, and to bytes and from these, by each candidate. @throws when one does not restore a row */
export function operationsOf(fixture: Fixture) {
  const verified = Object.values(CANDIDATES).map((create) => verify(fixture, create(fixture)).tasks)
  return {
    serialize: verified.map(({ encode }) => encode),
    deserialize: verified.map(({ decode }) => decode),
    'round trip': verified.map(({ encode, read }): Task => ({
      ...encode,
      run: (row: never) => read.run(encode.run(row) as never),
    })),
  }
}
