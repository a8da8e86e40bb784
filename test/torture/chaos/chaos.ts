import { higher, inPercent, lower, sum, table } from '../bench/harness.ts'
import { defineTorture } from '../define-torture.ts'
import type { DatabaseName } from './databases/chaos-database.ts'
import type { Chaos, Phase } from './measure.ts'
import type { PhasePlan } from './phase.ts'

const QUICK = { minutes: 0.4, rows: 100, fundraisers: 4, pods: 4 }

interface Plan {
  readonly name: string
  readonly question: string
  /** Of a full run. */
  readonly minutes: number
  /** Of a quick one. @default 0.4 */
  readonly quickMinutes?: number
  readonly pods: number
  readonly database: DatabaseName
  /** Packages of its drivers. */
  readonly packages: readonly string[]
  /** What is attacked, after the name of the server. */
  readonly servers: string
  readonly headline: string
  readonly phases: readonly PhasePlan[]
}

const onSingle: Plan = {
  name: 'chaos',
  question: 'Does any read return a stale row while pods, connections and servers fail at random?',
  minutes: 6,
  pods: 4,
  database: 'postgresql',
  packages: ['pg'],
  servers: '',
  headline: 'Stale reads while pods, connections and servers fail',
  phases: [
    { name: 'strict', share: 0.57, server: 'single' },
    /** An unfenced commit is promised to other pods when Valkey has taken its invalidation. */
    { name: 'available', share: 0.09, server: 'single', mode: 'available' },
    /** Valkey comes back with what it held some time before, again and again. */
    { name: 'restarts', share: 0.165, server: 'single', faults: 'old data' },
    /** Other pods than the writer have three seconds to hear of a write. */
    { name: 'memory', share: 0.09, server: 'single', l1: true },
    /** Rows become hot, and cool again, while they are written. */
    { name: 'hot', share: 0.085, server: 'single', l1: 'hot' },
  ],
}

/** Pods that encrypt, deployed again and again while their keys are rotated, beside pods that do not. */
const onEncrypted: Plan = {
  name: 'chaos-at-rest',
  question:
    'Does any read return a stale row, or any value not open, while keys are rotated and pods, connections and servers fail?',
  minutes: 6,
  quickMinutes: 1,
  pods: 4,
  database: 'postgresql',
  packages: ['pg'],
  servers: '',
  headline: 'Stale reads while keys are rotated',
  phases: [
    { name: 'strict', share: 0.75, server: 'single', atRest: true },
    { name: 'memory', share: 0.25, server: 'single', l1: true, atRest: true },
  ],
}

/** The last two phases show what the library adds to conflicts of writes. */
const onOther = (
  database: DatabaseName,
  title: string,
  packages: readonly string[],
  failures: string,
): Plan => ({
  name: `chaos-${database}`,
  question: `Does any read return a stale row on ${title} while ${failures} at random?`,
  minutes: 6,
  pods: 4,
  database,
  packages,
  servers: '',
  headline: `Stale reads on ${title}, while ${failures}`,
  phases: [
    { name: 'strict', share: 0.4, server: 'single' },
    { name: 'memory', share: 0.12, server: 'single', l1: true },
    { name: 'extended', share: 0.26, server: 'single', isCompared: true },
    { name: 'plain', share: 0.22, server: 'single', isPlain: true, isCompared: true },
  ],
})

const onCluster: Plan = {
  name: 'chaos-cluster',
  question: 'Does any read return a stale row while nodes of a cluster fail and are replaced as well?',
  minutes: 12,
  pods: 6,
  database: 'postgresql',
  packages: ['pg'],
  servers: ', three primaries with a replica each, with `replicas: 1`',
  headline: 'Stale reads while replicas of a cluster and of Sentinels are promoted',
  phases: [
    { name: 'strict', share: 0.71, server: 'cluster' },
    { name: 'restarts', share: 0.1, server: 'cluster', faults: 'old data' },
    { name: 'memory', share: 0.06, server: 'cluster', l1: true },
    { name: 'sentinel', share: 0.13, server: 'sentinel' },
  ],
}

