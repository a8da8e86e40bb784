import { setTimeout as sleep } from 'node:timers/promises'
import { type Process, processorTimes, quantile, rounded, sum } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import type { FaultyWorld } from './fault.ts'
import {
  countStale,
  judgeReads,
  type Judgement,
  type ReaderCall,
  ROWS,
  type WrittenRows,
} from './judge-reads.ts'
import type { Reading } from './read-process.ts'
import type { Writing } from './write-process.ts'

export interface World extends FaultyWorld {
  readonly writers: readonly Process<Writing>[]
  /** The second one has a memory layer. */
  readonly readers: readonly [Process<Reading>, Process<Reading>]
  readonly history: WrittenRows
}

export interface PhaseOptions {
  readonly name: string
  readonly rowsPerSecond: number
  readonly rowsPerTransaction: number
  /** The longest pause of a reader between two reads. */
  readonly pauseMs: number
  /** How far a read may be behind, by what its reader had heard. */
  readonly allowedMs: (report: NonNullable<ReaderCall['report']>) => number
  /** Beside it, for rows in memory: a process without messages uses them no longer. */
  readonly memoryMs: number
  /** Resolves when the phase is over, with the time for which nobody followed. */
  readonly happen: () => Promise<number | undefined>
}

/** Deadline for a follower to take everything. */
const CATCH_UP_MS = 40_000
/** For messages to the memory of the readers. */
const MESSAGE_MS = 500

/** Writes outside Prisma and reads, until something has happened, and compares the two. */
export async function runPhase(world: World, options: PhaseOptions) {
  const { fleet, history, readers, writers } = world
  const { allowedMs, memoryMs, name, pauseMs, rowsPerSecond, rowsPerTransaction } = options
  await fleet.take()
  const startedAt = machineTime()
  const pace = { rowsPerSecond: rowsPerSecond / writers.length, rowsPerTransaction, pauseMs }
  const before = processorTimes()
  await Promise.all([...writers, ...readers].map((each) => (each as Process<Writing>).call('start', pace)))
  const takeoverMs = await options.happen()
  const wrote = await Promise.all(writers.map((writer) => writer.call('stop')))
  const seconds = (machineTime() - startedAt) / 1_000
  const after = processorTimes()
  const caughtUpMs = await catchUp(world)
  const found = await Promise.all(readers.map((reader) => reader.call('stop')))
  const taken = await fleet.take()
  const takeovers = (await fleet.takeovers()).filter((at) => at > startedAt).length
  for (const { written } of wrote) history.add(written)
  const [rows, memory] = [
    judgeReads(history, found[0]!.reads, allowedMs),
    judgeReads(history, found[1]!.reads, (report) => allowedMs(report) + memoryMs),
  ]
  const rest = await Promise.all(readers.map((reader) => reader.call('readAll')))
  const commitMs = wrote.flatMap((one) => one.commitMs)
  const quantileOf = (values: readonly number[], part: number): number =>
    values.length === 0 ? 0 : rounded(quantile(values, part), 3)
  return {
    name,
    seconds: rounded(seconds, 3),
    rowsPerSecond: Math.round(
      sum(wrote.flatMap(({ written }) => written.map((one) => one.rows.length))) / seconds,
    ),
    events: taken.events,
    busyPercent: Math.round(100 * (1 - (after.idle - before.idle) / (after.all - before.all))),
    commitP50Ms: quantileOf(commitMs, 0.5),
    commitP99Ms: quantileOf(commitMs, 0.99),
    lagP50Ms: quantileOf(taken.lagsMs, 0.5),
    lagP99Ms: quantileOf(taken.lagsMs, 0.99),
    cpuUsPerEvent: taken.events === 0 ? 0 : rounded(taken.cpuUs / taken.events, 3),
    ...addUp(rows, memory),
    queries: sum(found.map(({ queries }) => queries)),
    failedReads: sum(found.map(({ failures }) => failures)),
    takeovers,
    ...(takeoverMs !== undefined && { takeoverMs: Math.round(takeoverMs) }),
    caughtUpMs: Math.round(caughtUpMs),
    restQueries: sum(rest.map(({ queries }) => queries)),
    lostEvents: sum(rest.map(({ reads }) => staleAtRest(history, reads))),
    messages: taken.messages,
  }
}

function addUp(rows: Judgement, memory: Judgement) {
  return {
    reads: rows.reads + memory.reads,
    bypassed: rows.bypassed + memory.bypassed,
    stale: rows.stale + memory.stale,
    longestBehindMs: Math.round(Math.max(rows.longestBehindMs, memory.longestBehindMs)),
    longestUnreportedMs: Math.round(Math.max(rows.longestUnreportedMs, memory.longestUnreportedMs)),
  }
}

interface CatchingUp extends Pick<FaultyWorld, 'database' | 'fleet'> {
  readonly readers: readonly Pick<Process<{ lacks(): Promise<string[]> }>, 'call'>[]
}

/** Resolves when the follower has taken all that was written, and its readers have heard of it. @returns how long that took */
export async function catchUp({ database, fleet, readers }: CatchingUp): Promise<number> {
  const start = machineTime()
  const end = await database.end()
  for (;;) {
    await fleet.leader()
    const isTaken = await database.hasTaken(end)
    const lacking = (await Promise.all(readers.map((reader) => reader.call('lacks')))).flat()
    if (isTaken && lacking.length === 0) break
    if (machineTime() - start > CATCH_UP_MS) {
      const lag = isTaken ? '' : 'the log is not taken up to the last commit, '
      throw new Error(`After ${CATCH_UP_MS} ms ${lag}readers lack: ${lacking.join(', ') || 'nothing'}.`)
    }
    await sleep(20)
  }
  const ms = machineTime() - start
  await sleep(MESSAGE_MS)
  return ms
}

/** Rows and lists that are older than the last COMMIT although everything has been taken. */
export function staleAtRest(history: WrittenRows, calls: readonly ReaderCall[]): number {
  if (calls[0]!.answers.length !== ROWS) throw new Error('Not all rows have been read.')
  return countStale(history, calls)
}
