/** The table of CONTRIBUTING.md: how many mutants of each folder tests notice. */
import { readFileSync, writeFileSync } from 'node:fs'

export interface Score {
  mutants: number
  noticed: number
  unexplained: number
}

const PAGE = 'CONTRIBUTING.md'
const BEGIN = '<!-- mutants -->\n\n'
const END = '\n\n<!-- end of mutants -->'

/** @param folder relative to the sources; `''` for the files beside the folders */
export function writeScore(folder: string, score: Score): void {
  const page = readFileSync(PAGE, 'utf8')
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)]
  const rows = new Map(rowsIn(page.slice(from, to)))
  rows.set(folder ? `\`${folder}/\`` : 'beside them', [
    score.mutants.toLocaleString('en-US'),
    `${((100 * score.noticed) / score.mutants).toFixed(0)} %`,
    String(score.unexplained),
  ])
  const table = aligned([
    ['folder', 'mutants', 'noticed', 'not explained'],
    ...[...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, cells]) => [name, ...cells]),
  ])
  writeFileSync(PAGE, page.slice(0, from) + table + page.slice(to))
}

function rowsIn(table: string): [string, string[]][] {
  return table
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .map(([name, ...cells]) => [name!, cells])
}

/** As Prettier writes it. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`)
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`)
  return lines.join('\n')
}
