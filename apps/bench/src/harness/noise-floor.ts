import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { percent } from './format.ts'
import { median, spread, sum } from './statistics.ts'

/** How much the same work varies on this machine: smaller differences cannot be measured here. */
export interface NoiseFloor {
  readonly rounds: number
  /** Half the distance between the quartiles of all rounds as a part of the median: processor time and wall time. */
  readonly spread: number
  readonly wallSpread: number
  /** Distance between the medians of two interleaved series, as a part of the median. */
  readonly difference: number
  /** Wall time beyond the processor time: 0.1 when other programs had the processor for a tenth as long. */
  readonly waiting: number
}

/** One batch of the work, in milliseconds. */
export interface NoiseSample {
  readonly cpuMs: number
  readonly wallMs: number
}

/** Measures the machine for a second and a half, in a process of its own; for a quick run a quarter of that. */
export function measureNoiseFloor(quick: boolean): NoiseFloor {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', join(import.meta.dirname, 'noise-floor-process.ts'), quick ? '3' : '41'],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`The noise floor could not be measured:\n${stderr}`)
  const [one, other] = JSON.parse(stdout) as [NoiseSample[], NoiseSample[]]
  return noiseFloorOf(one, other)
}

/** @param one samples of the same work as `other`, interleaved with them */
export function noiseFloorOf(one: readonly NoiseSample[], other: readonly NoiseSample[]): NoiseFloor {
  const cpu = (samples: readonly NoiseSample[]): number[] => samples.map(({ cpuMs }) => cpuMs)
  const all = cpu([...one, ...other])
  const wall = [...one, ...other].map(({ wallMs }) => wallMs)
  const rounded = (part: number): number => Number(part.toFixed(4))
  return {
    rounds: one.length,
    spread: spread(all),
    wallSpread: spread(wall),
    difference: rounded(Math.abs(median(cpu(one)) - median(cpu(other))) / median(all)),
    waiting: rounded(Math.max(0, sum(wall) / sum(all) - 1)),
  }
}

export const noiseText = ({ spread, wallSpread, difference, waiting }: NoiseFloor): string =>
  `Noise floor: half of the rounds lie within ± ${percent(spread, 1)} of processor time and ± ${percent(wallSpread, 1)} of wall time; ` +
  `two series of the same work differ by ${percent(difference, 1)}; wall time exceeds processor time by ${percent(waiting)}.`
