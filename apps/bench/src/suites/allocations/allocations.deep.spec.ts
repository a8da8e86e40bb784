import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtLibrary } from '../../../../../test/support/build-library.ts'
import { allCases } from './cases.ts'
import type { Baseline, CountedCase } from './allocation-case.ts'
import { countCases } from './measure.ts'
import { ANY_MACHINE, problemsOf } from './problems-of.ts'

/** Counts a build of the present sources: the one that `npm run bench` imports may be older. */
describe('what the library allocates', () => {
  let cases: readonly CountedCase[]

  beforeAll(async () => {
    process.env.MODEL_CACHE_BUILT = await builtLibrary()
    cases = await countCases(allCases, [join(import.meta.dirname, '../../harness/import-built.ts')])
  }, 600_000)

  it('is what was recorded, and nothing for features that are not configured', () => {
    const baseline = JSON.parse(readFileSync(join(import.meta.dirname, 'baseline.json'), 'utf8')) as Baseline
    expect(problemsOf(cases, process.versions.v8, baseline, ANY_MACHINE)).toEqual([])
  })
})
