import { areFigures } from '../harness/format.ts'
import type { Section, Table } from '../harness/section.ts'

/** Sections as text for a terminal. */
export function printSections(sections: readonly Section[]): string {
  return sections
    .map(({ title, text = [], table }) => [title, ...text, ...(table ? [layOut(table)] : [])].join('\n'))
    .join('\n\n')
}

/** Aligns figures to the right, and text to the left. */
function layOut(table: Table): string {
  const rows = [...stackedHeads(table.head), ...table.rows]
  const widths = table.head.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const isFigure = table.head.map((_, column) => areFigures(table.rows.map((row) => row[column]!)))
  const cellOf = (cell: string, column: number): string =>
    column > 0 && isFigure[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  return rows.map((row) => row.map(cellOf).join('  ').trimEnd()).join('\n')
}

/** Breaks heads at hyphens, which keeps their columns narrow. */
function stackedHeads(heads: readonly string[]): string[][] {
  const stacks = heads.map((head) => head.split(/(?<=-)/))
  const height = Math.max(...stacks.map((stack) => stack.length))
  return Array.from({ length: height }, (_, row) =>
    stacks.map((stack) => stack[row - height + stack.length] ?? ''),
  )
}
