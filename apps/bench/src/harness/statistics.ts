/** The middle value; the mean of the two middle ones of an even number. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

export const mean = (values: readonly number[]): number => sum(values) / values.length

/** Half the distance between the quartiles as a part of the median: 0.02 is "± 2 % in half of the rounds". */
export function spread(values: readonly number[]): number {
  const part = (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values)
  return Number(part.toFixed(4))
}

/** The value below which this part of all values lies, interpolated: 0.99 for the 99th percentile. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new RangeError('no values')
  const sorted = values.toSorted((a, b) => a - b)
  const at = part * (sorted.length - 1)
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at))
}

export const geometricMean = (values: readonly number[]): number => Math.exp(mean(values.map(Math.log)))

type Points = readonly (readonly [x: number, y: number])[]

/** The line with the least squares: growth of y per unit of x, and its standard error for independent points. @throws for fewer than three points */
export function slopeOf(points: Points) {
  const n = points.length
  if (n < 3) throw new RangeError(`A slope with its error needs three points, not ${n}.`)
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const xx = sum(points.map(([x]) => (x - meanX) ** 2))
  const perUnit = sum(points.map(([x, y]) => (x - meanX) * (y - meanY))) / xx
  const residual = sum(points.map(([x, y]) => (y - meanY - perUnit * (x - meanX)) ** 2))
  return { perUnit, error: Math.sqrt(residual / (n - 2) / xx) }
}
export type Slope = ReturnType<typeof slopeOf>

/** How y grows as a power of x: an exponent of 0 is not at all, 1 in proportion; `atEnd` is between the last two points. @throws for fewer than three points, or one that is not above 0 */
export function growthOf(points: Points) {
  const wrong = points.find(([x, y]) => !(x > 0 && y > 0))
  if (wrong) throw new RangeError(`A power law goes through points above 0, not (${wrong.join(', ')}).`)
  const logarithms = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const { perUnit, error } = slopeOf(logarithms)
  const [[x1, y1], [x2, y2]] = logarithms.slice(-2) as [[number, number], [number, number]]
  return { exponent: perUnit, error, atEnd: (y2 - y1) / (x2 - x1) }
}
