import pg from 'pg'
import { findValkeyServer } from '../../support/valkey-server.ts'
import { choose, defineSuite, higher, lower, openPostgres, type RunOptions, sum, table } from '../bench.ts'
import { textOfRehearsals, unnoticedIn } from '../rehearsal.ts'
import type { FaultyServer } from '../servers/access.ts'
import { ClusterServer } from '../servers/cluster-server.ts'
import { SentinelServer } from '../servers/sentinel-server.ts'
import { SingleServer } from '../servers/single-server.ts'
import { runPhase } from './phase.ts'

const FULL = { rows: 400, fundraisers: 8 }
const QUICK = { minutes: 0.4, rows: 100, fundraisers: 4, pods: 4 }

/** What a phase attacks. */
interface PhasePlan {
  /** Its part of the time. */
  readonly share: number
  readonly startServer: () => Promise<FaultyServer>
  /** @default 'strict' */
  readonly mode?: 'strict' | 'available'
  /** @default false */
  readonly l1?: boolean
}

/** The strict phase always runs; `--only` chooses among the others. */
type PhaseName = 'strict' | 'available' | 'restarts' | 'memory' | 'sentinel'

interface Plan {
  /** Of a full run. */
  readonly minutes: number
  readonly pods: number
  /** What is attacked, after the name of the server. */
  readonly servers: string
  readonly headline: string
  readonly phases: Readonly<Partial<Record<PhaseName, PhasePlan>>>
}

const single = () => SingleServer.start()
const onSingle: Plan = {
  minutes: 5.5,
  pods: 4,
  servers: '',
  headline: 'Stale reads while pods, connections and servers fail',
  phases: {
    strict: { share: 0.62, startServer: single },
    /** An unfenced commit is promised to other pods when Valkey has taken its invalidation. */
    available: { share: 0.1, startServer: single, mode: 'available' },
    /** Valkey comes back with what it held some time before, again and again. */
    restarts: { share: 0.18, startServer: () => SingleServer.start('old data') },
    /** Other pods than the writer have three seconds to hear of a write. */
    memory: { share: 0.1, startServer: single, l1: true },
  },
}

const cluster = () => ClusterServer.start()
const onCluster: Plan = {
  minutes: 28,
  pods: 6,
  servers: ', three primaries with a replica each, with `replicas: 1`',
  headline: 'Stale reads while replicas of a cluster and of Sentinels are promoted',
  phases: {
    strict: { share: 0.71, startServer: cluster },
    restarts: { share: 0.1, startServer: () => ClusterServer.start('old data') },
    memory: { share: 0.06, startServer: cluster, l1: true },
    sentinel: { share: 0.13, startServer: () => SentinelServer.start() },
  },
}

/** Short, so that many of them come and go. */
const leaseMs = 1_000
const fenceMs = 3_000

type Phase = Awaited<ReturnType<typeof runPhase>>

async function measure(plan: Plan, { quick, only, minutes }: RunOptions) {
  const names = (Object.keys(plan.phases) as PhaseName[]).map((name) => ({ name }))
  const chosen = choose('phase', names, only)
  const { rows, fundraisers, pods, ...effort } = quick ? QUICK : { ...plan, ...FULL }
  const seconds = (minutes ?? effort.minutes) * 60
  const { name: server, version } = await findValkeyServer()
  const postgres = await openPostgres()
  const prisma = postgres.openPrisma()
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 })
  database.on('error', () => {})
  try {
    const common = { pods, rows, fundraisers, leaseMs, fenceMs, databaseUrl: postgres.url, database, prisma }
    const phases: Partial<Record<PhaseName, Phase>> = {}
    for (const { name } of names) {
      if (name !== 'strict' && !chosen.some((phase) => phase.name === name)) continue
      const { share, mode = 'strict', l1 = false, startServer } = plan.phases[name]!
      phases[name] = await runPhase({ ...common, name, mode, l1, startServer, seconds: seconds * share })
    }
    const { strict, ...others } = phases
    return {
      ...strict!,
      server: `${server} ${version}`,
      database: postgres.name,
      pods,
      rows,
      fundraisers,
      fenceMs,
      leaseMs,
      ...others,
      problems: Object.entries(phases).flatMap(([name, phase]) => problemsOf(name, phase)),
    }
  } finally {
    await prisma.$disconnect()
    await database.end()
    await postgres.close()
  }
}

/** Why a phase fails: anything stale, anything lost, or a defect that it would not have noticed. */
export function problemsOf(
  name: string,
  phase: Pick<
    Phase,
    'staleReads' | 'staleOwnReads' | 'backInTime' | 'staleResidue' | 'lostWrites' | 'rehearsals'
  >,
): string[] {
  const found: readonly (readonly [number, string])[] = [
    [phase.staleReads, `stale reads, ${phase.staleOwnReads} of them on the pod that wrote the row`],
    [phase.backInTime, 'reads that went back in time'],
    [phase.staleResidue, 'rows that are stale at rest'],
    [phase.lostWrites, 'writes that the database has lost'],
  ]
  return [
    ...found.filter(([count]) => count > 0).map(([count, what]) => `${name}: ${count} ${what}`),
    ...unnoticedIn(name, phase.rehearsals),
  ]
}

