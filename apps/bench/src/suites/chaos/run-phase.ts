import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createRandom } from '#prisma/demo/random.js'
import { say } from '../../harness/progress.ts'
import { checkReads } from './check/check-reads.ts'
import { History, type Read } from './check/history.ts'
import { ChaosServer } from './faults/chaos-server.ts'
import { LATE_MS } from './faults/faults.ts'
import type { Inflicted } from './faults/fault.ts'
import { inflictFaults } from './faults/inflict.ts'
import { Fleet } from './fleet/fleet.ts'
import { machineTime } from './pod/protocol.ts'
import { createRows, revisionsIn } from './pod/revisions.ts'

export interface PhaseOptions {
  readonly name: string
  readonly mode: 'strict' | 'available'
  /** Whether pods have an L1. */
  readonly l1: boolean
  readonly seconds: number
  readonly pods: number
  readonly rows: number
  readonly leaseMs: number
  readonly fenceMs: number
  readonly databaseUrl: string
  readonly database: pg.Pool
}

/** A process that has not received its own heartbeat for two seconds, which takes a second at most, does not use its L1. */
const HEARING_MS = 3_000
const SAY_EVERY_MS = 15_000
const LOOK_EVERY_MS = 50
/** Violations in the result, at most. */
const MAX_VIOLATIONS = 20

/** Pods read and write at random under faults; then everything comes to rest and is compared with the database. */
export async function runPhase(options: PhaseOptions) {
  const { name, mode, l1, seconds, pods, rows, leaseMs, fenceMs, database, databaseUrl } = options
  await database.query('TRUNCATE "FeatureFlags"')
  await createRows(database, rows)
  const random = createRandom(`chaos ${name}`)
  const server = await ChaosServer.start()
  const history = new History()
  const inflicted: Inflicted[] = []
  const fleet = new Fleet({
    settings: { directUrl: databaseUrl, rows, l1, consistency: { mode, leaseMs, fenceMs, leaseWaitMs: 100 } },
    valkeyPort: server.port,
    random,
    onWork: (pod, report) => history.add(pod, report),
  })
  try {
    // Pods of both sets of caches, and a worker.
    const kinds = Array.from({ length: pods }, (_, i) => (['first', 'second'] as const)[i % 2]!)
    await Promise.all([...kinds, 'worker' as const].map((kind) => fleet.start(kind)))
    const startedAt = machineTime()
    for (const pod of fleet.pods) pod.order({ do: 'work' })
    const over = new AbortController()
    const resting = new AbortController()
    const sighting = sightRevisions(database, history, resting.signal)
    const world = { fleet, server, database, rows, random, leaseMs, fenceMs }
    const faults = inflictFaults(world, inflicted, over.signal)
    await Promise.race([waitSaying(name, seconds, history, inflicted), faults, sighting])
    over.abort()
    await faults
    await Promise.all(fleet.pods.map((pod) => pod.rest()))
    // For statements that PostgreSQL has received and no client waits for.
    await sleep(LATE_MS)
    resting.abort()
    await sighting
    const lasted = (machineTime() - startedAt) / 1_000
    return {
      ...resultOf(history, inflicted, options),
      /** Committed transactions of processes without any cache. */
      workerWrites: history.writes.filter(({ pod }) => fleet.kindOf(pod) === 'worker').length,
      seconds: lasted,
      /** Rows that a pod still reads wrongly at rest. */
      staleResidue: await countResidue(fleet, database),
      /** Confirmed revisions that the database does not have. */
      lostWrites: await countLost(history, database),
      evictedKeys: server.evicted,
      repeatedCommands: fleet.repeated,
    }
  } finally {
    await fleet.stop()
    await server.stop()
  }
}

async function waitSaying(name: string, seconds: number, history: History, inflicted: readonly Inflicted[]) {
  const until = performance.now() + seconds * 1_000
  for (let leftMs = seconds * 1_000; leftMs > 0; leftMs = until - performance.now()) {
    await sleep(Math.min(leftMs, SAY_EVERY_MS))
    const [reads, writes] = [history.readCount, history.writes.length].map((n) => n.toLocaleString('en'))
    say(`${name}: ${reads} reads, ${writes} writes, ${inflicted.length} faults`)
  }
}

