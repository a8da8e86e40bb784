import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { say, type Variant } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { untilNoticed } from '../define-torture.ts'
import type { Defect } from '../defects.ts'
import { History } from '../history/history.ts'
import { judge, readsWrongAtRest } from '../history/judge.ts'
import type { Circumstances } from '../history/promises.ts'
import type { Version } from '../history/rows.ts'
import type { FaultKinds, FaultyServer } from '../servers/access.ts'
import { SingleServer } from '../servers/single-server.ts'
import { createRows, measureClock, recordedVersions, versionsIn } from './database.ts'
import type { ChaosDatabase } from './databases/chaos-database.ts'
import { type Inflicted, inflictFaults, LATE_MS } from './faults.ts'
import { Fleet } from './fleet.ts'
import { resultOf } from './phase-result.ts'
import { Rotation } from './rotation.ts'
import { lookups, type PodL1 } from './rows.ts'

/** What a phase attacks. The strict phase always runs; `--only` chooses among the others. */
export interface PhasePlan extends Variant {
  readonly name: 'strict' | 'available' | 'restarts' | 'memory' | 'hot' | 'sentinel' | 'extended' | 'plain'
  /** Its part of the time. */
  readonly share: number
  readonly server: 'single' | 'cluster' | 'sentinel'
  /** Of the server. */
  readonly faults?: FaultKinds
  /** @default 'strict' */
  readonly mode?: 'strict' | 'available'
  readonly l1?: PodL1
  /** Whether pods encrypt what they store, with keys that are rotated meanwhile. */
  readonly atRest?: boolean
  /** Whether no pod has caches, and no client is extended. */
  readonly isPlain?: boolean
  /** Whether conflicts of its writes are compared: only pods and the database fail, and no write pauses. */
  readonly isCompared?: boolean
}

interface Setting {
  readonly plan: PhasePlan
  readonly database: ChaosDatabase
  readonly pods: number
  readonly rows: number
  readonly fundraisers: number
}

/** Short, so that many of them come and go. */
export const LEASE_MS = 1_000
/** Kinds of pods: those that stay, in turn, one beside them, and one that comes and goes. */
const KINDS = {
  library: { releases: ['first', 'second', 'before', 'other'], worker: 'worker', visitor: 'next' },
  plain: { releases: ['plain'], worker: 'plain', visitor: 'plain' },
} as const
const SAY_EVERY_MS = 15_000
const LOOK_EVERY_MS = 50
const LOOK_AT_DEFECT_EVERY_MS = 500
/** What is stale at rest, in the result, at most. */
const MAX_RESIDUE = 20

/** Pods read and write at random under faults; then everything comes to rest and is compared with the database. */
export async function runPhase(setting: Setting, seconds: number, server: FaultyServer) {
  const { database, fundraisers, plan, pods, rows } = setting
  const { isCompared = false, isPlain, name } = plan
  const { history, fleet, random, rotation, stop } = await openWorld(setting, server)
  const inflicted: Inflicted[] = []
  const over = new AbortController()
  const resting = new AbortController()
  try {
    const aheadMs = await measureClock(database)
    const { releases, visitor, worker } = KINDS[isPlain ? 'plain' : 'library']
    const kinds = Array.from({ length: pods }, (_, i) => releases[i % releases.length]!)
    await Promise.all([...kinds, worker].map((kind) => fleet.start(kind)))
    const startedAt = machineTime()
    for (const pod of fleet.pods) fleet.work(pod)
    const sighting = sight(database, history, resting.signal)
    const world = { fleet, database, rows, fundraisers, random, leaseMs: LEASE_MS, isCompared, visitor }
    const faults = Promise.all([
      inflictFaults(world, server.faults, inflicted, over.signal),
      rotation?.run(fleet, over.signal),
    ])
    const enough = Promise.all([
      waitSaying(name, seconds, history, inflicted, over.signal),
      rotation?.dropsFirst,
    ])
    await Promise.race([enough, faults, sighting])
    over.abort()
    await faults
    await Promise.all(fleet.pods.map(({ process }) => process.call('rest')))
    // For statements that the database has received and no client waits for.
    await sleep(LATE_MS)
    resting.abort()
    await sighting
    const lasted = (machineTime() - startedAt) / 1_000
    // A slower clock of the two makes versions seem to be older, which excuses more.
    const recorded = await recordedVersions(database, Math.max(aheadMs, await measureClock(database)))
    const residue = await findResidue(fleet, recorded)
    return {
      ...resultOf(history, recorded, inflicted, circumstancesOf(setting, inflicted)),
      /** Committed transactions of processes without any cache. */
      workerWrites: history.writes.filter(({ pod }) => fleet.kindOf(pod) === 'worker').length,
      seconds: lasted,
      ...(rotation && { keys: keysOf(history, rotation) }),
      /** Rows, lists and unique keys that a pod still reads wrongly at rest. */
      staleResidue: residue.length,
      residue: residue.slice(0, MAX_RESIDUE),
      evictedKeys: server.evicted,
      repeatedCommands: fleet.repeated,
    }
  } finally {
    over.abort()
    resting.abort()
    await stop()
  }
}

