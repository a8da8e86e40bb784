/** Formats a figure for a table: whole numbers as they are, others with three digits or all before the point. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  const digits = Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Whether the cells of a column are figures, which are aligned to the right. */
export const areFigures = (cells: readonly string[]): boolean =>
  cells.every((cell) => /^([-+−]?[\d.,]+\b.{0,24}|–|)$/.test(cell))

/** `12 %` for 0.12. */
export const percent = (part: number, digits = 0): string => `${(part * 100).toFixed(digits)} %`

/**
 * A ratio of two costs as people say it: `2.3 times as much CPU as Redis`, and below 1 `134 times less CPU than Redis`.
 *
 * @param what is measured, as `CPU`; may be empty
 */
export function comparedWith(ratio: number, what: string, other: string): string {
  const [times, less, than] = ratio < 1 ? [1 / ratio, 'less', 'than'] : [ratio, 'as much', 'as']
  const amount = [less, ...(what ? [what] : [])].join(' ')
  return `${Number(times.toPrecision(3)).toLocaleString('en')} times ${amount} ${than} ${other}`
}
