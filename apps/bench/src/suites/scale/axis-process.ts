/** The process that measures one axis. */
import { costsOf } from '../../harness/costs.ts'
import { serveParent } from '../../harness/process.ts'
import { cpuTime } from '../../harness/processor.ts'
import { rounded } from '../../harness/rounds.ts'
import { growthOf } from '../../harness/statistics.ts'
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
    const opened: OpenWorkload[] = []
    try {
      for (const workload of quick ? axis.quick : axis.full) opened.push(await openWorkload(workload))
      for (const { run } of opened) {
        const end = cpuTime() + effort.warmUpMs
        while (cpuTime() < end) await run()
      }
      const works = opened.map((one) => ({ ...one, times: burstsOf(one, effort.sampleBytes) }))
      const points = (await costsOf(works, effort)).map(({ work, ...cost }) => {
        const { bytesPerRow, memoryPerRow, workload } = work
        const perRead = (each: number): number => rounded(each / workload.concurrency)
        return {
          x: axis.name === 'payload' ? bytesPerRow : workload[axis.name]!,
          workload,
          cpuUs: perRead(1_000 * cost.cpuMs),
          cpuSpread: cost.cpuSpread,
          serverCpuUs: perRead(1_000 * cost.serverCpuMs),
          wireBytes: perRead(cost.wireBytes),
          bytesPerRow,
          memoryPerRow,
        }
      })
      const growth = growthOf(points.map(({ x, cpuUs }) => [x, cpuUs] as const))
      const { title, unit } = axis
      return { server: opened[0]!.name, result: { name: axis.name, title, unit, points, growth } }
    } finally {
      await Promise.all(opened.map((one) => one.close()))
    }
  },
})
export type AxisProcess = typeof methods

/** Enough bursts for the clocks of the servers, in about a tenth of a second. */
const burstsOf = ({ bytesPerRow, workload }: OpenWorkload, sampleBytes: number): number =>
  Math.min(500, Math.ceil(sampleBytes / bytesPerRow / workload.concurrency))
