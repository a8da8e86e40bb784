import type { Redis } from 'ioredis'
import { collectGarbage, cpuTime } from './processor.ts'
import { inRounds, medians } from './rounds.ts'
import { usageOf } from './servers.ts'
import { median, spread } from './statistics.ts'
import { watchLoop } from './watch-loop.ts'

/** Something that this process and its servers do. */
export interface Work {
  readonly name: string
  /** Servers whose costs count. */
  readonly servers: readonly Redis[]
  /** Calls of {@link run} in one sample, one after another. @default 1 */
  readonly times?: number
  /** Whether the longest turn of the event loop counts as well. */
  readonly watchesTurns?: boolean
  /** Before each sample, not measured. */
  prepare?(): Promise<void>
  run(): Promise<unknown>
}

type Usage = Awaited<ReturnType<typeof look>>

/** What one call of each work costs: medians of rounds in which they take turns. */
export async function costsOf<W extends Work>(
  works: readonly W[],
  { rounds, warmUps = 0 }: { readonly rounds: number; readonly warmUps?: number },
) {
  const looking = new Map<W, Usage>()
  for (const work of works) looking.set(work, await costOfLooking(work.servers))
  const take = (work: W) => takeSample(work, looking.get(work)!)
  await inRounds(works, warmUps, take, { isQuiet: true })
  const samples = await inRounds(works, rounds, take, { isQuiet: true })
  return works.map((work) => {
    const taken = samples.get(work)!
    return {
      work,
      ...medians(taken),
      wallSpread: spread(taken.map(({ wallMs }) => wallMs)),
      cpuSpread: spread(taken.map(({ cpuMs }) => cpuMs)),
      /** By round. */
      taken,
    }
  })
}

/** Milliseconds of wall time, and of processor time of this process and of the servers, commands, bytes on the wire, and the longest turn. */
async function takeSample({ prepare, run, servers, times = 1, watchesTurns }: Work, looking: Usage) {
  await prepare?.()
  collectGarbage()
  const before = await look(servers)
  const stop = watchesTurns ? watchLoop() : undefined
  const [wall, cpu] = [performance.now(), cpuTime()]
  for (let call = 0; call < times; call++) await run()
  const [wallMs, cpuMs] = [performance.now() - wall, cpuTime() - cpu]
  const turnMs = stop?.().maxMs ?? 0
  const after = await look(servers)
  const used = (field: keyof Usage): number => (after[field] - before[field] - looking[field]) / times
  return {
    wallMs: wallMs / times,
    cpuMs: cpuMs / times,
    turnMs,
    serverCpuMs: used('cpuMs'),
    commands: used('commands'),
    wireBytes: used('wireBytes'),
  }
}

const look = (servers: readonly Redis[]) => usageOf(servers, 'cpuMs', 'commands', 'wireBytes')

/** What INFO costs the servers, which no work should pay. */
async function costOfLooking(servers: readonly Redis[]): Promise<Usage> {
  const looks: Usage[] = []
  while (looks.length < 6) looks.push(await look(servers))
  const each = (field: keyof Usage): number =>
    median(looks.slice(1).map((usage, i) => usage[field] - looks[i]![field]))
  return { cpuMs: each('cpuMs'), commands: each('commands'), wireBytes: each('wireBytes') }
}
