import { join } from 'node:path'
import { readResult } from '../result/stored-results.ts'
import type { Result } from '../result/result.ts'
import type { Suite, SuiteEntry } from '../suite.ts'
import { headerOf } from './header.ts'
import type { Section } from './section.ts'

/** What report and docs say of one suite. */
export interface Chapter {
  readonly name: string
  readonly question: string
  /** Undefined when there is no stored result. */
  readonly found?: {
    /** Where it comes from, in sentences. */
    readonly header: readonly string[]
    readonly sections: readonly Section[]
    /** What README shows of it, if anything. */
    readonly headline?: Section
  }
}

/**
 * One chapter for each suite, in their order.
 *
 * @param folder of results named as their suites; that of the reference results when left out
 * @throws when a file there is no result of its suite
 */
export async function loadChapters(suites: readonly SuiteEntry[], folder?: string): Promise<Chapter[]> {
  return Promise.all(
    suites.map(async (entry): Promise<Chapter> => {
      const { name, question } = entry
      const result = readResult(name, folder && join(folder, `${name}.json`))
      return { name, question, ...(result && { found: contentsOf(await entry.load(), result) }) }
    }),
  )
}

function contentsOf(suite: Suite, result: Result): Chapter['found'] {
  const headline = suite.headline?.(result)
  return { header: headerOf(result), sections: sectionsOf(suite, result), ...(headline && { headline }) }
}

/** What a suite has found, and why it is a failure, if it is one. */
export function sectionsOf(suite: Suite, result: Result): Section[] {
  const { failures } = result
  return [...suite.present(result), ...(failures.length > 0 ? [{ title: 'Failed', text: failures }] : [])]
}