/** Polls the database: only there it shows when a write of unknown end was committed. */
async function sightRevisions(database: pg.Pool, { sightings }: History, signal: AbortSignal): Promise<void> {
  const last: number[] = []
  while (!signal.aborted) {
    const revisions = await revisionsIn(database)
    const at = machineTime()
    for (const [row, revision] of revisions.entries()) {
      if (last[row] !== revision) sightings.push({ row, revision, at })
      last[row] = revision
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Reads all rows through every pod, twice: the second time as the first one has stored them. */
async function countResidue(fleet: Fleet, database: pg.Pool): Promise<number> {
  const truth = await revisionsIn(database)
  const stale = new Set<number>()
  for (let time = 0; time < 2; time++) {
    for (const pod of fleet.pods) {
      const given = await pod.readAll()
      for (const [row, revision] of given) if (truth[row] !== revision) stale.add(row)
    }
  }
  return stale.size
}

async function countLost({ writes }: History, database: pg.Pool): Promise<number> {
  const truth = await revisionsIn(database)
  return writes.flatMap(({ revisions }) => revisions).filter(([row, revision]) => revision > truth[row]!)
    .length
}

function resultOf(history: History, faults: readonly Inflicted[], { fenceMs, l1 }: PhaseOptions) {
  const { counts } = history
  const { violations, ...rest } = checkReads(history, {
    fenceMs,
    hearingMs: l1 ? HEARING_MS : 0,
    losses: faults.filter(({ losesKeys }) => losesKeys),
    caughtUp: history.caughtUp,
  })
  const stale = violations.filter(({ kind }) => kind !== 'backInTime')
  const byKind = Map.groupBy(faults, ({ kind }) => kind)
  return {
    reads: history.readCount,
    /** Reads that Valkey answered. */
    hits: counts['store hit'] ?? 0,
    /** Queries of Prisma that a cache answered. */
    prismaReads: counts['Prisma answered'] ?? 0,
    /** Committed transactions. */
    writes: history.writes.length,
    /** Transactions that may have been committed after their client had an error. */
    unknownEnds: history.unknownEnds.length,
    /** Transactions that were rolled back because Valkey did not take their fence. */
    refusedWrites: counts['error FenceError'] ?? 0,
    rolledBack: counts['rolled back'] ?? 0,
    /** Reads that returned an older row than promised, on the pod that wrote it or on any. */
    staleReads: stale.length,
    staleOwnReads: stale.filter(({ kind }) => kind === 'own').length,
    /** Reads that returned an older row than an earlier read of the same pod. */
    backInTime: violations.length - stale.length,
    ...rest,
    faults: Object.fromEntries(Array.from(byKind, ([kind, ofKind]) => [kind, ofKind.length])),
    byFault: countByFault(history.reads(), stale, byKind, fenceMs),
    counts,
    violations: violations.slice(0, MAX_VIOLATIONS).map((violation) => ({
      ...violation,
      write: history.writes.find(({ revisions }) =>
        revisions.some(([row, revision]) => row === violation.row && revision === violation.expected),
      ),
      during: faults.filter(({ from, to }) => from <= violation.end && to >= violation.start - fenceMs),
    })),
  }
}

/** Reads during faults of each kind, or shortly after. Faults overlap, so most reads count several times. */
function countByFault(
  reads: Iterable<Read>,
  stale: readonly Read[],
  byKind: ReadonlyMap<string, readonly Inflicted[]>,
  afterMs: number,
): Record<string, { readonly reads: number; readonly staleReads: number }> {
  const found = Array.from(byKind, ([kind, ofKind]) => ({
    kind,
    isDuring: duringAny(ofKind, afterMs),
    reads: 0,
  }))
  for (const read of reads) for (const one of found) if (one.isDuring(read)) one.reads++
  return Object.fromEntries(
    found.map(({ kind, isDuring, reads }) => [kind, { reads, staleReads: stale.filter(isDuring).length }]),
  )
}

function duringAny(faults: readonly Inflicted[], afterMs: number): (read: Read) => boolean {
  const spans: { from: number; to: number }[] = []
  for (const { from, to } of faults.toSorted((a, b) => a.from - b.from)) {
    const last = spans.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to + afterMs)
    else spans.push({ from, to: to + afterMs })
  }
  return ({ start, end }) => spans.some(({ from, to }) => start <= to && end >= from)
}