/** Has two pods with a defect work without faults until the judge of a phase notices it. */
export async function rehearseDefect(defect: Defect, setting: Setting): Promise<number | undefined> {
  const { database } = setting
  // What is noticed does not depend on the kind of server.
  const { history, fleet, stop } = await openWorld(setting, await SingleServer.start(), defect)
  try {
    const aheadMs = await measureClock(database)
    await Promise.all((['first', 'first'] as const).map((kind) => fleet.start(kind)))
    for (const pod of fleet.pods) fleet.work(pod)
    return await untilNoticed(async () => {
      await sleep(LOOK_AT_DEFECT_EVERY_MS)
      const until = history.untilNow()
      const recorded = await recordedVersions(database, aheadMs)
      const { violations } = judge(recorded, until, circumstancesOf(setting, []))
      return violations.some(({ kind }) => kind !== 'backInTime') || unreadableIn(history) > 0
    })
  } finally {
    await stop()
  }
}

/** A process that has not received its own heartbeat for two seconds, which takes a second at most, does not use its L1. */
const HEARING_MS = 3_000

const circumstancesOf = (
  { database: { fenceMs }, plan: { l1 } }: Setting,
  faults: readonly Inflicted[],
): Circumstances => ({
  fenceMs,
  hearingMs: l1 ? HEARING_MS : 0,
  losses: faults.filter(({ losesKeys }) => losesKeys),
})

/** New rows, and a fleet without pods before a server. */
async function openWorld(setting: Setting, server: FaultyServer, defect?: Defect) {
  const { database, fundraisers, plan, rows } = setting
  const { atRest, isCompared, l1 = false, mode = 'strict', name } = plan
  await createRows(database, setting)
  const random = createRandom(`${defect ? 'rehearsal' : 'chaos'} ${name}`)
  const history = new History(lookups)
  const rotation = atRest ? new Rotation(defect !== 'key never learned') : undefined
  const fleet = new Fleet({
    database,
    rotation,
    settings: {
      rows,
      fundraisers,
      l1,
      pauses: !isCompared,
      ...(defect && { defect }),
      consistency: {
        mode,
        leaseMs: LEASE_MS,
        fenceMs: database.fenceMs,
        leaseWaitMs: 100,
        replicas: server.replicas,
      },
    },
    openWires: () => server.openWires(),
    random,
    onWork: (pod, report) => history.add(pod, report),
  })
  const stop = async (): Promise<void> => {
    await fleet.stop()
    await server.stop()
  }
  return { history, fleet, random, rotation, stop }
}

const unreadableIn = ({ counts }: History): number => counts.unreadable ?? 0

/** What became of encrypted values. */
const keysOf = (history: History, { dropped }: Rotation) => ({
  dropped,
  hits: history.counts['encrypted store hit'] ?? 0,
  /** Values that did not open in processes that had all keys. */
  unreadable: unreadableIn(history),
  /** Those of keys that a process did not have yet, or no longer. */
  unknownKeys: history.counts['unopened unknown_key'] ?? 0,
})

async function waitSaying(
  name: string,
  seconds: number,
  { reads, writes }: History,
  inflicted: readonly Inflicted[],
  signal: AbortSignal,
) {
  const until = performance.now() + seconds * 1_000
  for (let leftMs = seconds * 1_000; leftMs > 0 && !signal.aborted; leftMs = until - performance.now()) {
    await sleep(Math.min(leftMs, SAY_EVERY_MS), undefined, { signal }).catch(() => {})
    const [read, written] = [reads, writes].map(({ length }) => length.toLocaleString('en'))
    say(`${name}: ${read} reads, ${written} writes, ${inflicted.length} faults`)
  }
}

/** Polls the database: only there it shows when a write of unknown end was committed. */
async function sight(database: ChaosDatabase, { sightings }: History, signal: AbortSignal): Promise<void> {
  let last: ReadonlyMap<string, number> = new Map()
  while (!signal.aborted) {
    const versions = await versionsIn(database).catch((error: unknown) => {
      // Another one that fails has no reason to.
      if (!database.faults.some(({ kind }) => kind === 'databaseKill')) throw error
      return last
    })
    const at = machineTime()
    for (const [id, version] of versions) if (last.get(id) !== version) sightings.push({ id, version, at })
    for (const id of last.keys()) if (!versions.has(id)) sightings.push({ id, version: 'gone', at })
    last = versions
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Reads everything through every pod, twice: the second time as the first one has stored it. */
async function findResidue(fleet: Fleet, recorded: readonly Version[]) {
  const atRest = new History(lookups)
  for (let time = 0; time < 2; time++)
    for (const [number, { process }] of fleet.pods.entries())
      atRest.addAnswers(number, await process.call('readAll'))
  const wrong = readsWrongAtRest(recorded, atRest.reads)
  return [...new Map(wrong.map((read) => [`${read.lookup.name} ${read.key}`, read])).values()]
}
