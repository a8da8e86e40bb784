/** One number that a suite stands for, to be compared between revisions. */
export interface Figure {
  readonly value: number
  readonly unit: string
  readonly better: 'lower' | 'higher'
}