const ROWS = {
  seconds: 'seconds',
  reads: 'reads',
  hits: 'of these from Valkey',
  prismaReads: 'queries of Prisma that a cache answered',
  resultReads: 'queries of Prisma that a stored result answered',
  listReads: 'reads of lists',
  composedReads: 'of these by queries of Prisma with relations',
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
type Row = keyof typeof ROWS
const TITLES: Readonly<Record<string, string>> = {
  memory: 'with L1',
  hot: 'with L1 of hot rows',
  sentinel: 'on Sentinel',
  extended: 'without faults of Valkey',
}

/** Those of the library. */
const phasesOf = ({ available, restarts, memory, hot, sentinel, extended, ...strict }: Chaos) =>
  Object.entries({ strict, available, restarts, memory, hot, sentinel, extended }).flatMap(([name, phase]) =>
    phase ? [{ name, ...phase }] : [],
  )
export const totalOf = (chaos: Chaos, field: Row): number => sum(phasesOf(chaos).map((phase) => phase[field]))
const countOf = (chaos: Chaos, field: Row): string => totalOf(chaos, field).toLocaleString('en')

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

/** What never may happen in a phase. */
export const neverIn = (
  phase: Pick<
    Phase,
    'staleReads' | 'staleOwnReads' | 'backInTime' | 'staleResidue' | 'lostWrites' | 'keys'
  > & {
    readonly name: string
  },
) => ({
  [`stale reads in ${phase.name}, ${phase.staleOwnReads} of them on the pod that wrote the row`]:
    phase.staleReads,
  [`reads in ${phase.name} that went back in time`]: phase.backInTime,
  [`rows in ${phase.name} that are stale at rest`]: phase.staleResidue,
  [`writes in ${phase.name} that the database has lost`]: phase.lostWrites,
  ...(phase.keys && {
    [`values in ${phase.name} that did not open, though their keys were known`]: phase.keys.unreadable,
    [`phases ${phase.name} in which no encrypted row was read`]: phase.keys.hits > 0 ? 0 : 1,
  }),
})

const defineChaos = ({
  name,
  question,
  minutes,
  quickMinutes = QUICK.minutes,
  pods,
  database,
  packages,
  servers,
  headline,
  phases,
}: Plan) =>
  defineTorture({
    name,
    question,
    packages: ['@prisma/client', 'ioredis', ...packages],
    full: { minutes, rows: 400, fundraisers: 8, pods },
    quick: { ...QUICK, minutes: quickMinutes },
    variants: ['phase', phases],
    workload: async (run) => (await import('./measure.ts')).measure(run, phases, database),
    goals: { conflictsBesidePlain: { most: 1.5 } },
    never: (chaos) => ({
      ...(Object.assign({}, ...phasesOf(chaos).map(neverIn)) as Record<string, number>),
      ...(chaos.hot && {
        'phases of hot rows in which none was hot': chaos.hot.counts['hot promoted'] ? 0 : 1,
      }),
      ...(chaos.keys && { 'runs in which no key was rotated to its end': chaos.keys.dropped > 0 ? 0 : 1 }),
    }),
    columns: (chaos) => [
      table(
        'Reads and writes',
        (Object.keys(ROWS) as Row[]).map((field) => ({ field })),
        {
          '': ({ field }) => ROWS[field],
          ...Object.fromEntries(
            phasesOf(chaos).map((phase) => [
              TITLES[phase.name] ?? phase.name,
              ({ field }: { field: Row }) => phase[field],
            ]),
          ),
        },
        {
          text: [
            `${chaos.server}${servers}, ${chaos.database}. ${chaos.pods} pods and more read and write ${chaos.rows} rows; leases last ${chaos.leaseMs} ms, fences ${chaos.fenceMs} ms.`,
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
      }),
      table(
        'Keys that were rotated',
        phasesOf(chaos).flatMap(({ keys, name }) => (keys ? [{ name, ...keys }] : [])),
        {
          '': 'name',
          'keys dropped': 'dropped',
          'encrypted rows read': 'hits',
          'unreadable, though their keys were known': 'unreadable',
          'of keys not known yet, or no longer': 'unknownKeys',
        },
      ),
      table(
        'Reads by kind of fault, strict and restarts',
        byFaultOf(chaos),
        { '': 'kind', faults: 'faults', reads: 'reads', stale: 'staleReads' },
        {
          text: ['A read counts for each kind of fault during it, or less than a fence before.'],
          chart: { y: 'reads', columns: ['reads', 'stale'] },
        },
      ),
      table(
        `Writes by Prisma that end with ${chaos.conflict}, because of another one`,
        chaos.conflicts ?? [],
        {
          client: 'client',
          committed: 'writes',
          [chaos.conflict ?? '']: 'failed',
          'per committed write': inPercent(({ perWrite }) => perWrite, 2),
        },
      ),
    ],
    conclusion: (chaos) =>
      `${countOf(chaos, 'reads')} reads and ${countOf(chaos, 'writes')} transactions under ${sum(Object.values(chaos.faults))} faults in the strict ` +
      `phase and more in the others: ${countOf(chaos, 'staleReads')} stale reads, ${countOf(chaos, 'backInTime')} reads back in time, ` +
      `${countOf(chaos, 'lostWrites')} lost writes.`,
    headlines: (chaos) => ({
      [headline]: `${countOf(chaos, 'staleReads')} of ${countOf(chaos, 'reads')}, of ${countOf(chaos, 'writes')} transactions`,
    }),
    figures(chaos) {
      const overall = (field: Row) => lower(totalOf(chaos, field), 'in all phases')
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
  })

export const chaos = defineChaos(onSingle)
export const encryptedChaos = defineChaos(onEncrypted)
export const clusterChaos = defineChaos(onCluster)
export const pgbouncerChaos = defineChaos(
  onOther(
    'pgbouncer',
    'PostgreSQL behind PgBouncer in transaction mode',
    ['pg'],
    'pods, connections and Valkey fail',
  ),
)
export const mariadbChaos = defineChaos(
  onOther('mariadb', 'MariaDB', ['mariadb'], 'pods, connections and servers fail'),
)
export const sqliteChaos = defineChaos(
  onOther('sqlite', 'a file of SQLite', ['@prisma/adapter-libsql'], 'pods and Valkey fail'),
)
