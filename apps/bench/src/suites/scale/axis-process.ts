/** The process that measures one axis. */
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { inRounds, medians } from '../../harness/rounds.ts'
import { growthOf, median, spread } from '../../harness/statistics.ts'
import { axes } from './axes.ts'
import { openWorkload, type OpenWorkload } from './open-workload.ts'

export interface Effort {
  readonly rounds: number
  readonly warmUpMs: number
  /** Bytes of rows that one sample reads. */
  readonly sampleBytes: number
}

const methods = serveParent({
  /** All points of the axis are open at once, and measured in turn. */
  async measure({ name, quick, effort }: { name: string; quick: boolean; effort: Effort }) {
    const axis = axes.find((one) => one.name === name)!
    const opened: (OpenWorkload & { name: string; looking: Usage })[] = []
    try {
      for (const workload of quick ? axis.quick : axis.full)
        opened.push({ ...(await openWorkload(workload)), name, looking: none })
      for (const { burst } of opened) {
        const end = cpuTime() + effort.warmUpMs
        while (cpuTime() < end) await burst()
      }
      for (const one of opened) one.looking = await costOfLooking(one)
      const take = (one: (typeof opened)[number]) =>
        takeSample(one, burstsOf(one, effort.sampleBytes), one.looking)
      const samples = await inRounds(opened, effort.rounds, take, { isQuiet: true })
      const points = opened.map((one) => {
        const { workload, bytesPerRow, memoryPerRow } = one
        const taken = samples.get(one)!
        return {
          x: axis.name === 'payload' ? bytesPerRow : workload[axis.name]!,
          workload,
          ...medians(taken),
          cpuSpread: spread(taken.map(({ cpuUs }) => cpuUs)),
          bytesPerRow,
          memoryPerRow,
        }
      })
      const growth = growthOf(points.map(({ x, cpuUs }) => [x, cpuUs] as const))
      const { title, unit } = axis
      return { server: opened[0]!.server, result: { name: axis.name, title, unit, points, growth } }
    } finally {
      await Promise.all(opened.map((one) => one.close()))
    }
  },
})
export type AxisProcess = typeof methods

/** Enough bursts for the clocks of the servers, in about a tenth of a second. */
const burstsOf = ({ bytesPerRow, workload }: OpenWorkload, sampleBytes: number): number =>
  Math.min(500, Math.ceil(sampleBytes / bytesPerRow / workload.concurrency))

interface Usage {
  readonly serverCpuUs: number
  readonly wireBytes: number
}
const none: Usage = { serverCpuUs: 0, wireBytes: 0 }

/** What INFO costs the servers, which no read should pay. */
async function costOfLooking(open: OpenWorkload): Promise<Usage> {
  const samples: Usage[] = []
  while (samples.length < 5) samples.push(await takeSample(open, 0, none))
  return {
    serverCpuUs: median(samples.map(({ serverCpuUs }) => serverCpuUs)),
    wireBytes: median(samples.map(({ wireBytes }) => wireBytes)),
  }
}

/** Microseconds of processor time and bytes on the wire: of one read, or in all without bursts. */
async function takeSample({ usage, burst, workload }: OpenWorkload, bursts: number, looking: Usage) {
  collectGarbage()
  const before = await usage()
  const cpu = cpuTime()
  for (let i = 0; i < bursts; i++) await burst()
  const cpuMs = cpuTime() - cpu
  const after = await usage()
  const reads = Math.max(1, bursts * workload.concurrency)
  return {
    cpuUs: (1_000 * cpuMs) / reads,
    serverCpuUs: (1_000 * (after.cpuMs - before.cpuMs) - looking.serverCpuUs) / reads,
    wireBytes: (after.wireBytes - before.wireBytes - looking.wireBytes) / reads,
  }
}
