import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createRandom } from '#prisma/demo/random.js'
import { say } from '../progress.ts'
import type { PhaseMeasurements } from './chaos-measurements.ts'
import { countByFault } from './check/by-fault.ts'
import { checkReads } from './check/check-reads.ts'
import { History } from './check/history.ts'
import { sightRevisions } from './check/sight-revisions.ts'
import { befall } from './faults/befall.ts'
import { LATE_MS } from './faults/database-faults.ts'
import { ChaosServer } from './faults/chaos-server.ts'
import { FaultLog, type Befallen } from './faults/fault-log.ts'
import { Fleet } from './fleet/fleet.ts'
import { machineTime } from './machine-time.ts'
import { createRows, revisionsIn } from './pod/revisions.ts'

export interface PhaseOptions {
  /** For people. */
  readonly name: string
  readonly mode: 'strict' | 'available'
  /** Whether pods keep rows in their memory as well. */
  readonly l1: boolean
  readonly seconds: number
  readonly pods: number
  readonly rows: number
  readonly leaseMs: number
  readonly fenceMs: number
  readonly databaseUrl: string
  readonly database: pg.Pool
}

/** A process that has not heard its own heartbeat for two seconds, which takes a second at most, does not use its memory. */
const HEARING_MS = 3_000
const SAY_EVERY_MS = 15_000
/** What is told of, of many that are alike. */
const MAX_VIOLATIONS = 20

/** Pods read and write at random while faults befall them and their Valkey; then all comes to rest and is compared. */
export async function runPhase(options: PhaseOptions): Promise<PhaseMeasurements> {
  const { name, mode, l1, seconds, pods, rows, leaseMs, fenceMs, database, databaseUrl } = options
  await database.query('TRUNCATE "FeatureFlags"')
  await createRows(database, rows)
  const random = createRandom(`chaos ${name}`)
  const server = await ChaosServer.start()
  const history = new History()
  const log = new FaultLog()
  const fleet = new Fleet({
    settings: { directUrl: databaseUrl, rows, l1, consistency: { mode, leaseMs, fenceMs, leaseWaitMs: 100 } },
    valkeyPort: server.port,
    random,
    onWork: (pod, report) => history.add(pod, report),
  })
  try {
    // Pods of both sets of caches, and a worker.
    const kinds = Array.from({ length: pods }, (_, i) =>
      i % 2 === 0 ? ('first' as const) : ('second' as const),
    )
    await Promise.all([...kinds, 'worker' as const].map((kind) => fleet.start(kind)))
    const startedAt = machineTime()
    for (const pod of fleet.pods) pod.order({ do: 'work' })
    const over = new AbortController()
    const resting = new AbortController()
    const sighting = sightRevisions(database, history, resting.signal)
    const faults = befall({ fleet, server, database, rows, random, leaseMs, fenceMs }, log, over.signal)
    await Promise.race([waitSaying(name, seconds, history, log), faults, sighting])
    over.abort()
    await faults
    await Promise.all(fleet.pods.map((pod) => pod.rest()))
    // What the database has received and nobody waits for any more.
    await sleep(LATE_MS)
    resting.abort()
    await sighting
    const lasted = (machineTime() - startedAt) / 1_000
    const staleResidue = await countResidue(fleet, database)
    const lostWrites = await countLost(history, database)
    return {
      ...measured(history, log, options),
      workerWrites: history.writes.filter(({ pod }) => fleet.kindOf(pod) === 'worker').length,
      seconds: lasted,
      staleResidue,
      lostWrites,
      evictedKeys: server.evicted,
      repeatedCommands: fleet.repeated,
    }
  } finally {
    await fleet.stop()
    await server.stop()
  }
}

async function waitSaying(name: string, seconds: number, history: History, log: FaultLog): Promise<void> {
  const until = performance.now() + seconds * 1_000
  for (let leftMs = seconds * 1_000; leftMs > 0; leftMs = until - performance.now()) {
    await sleep(Math.min(leftMs, SAY_EVERY_MS))
    say(
      `${name}: ${history.readCount.toLocaleString('en')} reads, ${history.writes.length.toLocaleString('en')} writes, ` +
        `${log.faults.length} faults`,
    )
  }
}

/** Reads all rows through every pod, twice: what the first reading stores, the second one reads. */
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

function measured(history: History, { faults }: FaultLog, { fenceMs, l1 }: PhaseOptions) {
  const { counts } = history
  const circumstances = {
    fenceMs,
    hearingMs: l1 ? HEARING_MS : 0,
    losses: faults.filter(({ losesKeys }) => losesKeys),
    caughtUp: history.caughtUp,
  }
  const { violations, ...rest } = checkReads(history, circumstances)
  const stale = violations.filter(({ kind }) => kind !== 'backInTime')
  return {
    reads: history.readCount,
    hits: counts['store hit'] ?? 0,
    writes: history.writes.length,
    unknownEnds: history.unknownEnds.length,
    refusedWrites: counts['error FenceError'] ?? 0,
    rolledBack: counts['rolled back'] ?? 0,
    staleReads: stale.length,
    staleOwnReads: stale.filter(({ kind }) => kind === 'own').length,
    backInTime: violations.length - stale.length,
    ...rest,
    faults: countsOf(faults),
    byFault: countByFault(history.reads(), stale, faults, fenceMs),
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

function countsOf(faults: readonly Befallen[]): Record<string, number> {
  return Object.fromEntries(
    Array.from(
      Map.groupBy(faults, ({ kind }) => kind),
      ([kind, ofKind]) => [kind, ofKind.length],
    ),
  )
}
