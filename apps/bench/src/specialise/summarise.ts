import { mean, median } from '../measure/statistics.ts'
import type { DecisionResult, Gain } from './specialise-measurements.ts'

export interface Leg {
  readonly requestsPerSecond: number
  readonly cpuUsPerRequest: number
}

/** The legs of both variants in one round. */
export type Round = readonly [first: readonly Leg[], second: readonly Leg[]]

type Figure = keyof Leg

/** A figure of one variant: the median of the rounds, of each the mean of its legs. */
export function typical(rounds: readonly Round[], variant: 0 | 1, figure: Figure): number {
  return rounded(median(rounds.map((round) => ofRound(round, variant, figure))))
}

/** How much more requests the first variant serves than the second, round by round: their processes are compared with each other only. */
export function gainOf(rounds: readonly Round[]): Gain {
  return summed(
    rounds.map(
      (round) => ofRound(round, 0, 'requestsPerSecond') / ofRound(round, 1, 'requestsPerSecond') - 1,
    ),
  )
}

/** How much less processor time the first takes than the second. */
export function cpuGainOf(rounds: readonly Round[]): Gain {
  return summed(
    rounds.map((round) => 1 - ofRound(round, 0, 'cpuUsPerRequest') / ofRound(round, 1, 'cpuUsPerRequest')),
  )
}

/**
 * The variant that wins: the gain is larger than any that the same server twice had, and all rounds agree about its sign.
 *
 * @returns undefined when the noise hides which it is
 */
export function winnerOf(
  { variants: [first, second] }: Pick<DecisionResult, 'variants'>,
  gain: Gain,
  noise: Gain,
): string | undefined {
  // One round agrees with itself.
  if (gain.min === gain.max) return undefined
  if (Math.abs(gain.median) <= largestOf(noise) || gain.min * gain.max <= 0) return undefined
  return gain.median > 0 ? first.name : second.name
}

export const largestOf = ({ min, max }: Gain): number => Math.max(Math.abs(min), Math.abs(max))

function ofRound(round: Round, variant: 0 | 1, figure: Figure): number {
  return mean(round[variant].map((leg) => leg[figure]))
}

function summed(gains: readonly number[]): Gain {
  return {
    median: rounded(median(gains)),
    min: rounded(Math.min(...gains)),
    max: rounded(Math.max(...gains)),
  }
}

const rounded = (value: number): number => Number(value.toFixed(4))
