import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLibrary, type BuiltLibrary } from '../../../../../test/support/build-library.ts'
import { allCases } from './all-cases.ts'
import type { Baseline, CountedCase } from './allocation-case.ts'
import { countCases } from './allocations-suite.ts'
import { problemsOf } from './problems-of.ts'

/** Counts a new build of the library: the one that `npm run bench` imports may be older. */
describe('what the library allocates', () => {
  let library: BuiltLibrary
  let cases: readonly CountedCase[]

  beforeAll(async () => {
    library = await buildLibrary()
    process.env.MODEL_CACHE_BUILT = library.entry
    cases = await countCases(allCases, true, [join(import.meta.dirname, '../../harness/import-built.ts')])
  }, 600_000)
  afterAll(() => library.remove())

  it('is what was recorded, and nothing for features that are not configured', () => {
    const baseline = JSON.parse(readFileSync(join(import.meta.dirname, 'baseline.json'), 'utf8')) as Baseline
    expect(problemsOf(cases, process.versions.v8, baseline)).toEqual([])
  })
})
