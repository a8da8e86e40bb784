import { rounded } from './rounds.ts'
import { mean, median, sum } from './statistics.ts'

/** The bounds of the 95 % confidence interval of a figure, over the rounds of a run. */
export interface Interval {
  readonly low: number
  readonly high: number
  /** Undefined where it follows from what was counted in a single round. */
  readonly rounds?: number
}

/** By the name of a figure in `summary`; undefined for those of one round, and those that were not measured. */
export type Intervals = Readonly<Record<string, Interval | undefined>>

/** The distance of the bounds of a mean from it, with 95 % confidence, by Student's t. @throws for fewer than two values */
export function marginOf(values: readonly number[]): number {
  const n = values.length
  if (n < 2) throw new RangeError(`A confidence interval needs two rounds, not ${n}.`)
  const middle = mean(values)
  const squares = sum(values.map((value) => (value - middle) ** 2))
  return quantileOfT(n - 1) * Math.sqrt(squares / (n - 1) / n)
}

/**
 * The interval of the median of all rounds; undefined for fewer than two. From six rounds on it lies between two of them (the sign test), so
 * that a single round in which something else ran does not widen it; that of fewer is Student's.
 */
export function intervalOf(values: readonly number[]): Interval | undefined {
  const rounds = values.length
  if (rounds < 2) return undefined
  const outside = roundsOutside(rounds)
  if (outside > 0) {
    const sorted = values.toSorted((one, other) => one - other)
    return { ...boundsOf(sorted[outside - 1]!, sorted.at(-outside)!), rounds }
  }
  const [middle, margin] = [median(values), marginOf(values)]
  return { ...boundsOf(middle - margin, middle + margin), rounds }
}

/** How often something rare happened, such as 2 conflicts of 6,000 writes. */
interface Rate {
  readonly times: number
  readonly of: number
}

/** The interval of the ratio of two rates: that of its logarithm, with half an event added to each, so that none is one of no event (Gart 1966). */
export function intervalOfRates(one: Rate, other: Rate): Interval {
  const [times, otherTimes] = [one.times + 0.5, other.times + 0.5]
  const ratio = times / one.of / (otherTimes / other.of)
  const factor = Math.exp(1.96 * Math.sqrt(1 / times + 1 / otherTimes))
  return boundsOf(ratio / factor, ratio * factor)
}

const boundsOf = (low: number, high: number): Interval => ({ low: rounded(low, 4), high: rounded(high, 4) })

/** The rank of the bounds from either end, between which the median lies with 95 % confidence; 0 if there is none. */
function roundsOutside(rounds: number): number {
  let rank = 0
  let part = 0.5 ** rounds
  for (let below = part; 2 * below <= 0.05; below += part) {
    rank++
    part *= (rounds - rank + 1) / rank
  }
  return rank
}

/** Intervals of ratios, of which each round has both parts. */
export function intervalsOf(
  ratios: Readonly<Record<string, readonly [one: readonly number[], other: readonly number[]] | undefined>>,
): Intervals {
  return Object.fromEntries(
    Object.entries(ratios).map(([name, parts]) => [
      name,
      parts && intervalOf(parts[0].map((one, round) => one / parts[1][round]!)),
    ]),
  )
}

/** 97.5 % quantiles of Student's distribution by degrees of freedom, from 1 on; the last serves for more. */
const QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

const quantileOfT = (degrees: number): number => QUANTILES[Math.min(degrees, QUANTILES.length) - 1]!
