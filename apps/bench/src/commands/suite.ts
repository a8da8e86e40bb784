import { relative } from 'node:path'
import { buildBenched } from '../harness/build-benched.ts'
import { installPeers } from '../harness/install-peers.ts'
import { say } from '../harness/progress.ts'
import { placeOf, runSuite, storeResult } from '../harness/result.ts'
import type { Suite } from '../harness/comparison.ts'
import { contentsOf } from '../report/chapter.ts'
import { printSections } from '../report/text.ts'
import type { Options } from './options.ts'

/** Runs one suite. @returns the exit code */
export async function measureSuite(suite: Suite, given: Omit<Options, 'suite'>): Promise<number> {
  const { build, json, out, ...options } = given
  installPeers(suite)
  if (build) buildBenched()
  const result = await runSuite(suite, options)
  const place = placeOf(suite.name, options, out)
  if (place === undefined) say('Not stored: only a full run is. --out FILE stores this one.')
  else {
    storeResult(place, result)
    say(`Stored in ${relative(process.cwd(), place)}`)
  }
  if (json) {
    console.log(JSON.stringify(result))
    for (const failure of result.failures) say(`Failed: ${failure}`)
  } else {
    const { header, sections } = contentsOf(suite, result)
    console.log(printSections([{ title: `${suite.name}: ${suite.question}`, text: header }, ...sections]))
  }
  return result.failures.length > 0 ? 1 : 0
}
