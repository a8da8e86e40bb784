import type { Cell } from './matrix-measurements.ts'

/** Of the reads that the memory answered; undefined of a strategy without one. */
export const percentOf = ({ hitRate }: Cell): number | undefined =>
  hitRate === undefined ? undefined : Math.round(hitRate * 100)

/** For example `lru 50 %`. */
export function labelOf(cell: Cell): string {
  const percent = percentOf(cell)
  return percent === undefined ? cell.strategy : `${cell.strategy} ${percent} %`
}
