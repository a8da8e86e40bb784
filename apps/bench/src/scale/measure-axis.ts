import { collectGarbage } from '../measure/collect-garbage.ts'
import { cpuTime } from '../measure/cpu-time.ts'
import { inTurn } from '../measure/in-turn.ts'
import { median, spread } from '../measure/statistics.ts'
import type { Axis } from './axes.ts'
import { growthOf } from './fit.ts'
import { openWorkload, type OpenWorkload } from './open-workload.ts'
import type { AxisResult, ScalePoint } from './scale-measurements.ts'
import type { Workload } from './workload.ts'

export interface Effort {
  readonly rounds: number
  readonly warmUpMs: number
  /** Bytes of rows that one sample reads. */
  readonly sampleBytes: number
}

export interface MeasuredAxis {
  readonly server: string
  readonly result: AxisResult
}

/** One read of a sample, in microseconds and bytes. */
type Sample = Pick<ScalePoint, 'cpuUs' | 'serverCpuUs' | 'wireBytes'>

/** All points of an axis are open at once, and measured in turn. */
export async function measureAxis(
  axis: Axis,
  workloads: readonly Workload[],
  effort: Effort,
): Promise<MeasuredAxis> {
  const opened: OpenWorkload[] = []
  try {
    for (const workload of workloads) opened.push(await openWorkload(workload))
    const samples = new Map(opened.map((open) => [open, [] as Sample[]]))
    for (const open of opened) await warmUp(open, effort.warmUpMs)
    const looks = new Map<OpenWorkload, Sample>()
    for (const open of opened) looks.set(open, await costOfLooking(open))
    for (let round = 0; round < effort.rounds; round++)
      for (const open of inTurn(opened, round))
        samples.get(open)!.push(await takeSample(open, stormsOf(open, effort), looks.get(open)!))
    const points = opened.map((open) => pointOf(axis, open, samples.get(open)!))
    const { name, title, unit } = axis
    const growth = growthOf(points.map(({ x, cpuUs }) => [x, cpuUs] as const))
    return { server: opened[0]!.server, result: { name, title, unit, points, growth } }
  } finally {
    await Promise.all(opened.map((open) => open.close()))
  }
}

async function warmUp({ storm }: OpenWorkload, ms: number): Promise<void> {
  const end = cpuTime() + ms
  while (cpuTime() < end) await storm()
}

/** So many that the servers' own clocks show them, and not more than take a tenth of a second or so. */
function stormsOf({ bytesPerRow, workload }: OpenWorkload, { sampleBytes }: Effort): number {
  return Math.min(500, Math.ceil(sampleBytes / bytesPerRow / workload.concurrency))
}

/** What it costs the servers to be looked at, which is no read's. */
async function costOfLooking(open: OpenWorkload): Promise<Sample> {
  const samples: Sample[] = []
  while (samples.length < 5)
    samples.push(await takeSample(open, 0, { cpuUs: 0, serverCpuUs: 0, wireBytes: 0 }))
  const of = (figure: keyof Sample): number => median(samples.map((sample) => sample[figure]))
  return { cpuUs: 0, serverCpuUs: of('serverCpuUs'), wireBytes: of('wireBytes') }
}

/** @param looking what to take away; per read, or as it is when there are no storms */
async function takeSample(
  { look, storm, workload }: OpenWorkload,
  storms: number,
  looking: Sample,
): Promise<Sample> {
  collectGarbage()
  const before = await look()
  const cpu = cpuTime()
  for (let i = 0; i < storms; i++) await storm()
  const cpuMs = cpuTime() - cpu
  const after = await look()
  const reads = Math.max(1, storms * workload.concurrency)
  return {
    cpuUs: (1_000 * cpuMs) / reads,
    serverCpuUs: (after.cpuUs - before.cpuUs - looking.serverCpuUs) / reads,
    wireBytes: (after.wireBytes - before.wireBytes - looking.wireBytes) / reads,
  }
}

function pointOf({ name }: Axis, open: OpenWorkload, samples: readonly Sample[]): ScalePoint {
  const { workload, bytesPerRow, memoryPerRow } = open
  const of = (figure: keyof Sample): number => median(samples.map((sample) => sample[figure]))
  return {
    x: name === 'payload' ? bytesPerRow : workload[name]!,
    workload,
    cpuUs: of('cpuUs'),
    cpuSpread: spread(samples.map(({ cpuUs }) => cpuUs)),
    serverCpuUs: of('serverCpuUs'),
    wireBytes: of('wireBytes'),
    bytesPerRow,
    memoryPerRow,
  }
}
