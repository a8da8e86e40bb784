import { stackedHeads, table } from '../table.ts'
import type { Section } from './section.ts'

/** Sections as a text for a terminal. */
export function printSections(sections: readonly Section[]): string {
  return sections.map(printSection).join('\n\n')
}

function printSection({ title, text = [], table: cells }: Section): string {
  return [title, ...text, ...(cells ? [table([...stackedHeads(cells.head), ...cells.rows])] : [])].join('\n')
}
