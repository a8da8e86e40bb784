import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median, spread } from './statistics.ts'

/** What the machine makes of the same work, timed again and again: what is smaller than this cannot be seen here. */
export interface NoiseFloor {
  readonly rounds: number
  /** Of the rounds, half the distance of the quartiles as a part of the median: by processor time, and by the clock. */
  readonly spread: number
  readonly wallSpread: number
  /** How far the medians of two series of the same work, which took turns, are apart, as a part of them. */
  readonly difference: number
  /** How much longer the clock ran than the process: 0.1 when others had the processor for a tenth as long. */
  readonly waiting: number
}

/** One batch of the work, in milliseconds. */
export interface NoiseSample {
  readonly cpuMs: number
  readonly wallMs: number
}

/** Measures the machine for about a second and a half, or a quarter of it, in a process of its own. */
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

/** @param one samples that were taken in turns with `other`, of the same work */
export function noiseFloorOf(one: readonly NoiseSample[], other: readonly NoiseSample[]): NoiseFloor {
  const all = [...one, ...other]
  const cpu = (samples: readonly NoiseSample[]): number[] => samples.map(({ cpuMs }) => cpuMs)
  const wall = all.map(({ wallMs }) => wallMs)
  const rounded = (part: number): number => Number(part.toFixed(4))
  return {
    rounds: one.length,
    spread: rounded(spread(cpu(all))),
    wallSpread: rounded(spread(wall)),
    difference: rounded(Math.abs(median(cpu(one)) - median(cpu(other))) / median(cpu(all))),
    waiting: rounded(Math.max(0, sum(wall) / sum(cpu(all)) - 1)),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
