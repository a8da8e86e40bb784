import { setTimeout as sleep } from 'node:timers/promises'
import { type Process, processorTimes, quantile, rounded, say, sum } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import type { Loss } from '../history/promises.ts'
import { judgeSessions, NOT_JUDGED, type RegionWrites } from '../regions/judge-sessions.ts'
import type { Fault } from './faults.ts'
import {
  countStale,
  HEARTBEAT_MS,
  judgeReads,
  MEMORY_MS,
  type ReaderCall,
  ROWS,
  SILENCE_MS,
} from './judge-reads.ts'
import type { Pace } from './recorded-writes.ts'
import { KINDS, type World } from './world.ts'
import type { Writing } from './write-process.ts'

export interface PhaseOptions extends Pick<Fault, 'name' | 'isFollowed' | 'showsEarlierState'> {
  readonly pace: Pace
  /** Resolves when the phase is over, with the time for which nobody followed. */
  readonly happen: () => Promise<number | undefined>
}

/** Deadline for a follower to take everything. */
const CATCH_UP_MS = 40_000
/** For messages to the memory of the readers. */
const MESSAGE_MS = 500

/** How far a read may be behind, by the last report that its reader had heard. What is committed after a report becomes part of the next one. */
const allowedMs = (isFollowed = false): ((report: NonNullable<ReaderCall['report']>) => number) =>
  isFollowed
    ? ({ ageMs, lagMs }) => lagMs + ageMs + HEARTBEAT_MS
    : // A follower that is gone was heard a silence ago at most, and said what was true a heartbeat before.
      ({ lagMs }) => lagMs + HEARTBEAT_MS + SILENCE_MS

/** What a second region adds to a world. */
interface Region {
  /** What its processes have written. */
  readonly regionWrites: RegionWrites
  /** For how long after the return of a write its region is sure to read it although the standby lacks it. */
  readonly bridgeMs: number
  /** Resolves when the standby shows everything that is committed now. */
  untilReplayed(): Promise<void>
}

/** Writes and reads, until something has happened, and judges what was read. */
export async function runPhase(world: World & Partial<Region>, options: PhaseOptions) {
  const { fleet, history, readers, regionWrites, writers } = world
  const { happen, isFollowed, name, pace, showsEarlierState = false } = options
  await fleet.take()
  const startedAt = machineTime()
  const before = processorTimes()
  // Those that only read have no more to do for a pace.
  const processes = [...writers, ...readers] as readonly Process<Writing>[]
  await Promise.all(processes.map((each) => each.call('start', pace)))
  const takeoverMs = await happen()
  const excused: Loss[] = []
  if (showsEarlierState) {
    await world.untilReplayed!()
    excused.push({ from: startedAt, to: machineTime() })
  }
  const own = regionWrites ? readers.length : 0
  const wrote = await Promise.all(
    processes.slice(0, writers.length + own).map((each) => each.call('stopWriting')),
  )
  const seconds = (machineTime() - startedAt) / 1_000
  const after = processorTimes()
  const caughtUpMs = await catchUp(world)
  const found = await Promise.all(readers.map((reader) => reader.call('stopReading')))
  const taken = await fleet.take()
  for (const message of taken.messages) say(`  ${message}`)
  const takeovers = (await fleet.takeovers()).filter((at) => at > startedAt).length
  const writes = wrote.flatMap(({ written }) => written)
  history.add(writes)
  for (const [reader, { written }] of wrote.slice(writers.length).entries())
    regionWrites!.add(reader, written)
  const judged = found.map(({ reads }, reader) => {
    const hearingMs = KINDS[reader] === 'memory' ? MEMORY_MS : 0
    const allowed = allowedMs(isFollowed)
    const floors = regionWrites?.floorsOf(reader, { bridgeMs: world.bridgeMs!, hearingMs })
    return {
      ...judgeReads(history, reads, (report) => allowed(report) + hearingMs),
      ...(floors ? judgeSessions(history, reads, floors, excused) : NOT_JUDGED),
    }
  })
  const rest = await Promise.all(readers.map((reader) => reader.call('readAll')))
  const commitMs = wrote.flatMap((one) => one.commitMs)
  const quantileOf = (values: readonly number[], part: number): number =>
    values.length === 0 ? 0 : rounded(quantile(values, part), 3)
  const total = (field: Exclude<keyof (typeof judged)[number], 'longestBehindMs'>): number =>
    sum(judged.map((one) => one[field]))
  return {
    name,
    writes: writes.length,
    regionWrites: writes.filter(({ isPromised }) => isPromised).length,
    rowsPerSecond: Math.round(sum(writes.map(({ rows }) => rows.length)) / seconds),
    busyPercent: Math.round(100 * (1 - (after.idle - before.idle) / (after.all - before.all))),
    commitP50Ms: quantileOf(commitMs, 0.5),
    commitP99Ms: quantileOf(commitMs, 0.99),
    lagP50Ms: quantileOf(taken.lagsMs, 0.5),
    lagP99Ms: quantileOf(taken.lagsMs, 0.99),
    cpuUsPerEvent: taken.events === 0 ? 0 : rounded(taken.cpuUs / taken.events, 3),
    reads: total('reads'),
    bypassed: total('bypassed'),
    ofOwn: total('ofOwn'),
    excused: total('excused'),
    stale: total('stale'),
    broken: total('broken'),
    longestBehindMs: Math.round(Math.max(...judged.map(({ longestBehindMs }) => longestBehindMs))),
    primaryQueries: sum(found.map(({ primaryQueries }) => primaryQueries)),
    takeovers,
    ...(takeoverMs !== undefined && { takeoverMs: Math.round(takeoverMs) }),
    caughtUpMs: Math.round(caughtUpMs),
    lostEvents: sum(rest.map((reads) => staleAtRest(world, reads))),
  }
}

export type Phase = Awaited<ReturnType<typeof runPhase>>

/** Resolves when the follower has taken all that was written, and the readers have heard of it. @returns how long that took */
async function catchUp({ fleet, log, readers }: World): Promise<number> {
  const start = machineTime()
  const end = await log.end()
  for (;;) {
    await fleet.leader()
    const isTaken = await log.hasTaken(end)
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
function staleAtRest({ history }: World, calls: readonly ReaderCall[]): number {
  if (calls[0]!.answers.length !== ROWS) throw new Error('Not all rows have been read.')
  return countStale(history, calls)
}
