import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createRandom } from '#prisma/demo/random.js'
import { say } from '../../../apps/bench/src/harness/progress.ts'
import { rehearse } from '../rehearsal.ts'
import { History } from './check/history.ts'
import { readsWrongAtRest } from './check/lots/check-lots.ts'
import { LotLog } from './check/lots/lot-log.ts'
import { LATE_MS } from './faults/faults.ts'
import type { Inflicted } from './faults/fault.ts'
import { inflictFaults } from './faults/inflict.ts'
import { Fleet } from './fleet/fleet.ts'
import {
  createLots,
  lotVersionsIn,
  measureClock,
  type RecordedVersion,
  recordedVersions,
} from './lots/lot-table.ts'
import type { PhaseOptions } from './phase-options.ts'
import { resultOf } from './phase-result.ts'
import { rehearseDefect } from './rehearse.ts'
import { machineTime } from './pod/protocol.ts'
import { createRows, revisionsIn } from './pod/revisions.ts'

/** Kinds of pods, in turn. */
const RELEASES = ['first', 'second', 'before', 'other'] as const
const SAY_EVERY_MS = 15_000
const LOOK_EVERY_MS = 50
/** What is stale at rest, in the result, at most. */
const MAX_RESIDUE = 20

/** Pods read and write at random under faults; then everything comes to rest and is compared with the database. */
export async function runPhase(options: PhaseOptions) {
  const { name, mode, l1, seconds, pods, rows, fundraisers, leaseMs, fenceMs, database, databaseUrl } =
    options
  const rehearsals = await rehearse(name, ['fence left out', 'stale entry'], (defect) =>
    rehearseDefect(defect, options),
  )
  await database.query('TRUNCATE "FeatureFlags"')
  await createRows(database, rows)
  await createLots(database, options.prisma, fundraisers)
  const aheadMs = await measureClock(database)
  const random = createRandom(`chaos ${name}`)
  const server = await options.startServer()
  const history = new History()
  const inflicted: Inflicted[] = []
  const fleet = new Fleet({
    settings: {
      directUrl: databaseUrl,
      rows,
      fundraisers,
      l1,
      consistency: { mode, leaseMs, fenceMs, leaseWaitMs: 100, replicas: server.replicas },
    },
    openWires: () => server.openWires(),
    random,
    onWork: (pod, report) => history.add(pod, report),
  })
  const over = new AbortController()
  const resting = new AbortController()
  try {
    // Pods of all releases that stay, and a worker.
    const kinds = Array.from({ length: pods }, (_, i) => RELEASES[i % RELEASES.length]!)
    await Promise.all([...kinds, 'worker' as const].map((kind) => fleet.start(kind)))
    const startedAt = machineTime()
    for (const pod of fleet.pods) pod.order({ do: 'work' })
    const sighting = Promise.all([
      sightRevisions(database, history, resting.signal),
      sightLots(database, history, resting.signal),
    ])
    const world = { fleet, database, rows, fundraisers, random, leaseMs, fenceMs }
    const faults = inflictFaults(world, server.faults, inflicted, over.signal)
    await Promise.race([waitSaying(name, seconds, history, inflicted, over.signal), faults, sighting])
    over.abort()
    await faults
    await Promise.all(fleet.pods.map((pod) => pod.rest()))
    // For statements that PostgreSQL has received and no client waits for.
    await sleep(LATE_MS)
    resting.abort()
    await sighting
    const lasted = (machineTime() - startedAt) / 1_000
    // A slower clock of the two makes versions seem to be older, which excuses more.
    const recorded = await recordedVersions(database, Math.max(aheadMs, await measureClock(database)))
    const { lostLotWrites, ...result } = resultOf(history, recorded, inflicted, options)
    const writes = [...history.writes, ...history.lots.writes]
    const residue = await findResidue(fleet, database, recorded)
    return {
      ...result,
      /** Defects that were switched on before, to see that they are noticed. */
      rehearsals,
      /** Committed transactions of processes without any cache. */
      workerWrites: writes.filter(({ pod }) => fleet.kindOf(pod) === 'worker').length,
      seconds: lasted,
      /** Rows, lists and unique keys that a pod still reads wrongly at rest. */
      staleResidue: residue.rows.size + residue.lookups.size,
      residue: [...residue.rows, ...residue.lookups.values()].slice(0, MAX_RESIDUE),
      /** Confirmed writes that the database does not have. */
      lostWrites: (await countLost(history, database)) + lostLotWrites,
      evictedKeys: server.evicted,
      repeatedCommands: fleet.repeated,
    }
  } finally {
    over.abort()
    resting.abort()
    await fleet.stop()
    await server.stop()
  }
}

async function waitSaying(
  name: string,
  seconds: number,
  history: History,
  inflicted: readonly Inflicted[],
  signal: AbortSignal,
) {
  const until = performance.now() + seconds * 1_000
  for (let leftMs = seconds * 1_000; leftMs > 0 && !signal.aborted; leftMs = until - performance.now()) {
    await sleep(Math.min(leftMs, SAY_EVERY_MS), undefined, { signal }).catch(() => {})
    const { lots } = history
    const counts = [history.readCount + lots.reads.length, history.writes.length + lots.writes.length]
    const [reads, writes] = counts.map((n) => n.toLocaleString('en'))
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

/** As {@link sightRevisions}. */
async function sightLots(database: pg.Pool, { lots }: History, signal: AbortSignal): Promise<void> {
  let last: ReadonlyMap<string, number> = new Map()
  while (!signal.aborted) {
    const versions = await lotVersionsIn(database)
    const at = machineTime()
    for (const [id, version] of versions)
      if (last.get(id) !== version) lots.sightings.push({ id, version, at })
    for (const id of last.keys()) if (!versions.has(id)) lots.sightings.push({ id, version: 'gone', at })
    last = versions
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Reads everything through every pod, twice: the second time as the first one has stored it. */
async function findResidue(fleet: Fleet, database: pg.Pool, recorded: readonly RecordedVersion[]) {
  const truth = await revisionsIn(database)
  const rows = new Set<number>()
  const ofLots = new LotLog()
  for (let time = 0; time < 2; time++) {
    for (const pod of fleet.pods) {
      const { revisions, answers } = await pod.readAll()
      for (const [row, revision] of revisions) if (truth[row] !== revision) rows.add(row)
      ofLots.addAnswers(fleet.pods.indexOf(pod), answers)
    }
  }
  const wrong = readsWrongAtRest(recorded, ofLots.reads).map(
    (read) => [`${read.lookup.release} ${read.lookup.name} ${read.key}`, read] as const,
  )
  return { rows, lookups: new Map(wrong) }
}

async function countLost({ writes }: History, database: pg.Pool): Promise<number> {
  const truth = await revisionsIn(database)
  return writes.flatMap(({ revisions }) => revisions).filter(([row, revision]) => revision > truth[row]!)
    .length
}
