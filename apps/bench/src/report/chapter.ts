import { join } from 'node:path'
import { noiseText } from '../harness/noise-floor.ts'
import { readResult, type Result } from '../harness/result.ts'
import type { Section } from '../harness/section.ts'
import type { Suite } from '../harness/comparison.ts'

/** One suite in a report. */
export interface Chapter {
  readonly name: string
  readonly question: string
  /** Undefined when no result is stored. */
  readonly found?: {
    /** Machine, revision, noise floor and packages, in sentences. */
    readonly header: readonly string[]
    /** What the measurements say, in one sentence; undefined for a result of only some parts, as `headlines`. */
    readonly conclusion?: string
    /** Figures of README. */
    readonly headlines?: Readonly<Record<string, string>>
    readonly sections: readonly Section[]
  }
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

export function contentsOf(suite: Suite, result: Result): NonNullable<Chapter['found']> {
  const { failures, options } = result
  const isWhole = options.only.length === 0
  const failed = failures.length > 0 ? [{ title: 'Failed', text: failures }] : []
  return {
    header: headerOf(result),
    ...(isWhole && { conclusion: suite.conclusion(result), headlines: suite.headlines?.(result) ?? {} }),
    sections: [...suite.columns(result), ...failed],
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
