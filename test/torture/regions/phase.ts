import { rounded, sum } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { judgeReads, type ReaderCall } from '../follow/judge-reads.ts'
import { catchUp, staleAtRest } from '../follow/phase.ts'
import { HEARTBEAT_MS, MEMORY_MS, SILENCE_MS } from '../follow/plan.ts'
import type { Loss } from '../history/promises.ts'
import { judgeSessions } from './judge-sessions.ts'
import { KINDS, type RegionWorld, WRITERS } from './open-world.ts'
import { BRIDGE_MS, PACE } from './plan.ts'

export interface PhaseOptions {
  readonly name: string
  /** Whether a follower reports all the time. */
  readonly isFollowed?: boolean
  /** Whether the standby shows for a moment what it had shown before. */
  readonly showsEarlierState?: boolean
  /** Resolves when the phase is over, with the time for which nobody followed. */
  readonly happen: () => Promise<number | undefined>
}

type Report = NonNullable<ReaderCall['report']>

/** How far a read may be behind, by the lags of follower and standby that its process had heard: docs/recipes/regions.md. */
const allowedMs = (isFollowed = false): ((report: Report) => number) =>
  isFollowed
    ? ({ ageMs, lagMs }) => lagMs + ageMs + HEARTBEAT_MS
    : ({ lagMs }) => lagMs + HEARTBEAT_MS + SILENCE_MS

/** Writes in both regions and reads in the second one, until something has happened, and judges what was read. */
export async function runPhase(world: RegionWorld, options: PhaseOptions) {
  const { fleet, history, processes, regionWrites, servers, writer } = world
  const { happen, isFollowed, name, showsEarlierState } = options
  await fleet.take()
  const startedAt = machineTime()
  const pace = { ...PACE, rowsPerSecond: PACE.rowsPerSecond / WRITERS }
  await Promise.all([writer.call('start', pace), ...processes.map((each) => each.call('start', pace))])
  const excused: Loss[] = []
  const from = machineTime()
  const takeoverMs = await happen()
  if (showsEarlierState) {
    await servers.untilReplayed()
    excused.push({ from, to: machineTime() })
  }
  const [foreign, ...own] = await Promise.all([
    writer.call('stop'),
    ...processes.map((each) => each.call('stopWriting')),
  ])
  const seconds = (machineTime() - startedAt) / 1_000
  const caughtUpMs = await catchUp({ ...world, readers: processes })
  const found = await Promise.all(processes.map((each) => each.call('stopReading')))
  const { messages } = await fleet.take()
  const takeovers = (await fleet.takeovers()).filter((at) => at > startedAt).length
  for (const { written } of [foreign, ...own]) history.add(written)
  for (const [process, { written }] of own.entries()) regionWrites.add(process, written)
  const judged = KINDS.map((kind, process) => {
    const hearingMs = kind === 'memory' ? MEMORY_MS : 0
    const { reads } = found[process]!
    const allowed = allowedMs(isFollowed)
    const floors = regionWrites.floorsOf(process, { bridgeMs: BRIDGE_MS, hearingMs })
    return {
      ...judgeReads(history, reads, (report) => allowed(report) + hearingMs),
      ...judgeSessions(history, reads, floors, excused),
    }
  })
  const rest = await Promise.all(processes.map((each) => each.call('readAll')))
  const total = (field: keyof (typeof judged)[number]): number => sum(judged.map((one) => one[field]))
  const most = (field: 'longestBehindMs' | 'longestUnreportedMs'): number =>
    Math.round(Math.max(...judged.map((one) => one[field])))
  const writes = [foreign, ...own].flatMap(({ written }) => written)
  return {
    name,
    seconds: rounded(seconds, 3),
    writes: writes.length,
    regionWrites: writes.filter(({ isPromised }) => isPromised).length,
    reads: total('reads'),
    ofOwn: total('ofOwn'),
    excused: total('excused'),
    bypassed: total('bypassed'),
    stale: total('stale'),
    broken: total('broken'),
    longestBehindMs: most('longestBehindMs'),
    longestUnreportedMs: most('longestUnreportedMs'),
    primaryQueries: sum(found.map(({ primaryQueries }) => primaryQueries)),
    failedReads: sum(found.map(({ failures }) => failures)),
    takeovers,
    ...(takeoverMs !== undefined && { takeoverMs: Math.round(takeoverMs) }),
    caughtUpMs: Math.round(caughtUpMs),
    lostEvents: sum(rest.map((reads) => staleAtRest(history, reads))),
    messages,
  }
}

export type Phase = Omit<Awaited<ReturnType<typeof runPhase>>, 'messages'>
