import { median } from '../../harness/statistics.ts'

/** Parts of the second variant's figure, over the rounds: 0.02 is 2 %. */
export interface Gain {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** How much processor time the first variant saves, within each round. */
export function gainOf(first: readonly number[], second: readonly number[]): Gain {
  const parts = first.map((time, round) => 1 - time / second[round]!)
  const figure = (part: number): number => Number(part.toFixed(4))
  return {
    median: figure(median(parts)),
    min: figure(Math.min(...parts)),
    max: figure(Math.max(...parts)),
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
