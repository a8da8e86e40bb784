import type { Figure } from '../../harness/figure.ts'
import { mean, sum } from '../../harness/statistics.ts'

export type Pair = readonly [base: number, head: number]

/**
 * The mean difference of the rounds with its interval by Student's t. Both revisions of a round run one after the
 * other, so a longer disturbance of the machine affects both.
 *
 * @throws for fewer than two rounds
 */
export function changeOf(rounds: readonly Pair[]) {
  const n = rounds.length
  if (n < 2) throw new RangeError(`A confidence interval needs two rounds, not ${n}.`)
  const differences = rounds.map(([base, head]) => head - base)
  const [middle, base] = [mean(differences), mean(rounds.map(([base]) => base))]
  const squares = sum(differences.map((difference) => (difference - middle) ** 2))
  const margin = quantileOfT(n - 1) * Math.sqrt(squares / (n - 1) / n)
  const part = (difference: number): number => (difference === 0 ? 0 : difference / Math.abs(base))
  return {
    /** Means of the rounds. */
    base,
    head: base + middle,
    /** As a part of the base, and its bounds with 95 % confidence. */
    change: part(middle),
    low: part(middle - margin),
    high: part(middle + margin),
  }
}

export type Change = ReturnType<typeof changeOf>

/** Whether the figure is worse by more than the threshold, a part, with its whole interval on that side. */
export function isWorse({ change, low, high }: Change, better: Figure['better'], threshold: number): boolean {
  return better === 'lower' ? change > threshold && low > 0 : change < -threshold && high < 0
}

/** 97.5 % quantiles of Student's distribution by degrees of freedom, from 1 on; the last serves for more. */
const QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

const quantileOfT = (degrees: number): number => QUANTILES[Math.min(degrees, QUANTILES.length) - 1]!
