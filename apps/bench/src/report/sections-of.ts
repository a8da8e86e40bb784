import type { Result } from '../result/result.ts'
import type { Suite, SuiteEntry } from '../suite.ts'
import { headerOf } from './header.ts'
import type { Section } from './section.ts'

/** A result as sections, the first of which says where it comes from: for a terminal, the report's page and docs. */
export function sectionsOf({ name, question }: SuiteEntry, suite: Suite, result: Result): Section[] {
  return [
    { title: `${name}: ${question}`, text: headerOf(result) },
    ...suite.present(result),
    ...(result.failures.length > 0 ? [{ title: 'Failed', text: result.failures }] : []),
  ]
}
