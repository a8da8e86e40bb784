import type { Redis } from 'ioredis'
import { collectGarbage } from '../measure/collect-garbage.ts'
import { cpuTime } from '../measure/cpu-time.ts'
import { inTurn } from '../measure/in-turn.ts'
import { median, spread } from '../measure/statistics.ts'
import type { CostTask } from './cost-task.ts'
import type { CostCase } from './write-measurements.ts'

export interface Effort {
  readonly rounds: number
  /** Samples of each task before those that count, for the optimising compilers. */
  readonly warmUps: number
}

interface Sample {
  readonly wallUs: number
  readonly cpuUs: number
  readonly serverCpuUs: number
}

/** Verifies all tasks, and measures them in turn, in another order in each round. */
export async function takeCosts(
  tasks: readonly CostTask[],
  server: Redis,
  { rounds, warmUps }: Effort,
): Promise<CostCase[]> {
  const samples = new Map(tasks.map((task) => [task, [] as Sample[]]))
  for (const task of tasks) await task.verify()
  for (let round = 0; round < warmUps; round++) for (const task of tasks) await takeSample(task, server)
  for (let round = 0; round < rounds; round++)
    for (const task of inTurn(tasks, round)) samples.get(task)!.push(await takeSample(task, server))
  return tasks.map((task): CostCase => {
    const of = (figure: keyof Sample): number[] => samples.get(task)!.map((sample) => sample[figure])
    return {
      group: task.group,
      name: task.name,
      wallUs: median(of('wallUs')),
      wallSpread: spread(of('wallUs')),
      cpuUs: median(of('cpuUs')),
      cpuSpread: spread(of('cpuUs')),
      serverCpuUs: median(of('serverCpuUs')),
    }
  })
}

async function takeSample({ times, prepare, run }: CostTask, server: Redis): Promise<Sample> {
  await prepare?.()
  collectGarbage()
  const serverCpu = await cpuOf(server)
  const [wall, cpu] = [performance.now(), cpuTime()]
  for (let i = 0; i < times; i++) await run()
  const [wallMs, cpuMs] = [performance.now() - wall, cpuTime() - cpu]
  const serverCpuMs = (await cpuOf(server)) - serverCpu
  const each = (ms: number): number => (ms * 1_000) / times
  return { wallUs: each(wallMs), cpuUs: each(cpuMs), serverCpuUs: each(serverCpuMs) }
}

/** Milliseconds of processor time that a server has had. */
async function cpuOf(server: Redis): Promise<number> {
  const info = await server.info('cpu')
  let ms = 0
  for (const [, seconds] of info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)) ms += 1_000 * Number(seconds)
  return ms
}
