import { join } from 'node:path'
import { noiseText } from '../harness/noise-floor.ts'
import { readResult, type Result } from '../harness/result.ts'
import type { Suite } from '../harness/comparison.ts'

/** One suite in a report. */
export interface Chapter {
  readonly name: string
  readonly question: string
  /** Undefined when no result is stored. */
  readonly found?: ReturnType<typeof contentsOf>
}

/**
 * One chapter for each suite.
 *
 * @param folder of results named as their suites
 * @default the reference results
 * @throws when a file there is not a result of its suite
 */
export const loadChapters = (suites: readonly Suite[], folder?: string): Chapter[] =>
  suites.map((suite) => {
    const { name, question } = suite
    const result = readResult(name, folder && join(folder, `${name}.json`))
    return { name, question, ...(result && { found: contentsOf(suite, result) }) }
  })

export function contentsOf(suite: Suite, result: Result) {
  const { failures, options, tookSeconds } = result
  const goals = suite.goalTexts(result, tookSeconds, options)
  const failed = failures.length > 0 ? [{ title: 'Failed', text: failures }] : []
  return {
    /** Machine, revision, noise floor and packages, in sentences. */
    header: headerOf(result),
    // A result of only some parts has neither.
    ...(options.only.length === 0 && {
      conclusion: suite.conclusion(result),
      headlines: suite.headlines?.(result) ?? {},
    }),
    sections: [
      ...suite.columns(result),
      ...(goals.length > 0 ? [{ title: 'Goals', text: goals }] : []),
      ...failed,
    ],
  }
}

function headerOf({ node, v8, machine, date, revision, packages, options, noise }: Result): string[] {
  const { quick, only, minutes, semiSpaceMb } = options
  const run = [
    quick ? 'a quick run, which is noisy' : 'a full run',
    ...(only.length > 0 ? [`only ${only.join(', ')}`] : []),
    ...(minutes === undefined ? [] : [`${minutes} minutes`]),
    ...(semiSpaceMb === undefined ? [] : [`a semi-space of ${semiSpaceMb} MB`]),
  ].join(', ')
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  return [
    `Node ${node.replace('v', '')}, V8 ${v8}, ${machine.cpu} × ${machine.cores}, ${machine.memoryGb} GB, ${machine.os}, ${date}.`,
    `Revision ${revision.commit?.slice(0, 10) ?? 'unknown'}${revision.dirty ? ' with changes' : ''}, ${run}.`,
    noiseText(noise),
    `Packages: ${versions.join(', ')}.`,
  ]
}
