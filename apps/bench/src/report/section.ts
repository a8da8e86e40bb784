/** One part of what a suite has found, for a terminal and for the report's page alike. */
export interface Section {
  readonly title: string
  /** Sentences above the table: what was measured, in which unit, and what to know before comparing. */
  readonly text?: readonly string[]
  readonly table?: Table
  /** Drawn on the page only; what a chart shows stands in a table as well. */
  readonly chart?: Chart
}

export interface Table {
  readonly head: readonly string[]
  /** As many cells as the head has; the first names the row, the others are figures. */
  readonly rows: readonly (readonly string[])[]
}

export interface Chart {
  readonly kind: 'bar' | 'line'
  /** What stands at the axes, with the unit: "ms of processor time". */
  readonly y: string
  readonly x?: string
  /** Both axes of a line, and the values of a bar; linear when left out. */
  readonly scale?: 'linear' | 'log'
  /** Below the bars or points. Numbers for a line. */
  readonly categories: readonly (string | number)[]
  /** As many values as there are categories; null where there is none. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}
