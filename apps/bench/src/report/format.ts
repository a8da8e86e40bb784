/** Numbers as the tables of all suites write them. */

/** `12,345`; as many digits behind the point as asked for. */
export function count(value: number, digits = 0): string {
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** `± 3 %` for 0.03: half the distance of the quartiles, see `spread`. */
export function plusMinus(part: number, digits = 0): string {
  return `± ${percent(part, digits)}`
}

/** `12 %` for 0.12. */
export function percent(part: number, digits = 0): string {
  return `${(part * 100).toFixed(digits)} %`
}
