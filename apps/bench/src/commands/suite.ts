import { relative } from 'node:path'
import { buildBenched } from '../build-benched.ts'
import type { Options } from '../options.ts'
import { say } from '../progress.ts'
import { printSections } from '../report/print-sections.ts'
import { sectionsOf } from '../report/chapter.ts'
import { headerOf } from '../report/header.ts'
import { placeOf, storeResult } from '../result/stored-results.ts'
import { runSuite } from '../run-suite.ts'
import type { SuiteEntry } from '../suite.ts'

/** Runs one suite; gives the exit code. */
export async function measureSuite(entry: SuiteEntry, given: Omit<Options, 'suite'>): Promise<number> {
  const { build, json, out, ...options } = given
  if (build) buildBenched()
  const suite = await entry.load()
  const result = await runSuite(entry, suite, options)
  const place = placeOf(entry.name, options, out)
  if (place === undefined) say('Not stored, as only a full run is; --out FILE stores this one.')
  else {
    storeResult(place, result)
    say(`Stored in ${relative(process.cwd(), place)}`)
  }
  const title = `${entry.name}: ${entry.question}`
  console.log(
    json
      ? JSON.stringify(result)
      : printSections([{ title, text: headerOf(result) }, ...sectionsOf(suite, result)]),
  )
  if (json) for (const failure of result.failures) say(`Failed: ${failure}`)
  return result.failures.length > 0 ? 1 : 0
}
