import type { AxisName } from './axes.ts'
import type { Growth } from './fit.ts'
import type { Workload } from './workload.ts'

/** What one read costs in one workload, in medians of the rounds. */
export interface ScalePoint {
  readonly x: number
  readonly workload: Workload
  /** Microseconds of processor time of the client, and half the distance of its quartiles as a part of it. */
  readonly cpuUs: number
  readonly cpuSpread: number
  /** The same of all servers together. */
  readonly serverCpuUs: number
  /** To and from the servers. */
  readonly wireBytes: number
  /** Of one row as it is stored, without its key. */
  readonly bytesPerRow: number
  /** Of one row in the memory of Valkey, with all that it needs. */
  readonly memoryPerRow: number
}

export interface AxisResult {
  readonly name: AxisName
  readonly title: string
  readonly unit: string
  readonly points: readonly ScalePoint[]
  /** Of `cpuUs`. */
  readonly growth: Growth
}

export interface ScaleMeasurements {
  readonly server: string
  readonly rounds: number
  readonly axes: readonly AxisResult[]
}
