import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { say } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import type { Defect } from '../defects.ts'
import { History } from '../history/history.ts'
import { judge, readsWrongAtRest } from '../history/judge.ts'
import type { Version } from '../history/rows.ts'
import { untilNoticed } from '../rehearsal.ts'
import type { FaultyServer } from '../servers/access.ts'
import { SingleServer } from '../servers/single-server.ts'
import { createRows, measureClock, recordedVersions, versionsIn } from './database.ts'
import type { ChaosDatabase } from './databases/chaos-database.ts'
import { LATE_MS } from './fault.ts'
import { type Inflicted, inflictFaults } from './faults.ts'
import { Fleet } from './fleet.ts'
import { circumstancesOf, resultOf } from './phase-result.ts'
import { lookups, type PodL1 } from './rows.ts'

export interface PhaseOptions {
  readonly name: string
  readonly mode: 'strict' | 'available'
  readonly l1: PodL1
  readonly seconds: number
  readonly pods: number
  readonly rows: number
  readonly fundraisers: number
  /** Whether no pod has caches, and no client is extended. */
  readonly isPlain: boolean
  /** Whether conflicts of its writes are compared: only pods and the database fail, and no write pauses. */
  readonly isCompared: boolean
  readonly leaseMs: number
  readonly fenceMs: number
  readonly database: ChaosDatabase
}

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
export async function runPhase(options: PhaseOptions, server: FaultyServer) {
  const { name, seconds, pods, rows, fundraisers, isPlain, isCompared, leaseMs, fenceMs, database } = options
  const { history, fleet, random, stop } = await openWorld(options, server)
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
    const world = { fleet, database, rows, fundraisers, random, leaseMs, fenceMs, isCompared, visitor }
    const faults = inflictFaults(world, server.faults, inflicted, over.signal)
    await Promise.race([waitSaying(name, seconds, history, inflicted, over.signal), faults, sighting])
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
      ...resultOf(history, recorded, inflicted, options),
      /** Committed transactions of processes without any cache. */
      workerWrites: history.writes.filter(({ pod }) => fleet.kindOf(pod) === 'worker').length,
      seconds: lasted,
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
export async function rehearseDefect(defect: Defect, options: PhaseOptions): Promise<number | undefined> {
  const { database } = options
  // What is noticed does not depend on the kind of server.
  const { history, fleet, stop } = await openWorld(options, await SingleServer.start(), defect)
  try {
    const aheadMs = await measureClock(database)
    await Promise.all((['first', 'first'] as const).map((kind) => fleet.start(kind)))
    for (const pod of fleet.pods) fleet.work(pod)
    return await untilNoticed(async () => {
      await sleep(LOOK_AT_DEFECT_EVERY_MS)
      const until = history.untilNow()
      const { violations } = judge(
        await recordedVersions(database, aheadMs),
        until,
        circumstancesOf(options, []),
      )
      return violations.some(({ kind }) => kind !== 'backInTime')
    })
  } finally {
    await stop()
  }
}

/** New rows, and a fleet without pods before a server. */
async function openWorld(options: PhaseOptions, server: FaultyServer, defect?: Defect) {
  const { name, mode, l1, rows, fundraisers, isCompared, leaseMs, fenceMs, database } = options
  await createRows(database, options)
  const random = createRandom(`${defect ? 'rehearsal' : 'chaos'} ${name}`)
  const history = new History(lookups)
  const fleet = new Fleet({
    database,
    settings: {
      rows,
      fundraisers,
      l1,
      pauses: !isCompared,
      ...(defect && { defect }),
      consistency: { mode, leaseMs, fenceMs, leaseWaitMs: 100, replicas: server.replicas },
    },
    openWires: () => server.openWires(),
    random,
    onWork: (pod, report) => history.add(pod, report),
  })
  const stop = async (): Promise<void> => {
    await fleet.stop()
    await server.stop()
  }
  return { history, fleet, random, stop }
}

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
