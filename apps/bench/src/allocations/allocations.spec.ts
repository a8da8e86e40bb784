import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLibrary, type BuiltLibrary } from '../../../../test/support/build-library.ts'
import type { Baseline, CountedCase } from './allocation-measurements.ts'
import { allCases } from './cases/all-cases.ts'
import { countCases } from './count-cases.ts'
import { problemsOf } from './problems-of.ts'

/** The library as it is now, built beside: what `npm run bench` imports may be of an earlier state. */
describe('what the library allocates', () => {
  let library: BuiltLibrary
  let cases: readonly CountedCase[]

  beforeAll(async () => {
    library = await buildLibrary()
    process.env.MODEL_CACHE_BUILT = library.entry
    cases = await countCases(allCases, true, [join(import.meta.dirname, '../import-built.ts')])
  }, 600_000)
  afterAll(() => library.remove())

  it('is what was recorded, and nothing for what nobody has configured', () => {
    const baseline = JSON.parse(readFileSync(join(import.meta.dirname, 'baseline.json'), 'utf8')) as Baseline
    expect(problemsOf(cases, process.versions.v8, baseline)).toEqual([])
  })
})
