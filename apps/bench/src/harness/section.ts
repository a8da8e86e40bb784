import { formatNumber, percent } from './format.ts'

/** One part of a report. */
export interface Section {
  readonly title: string
  /** Sentences above the table. */
  readonly text?: readonly string[]
  readonly table?: Table
  /** Drawn on the HTML page only; the table has the same figures. */
  readonly chart?: Chart
}

export interface Table {
  readonly head: readonly string[]
  /** As many cells as `head`; the first names the row. */
  readonly rows: readonly (readonly string[])[]
}

export interface Chart {
  readonly kind: 'bar' | 'line'
  /** Label of the y axis, with the unit. */
  readonly y: string
  readonly x?: string
  /** @default 'linear' */
  readonly scale?: 'linear' | 'log'
  /** Below the bars; numbers for a line. */
  readonly categories: readonly (string | number)[]
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

type Cell = string | number | null | undefined
/** A field of the row, or a function of it. */
type Column<Row> = (keyof Row & string) | ((row: Row) => Cell)
/** By heading; the first column names the row. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>

export interface SectionOptions {
  readonly text?: readonly string[]
  readonly chart?: Omit<Chart, 'categories' | 'series' | 'kind'> & {
    readonly kind?: Chart['kind']
    /** Headings of the columns to draw; all but the first when left out. */
    readonly columns?: readonly string[]
  }
}

/** A table with a row for each value, and a chart of some of its columns. */
export function table<Row extends object>(
  title: string,
  rows: readonly Row[],
  columns: Columns<Row>,
  { text, chart: drawn }: SectionOptions = {},
): Section {
  const head = Object.keys(columns)
  const cells = rows.map((row) =>
    Object.values(columns).map((column) =>
      typeof column === 'function' ? column(row) : (row[column] as Cell),
    ),
  )
  const valuesOf = (heading: string) =>
    cells.map((row) => {
      const value = row[head.indexOf(heading)]
      return typeof value === 'number' ? value : null
    })
  const { columns: headings = head.slice(1), kind = 'bar', ...axes } = drawn ?? {}
  return {
    title,
    ...(text && { text }),
    table: { head, rows: cells.map((row) => row.map(formatCell)) },
    ...(drawn && {
      chart: {
        ...(axes as { y: string }),
        kind,
        categories: cells.map(([name]) => name ?? ''),
        series: headings.map((name) => ({ name, values: valuesOf(name) })),
      },
    }),
  }
}

/** A table with a row for each of one list of names, and a column for each of another. */
export function grid<RowName extends string | number>(
  title: string,
  rows: readonly RowName[],
  columns: readonly string[],
  value: (row: RowName, column: string) => Cell,
  options?: SectionOptions,
): Section {
  const named = rows.map((name) => ({ name }))
  const byHeading = columns.map((column) => [column, ({ name }: { name: RowName }) => value(name, column)])
  return table(title, named, { '': 'name', ...Object.fromEntries(byHeading) }, options)
}

/** A section of text alone: what to know before comparing, by name. */
export const notes = (title: string, byName: Readonly<Record<string, string>>): Section => ({
  title,
  text: Object.entries(byName).map(([name, note]) => `${name}: ${note}.`),
})

/** A column that shows a part of 1 in percent. */
export const inPercent =
  <Row>(part: (row: Row) => number | undefined, digits = 0) =>
  (row: Row): string | undefined => {
    const value = part(row)
    return value === undefined ? undefined : percent(value, digits)
  }

const formatCell = (cell: Cell): string => (typeof cell === 'number' ? formatNumber(cell) : (cell ?? '–'))
