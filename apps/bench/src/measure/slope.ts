export interface Slope {
  /** How much y grows with each unit of x. */
  readonly perUnit: number
  /** Its standard error, as if the points were independent of each other. */
  readonly error: number
}

/** The straight line with the least squares through points. @throws when there are fewer than three */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Slope {
  const n = points.length
  if (n < 3) throw new RangeError(`A slope with its error needs three points, not ${n}.`)
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / n
  const xx = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  const perUnit = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / xx
  const residual = points.reduce((sum, [x, y]) => sum + (y - meanY - perUnit * (x - meanX)) ** 2, 0)
  return { perUnit, error: Math.sqrt(residual / (n - 2) / xx) }
}
