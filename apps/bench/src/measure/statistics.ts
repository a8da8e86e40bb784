/** The middle value; the mean of the two middle ones when their number is even. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Half the distance between the quartiles, as a part of the median: 0.02 is "± 2 % in half of the rounds". */
export function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values)
}

/** The value that this part of all values does not exceed, interpolated between neighbours: 0.99 for the 99th percentile. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new RangeError('no values')
  const sorted = values.toSorted((a, b) => a - b)
  const at = part * (sorted.length - 1)
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at))
}

/** The mean of ratios: of 2 and 8 it is 4. Of values above 0. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(mean(values.map(Math.log)))
}
