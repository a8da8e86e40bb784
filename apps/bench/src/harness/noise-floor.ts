import type { costsOf } from './costs.ts'
import { percent } from './format.ts'
import { sink } from './interleave.ts'
import { mean } from './statistics.ts'

type Series = Pick<
  Awaited<ReturnType<typeof costsOf>>[number],
  'cpuMs' | 'wallMs' | 'cpuSpread' | 'wallSpread'
>

/** JSON text to objects and back, about 15 ms. */
const TEXT = JSON.stringify(
  Array.from({ length: 50 }, (_, id) => ({ id, name: `Lot ${id}`, price: id * 1.25, tags: ['a', 'b', 'c'] })),
)
const REPEATS = 200

/**
 * Measures how much the same work varies on this machine, for a second and a half, or for a quick run a quarter of that:
 * smaller differences cannot be measured here.
 */
export async function measureNoiseFloor(quick: boolean) {
  // Once the library is built, which the servers import.
  const costs = await import('./costs.ts')
  const run = async (): Promise<void> => {
    for (let i = 0; i < REPEATS; i++) sink.value = JSON.stringify(JSON.parse(TEXT))
  }
  const series = ['one', 'other'].map((name) => ({ name, servers: [], run }))
  const rounds = quick ? 3 : 41
  const [one, other] = await costs.costsOf(series, { rounds, warmUps: 10 })
  return { rounds, ...noiseFloorOf(one!, other!) }
}

export type NoiseFloor = Awaited<ReturnType<typeof measureNoiseFloor>>

/** @param one series of the same work as `other`, interleaved with it */
export function noiseFloorOf(one: Series, other: Series) {
  const both = (field: keyof Series): number => mean([one[field], other[field]])
  const rounded = (part: number): number => Number(part.toFixed(4))
  return {
    /** Half the distance between the quartiles of the rounds as a part of the median: processor time and wall time. */
    spread: rounded(both('cpuSpread')),
    wallSpread: rounded(both('wallSpread')),
    /** Distance between the medians of two interleaved series, as a part of the median. */
    difference: rounded(Math.abs(one.cpuMs - other.cpuMs) / both('cpuMs')),
    /** Wall time beyond the processor time: 0.1 when other programs had the processor for a tenth as long. */
    waiting: rounded(Math.max(0, both('wallMs') / both('cpuMs') - 1)),
  }
}

export const noiseText = ({ spread, wallSpread, difference, waiting }: NoiseFloor): string =>
  `Noise floor: half of the rounds lie within ± ${percent(spread, 1)} of processor time and ± ${percent(wallSpread, 1)} of wall time; ` +
  `two series of the same work differ by ${percent(difference, 1)}; wall time exceeds processor time by ${percent(waiting)}.`
