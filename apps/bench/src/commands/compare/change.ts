import type { Figure } from '../../harness/figure.ts'
import { marginOf } from '../../harness/interval.ts'
import { mean } from '../../harness/statistics.ts'

export type Pair = readonly [base: number, head: number]

/**
 * The mean difference of the rounds with its interval by Student's t. Both revisions of a round run one after the
 * other, so a longer disturbance of the machine affects both.
 *
 * @throws for fewer than two rounds
 */
export function changeOf(rounds: readonly Pair[]) {
  const differences = rounds.map(([base, head]) => head - base)
  const margin = marginOf(differences)
  const [middle, base] = [mean(differences), mean(rounds.map(([base]) => base))]
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
