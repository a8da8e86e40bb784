import { mean, median } from '../../harness/statistics.ts'

export interface Leg {
  readonly requestsPerSecond: number
  readonly cpuUsPerRequest: number
}
/** The legs of both variants in one round. */
export type Round = readonly [first: readonly Leg[], second: readonly Leg[]]

export const ofRound = (round: Round, variant: 0 | 1, figure: keyof Leg): number =>
  mean(round[variant].map((leg) => leg[figure]))

/** Parts of the second variant's figure, over the rounds: 0.02 is 2 %. */
export interface Gain {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** How many more requests the first variant serves, and how much processor time it saves, within each round. */
export function gainsOf(rounds: readonly Round[]): { gain: Gain; cpuGain: Gain } {
  const ratios = (figure: keyof Leg): number[] =>
    rounds.map((round) => ofRound(round, 0, figure) / ofRound(round, 1, figure))
  const gainOf = (parts: readonly number[]): Gain => {
    const [middle, min, max] = [median(parts), Math.min(...parts), Math.max(...parts)].map((part) =>
      Number(part.toFixed(4)),
    ) as [number, number, number]
    return { median: middle, min, max }
  }
  return {
    gain: gainOf(ratios('requestsPerSecond').map((ratio) => ratio - 1)),
    cpuGain: gainOf(ratios('cpuUsPerRequest').map((ratio) => 1 - ratio)),
  }
}

/** The better variant, if the gain exceeds any of the control and all rounds agree about its sign. */
export function winnerOf(
  [first, second]: readonly [{ readonly name: string }, { readonly name: string }],
  gain: Gain,
  noise: Gain,
): string | undefined {
  // One round agrees with itself.
  if (gain.min === gain.max) return undefined
  if (Math.abs(gain.median) <= largestOf(noise) || gain.min * gain.max <= 0) return undefined
  return gain.median > 0 ? first.name : second.name
}

export const largestOf = ({ min, max }: Gain): number => Math.max(Math.abs(min), Math.abs(max))