const ROWS = {
  seconds: 'seconds',
  reads: 'reads',
  hits: 'of these from Valkey',
  prismaReads: 'queries of Prisma that a cache answered',
  listReads: 'reads of lists',
  uniqueReads: 'reads of unique keys',
  entryHits: 'entries of these from Valkey',
  outdatedEntries: 'entries that a row had left',
  writes: 'transactions committed',
  lotWrites: 'of these of rows in lists',
  workerWrites: 'of these by processes without a cache',
  unknownEnds: 'transactions of unknown end',
  refusedWrites: 'refused, because Valkey took no fence',
  rolledBack: 'rolled back',
  staleReads: 'stale reads',
  staleOwnReads: 'of these on the pod that wrote the row',
  missing: 'of these lists and unique keys without one of their rows',
  extra: 'with a row too many',
  outOfOrder: 'in an old order',
  staleRows: 'with old values',
  backInTime: 'reads that went back in time',
  staleResidue: 'rows that are stale at rest',
  lostWrites: 'writes lost',
  lateWrites: 'writes that other pods may see late',
  behindLate: 'reads of other pods that did',
  longestBehindMs: 'by how much at most, ms',
  evictedKeys: 'keys evicted',
  repeatedCommands: 'commands delivered twice',
} as const satisfies Partial<Record<keyof Phase, string>>

type Counted = 'reads' | 'listReads' | 'uniqueReads' | 'writes' | 'staleReads' | 'backInTime' | 'lostWrites'
type Chaos = Awaited<ReturnType<typeof measure>>
const phasesOf = ({ available, restarts, memory, sentinel, ...strict }: Chaos) =>
  Object.entries({ strict, available, restarts, memory, sentinel }).flatMap(([name, phase]) =>
    phase ? [{ name, ...phase }] : [],
  )
const totalOf = (chaos: Chaos, field: Counted): string =>
  sum(phasesOf(chaos).map((phase) => phase[field])).toLocaleString('en')

/** The faults after which Valkey holds what it held some time before. */
const RETURNS = ['oldSnapshot', 'cutLog', 'oldFolder', 'oldPrimary', 'oldReplica']

/** Of the phases in mode `strict` without L1. */
function byFaultOf({ restarts, ...strict }: Chaos) {
  const phases = restarts ? [strict, restarts] : [strict]
  const kinds = new Set(phases.flatMap(({ faults }) => Object.keys(faults)))
  return Array.from(kinds, (kind) => ({
    kind,
    faults: sum(phases.map(({ faults }) => faults[kind] ?? 0)),
    reads: sum(phases.map(({ byFault }) => byFault[kind]?.reads ?? 0)),
    staleReads: sum(phases.map(({ byFault }) => byFault[kind]?.staleReads ?? 0)),
  }))
}

const defineChaos = (plan: Plan) =>
  defineSuite({
    packages: ['@prisma/client', 'ioredis', 'pg'],
    measure: (options) => measure(plan, options),
    sections: (chaos: Chaos) => [
      table(
        'Reads and writes',
        (Object.keys(ROWS) as (keyof typeof ROWS)[]).map((field) => ({ field })),
        {
          '': ({ field }) => ROWS[field],
          strict: ({ field }) => chaos[field],
          ...(plan.phases.available && { available: ({ field }) => chaos.available?.[field] }),
          restarts: ({ field }) => chaos.restarts?.[field],
          'with L1': ({ field }) => chaos.memory?.[field],
          ...(plan.phases.sentinel && { 'on Sentinel': ({ field }) => chaos.sentinel?.[field] }),
        },
        {
          text: [
            `${chaos.server}${plan.servers}, ${chaos.database}. ${chaos.pods} pods and more read and write ${chaos.rows} rows; leases last ${chaos.leaseMs} ms, fences ${chaos.fenceMs} ms.`,
            'Other pods may see a write late if no fence was sure to stand and Valkey did not take its invalidation in time; that breaks no promise.',
          ],
        },
      ),
      table('Phases of this run', phasesOf(chaos), {
        '': 'name',
        seconds: 'seconds',
        faults: ({ faults }) => sum(Object.values(faults)),
        'of Valkey with old data': ({ faults }) => sum(RETURNS.map((kind) => faults[kind] ?? 0)),
        stale: 'staleReads',
        'defects noticed before': ({ rehearsals }) => textOfRehearsals(rehearsals),
      }),
      table(
        'Reads by kind of fault, strict and restarts',
        byFaultOf(chaos),
        { '': 'kind', faults: 'faults', reads: 'reads', stale: 'staleReads' },
        {
          text: ['A read counts for each kind of fault during it, or less than a fence before.'],
          chart: { y: 'reads', columns: ['reads', 'stale'] },
        },
      ),
    ],
    conclusion: (chaos) =>
      `${totalOf(chaos, 'reads')} reads and ${totalOf(chaos, 'writes')} transactions under ${sum(Object.values(chaos.faults))} faults in the strict ` +
      `phase and more in the others: ${totalOf(chaos, 'staleReads')} stale reads, ${totalOf(chaos, 'backInTime')} reads back in time, ` +
      `${totalOf(chaos, 'lostWrites')} lost writes.`,
    headlines: (chaos) => ({
      [plan.headline]: `${totalOf(chaos, 'staleReads')} of ${totalOf(chaos, 'reads')}, of ${totalOf(chaos, 'writes')} transactions`,
    }),
    figures(chaos) {
      const overall = (field: 'staleReads' | 'backInTime' | 'staleResidue' | 'lostWrites') =>
        lower(sum(phasesOf(chaos).map((phase) => phase[field])), 'in all phases')
      return {
        'stale reads': overall('staleReads'),
        'back in time': overall('backInTime'),
        'stale rows at the end': overall('staleResidue'),
        'lost writes': overall('lostWrites'),
        reads: higher(chaos.reads / chaos.seconds, 'per second'),
        'hit rate': higher((100 * chaos.hits) / chaos.reads, '%'),
        writes: higher(chaos.writes / chaos.seconds, 'per second'),
      }
    },
    problems: ({ problems }) => problems,
  })

export const chaosSuite = defineChaos(onSingle)
export const clusterChaosSuite = defineChaos(onCluster)
