import { setTimeout as sleep } from 'node:timers/promises'
import { lower, type Run, rounded, sum, table, type Variant } from '../bench/harness.ts'
import { defineTorture, type TortureRun } from '../define-torture.ts'
import { SingleServer } from '../servers/single-server.ts'
import { commonFaults, mariadbFaults, postgresqlFaults } from './faults.ts'
import { CITIES, HEARTBEAT_MS, ROWS, SILENCE_MS } from './judge-reads.ts'
import { type Effort, type Log, measure, type Plan } from './measure.ts'
import { type Idle, littleOf, measureIdle } from './measure-idle.ts'
import type { Phase } from './phase.ts'
import { openWorld, type Servers } from './world.ts'

const IDLE = { name: 'idle' }
const FAULTY = { rowsPerSecond: 600, rowsPerTransaction: 4, pauseMs: 16 }
const work = (): Promise<void> => sleep(500)

const common = {
  /** Readers leave processors to the others: without pauses, the lag would be the time that these wait for one. */
  steady: [
    { name: '1000', rowsPerSecond: 1_000, rowsPerTransaction: 4, pauseMs: 64 },
    { name: '5000', rowsPerSecond: 5_000, rowsPerTransaction: 20, pauseMs: 64 },
  ],
  pace: FAULTY,
  occasions: { 'change left out': work, 'stale entry': work },
} as const

interface FollowPlan extends Plan {
  readonly name: string
  readonly question: string
  /** After the words of a headline. */
  readonly where: string
  readonly title: string
  /** Its drivers. */
  readonly packages: readonly string[]
  readonly driver: string
  /** Whether the log is retained for a follower. */
  readonly hasSlots: boolean
  openServers(run: Pick<Run, 'use'>): Promise<Servers>
}

const onPostgresql: FollowPlan = {
  ...common,
  name: 'follow',
  question:
    'How late is a write outside Prisma invalidated, and is any read older than that, under faults as well?',
  where: '',
  title: 'PostgreSQL',
  packages: ['pg'],
  driver: 'pg',
  faults: [...commonFaults, ...postgresqlFaults],
  hasSlots: true,
  logs: { temporary: 'a temporary slot', durable: 'a durable slot' },
  async openServers({ use }) {
    const { DURABLE, openPostgresql } = await import('../databases/database-server.ts')
    const { postgresqlLog } = await import('../databases/database-log.ts')
    const valkey = await use(SingleServer.start())
    const database = await use(openPostgresql(DURABLE.postgresql))
    return { valkey, database, log: postgresqlLog(database) }
  },
}

/** Its log is durable, whoever reads it. */
const onMariadb: FollowPlan = {
  ...common,
  name: 'follow-mariadb',
  question:
    'The same on MariaDB: how late is a write outside Prisma invalidated, and is any read older than that?',
  where: ' on MariaDB',
  title: 'MariaDB',
  packages: ['mariadb', 'mysql2'],
  driver: 'mariadb',
  faults: [...commonFaults, ...mariadbFaults],
  hasSlots: false,
  logs: { durable: 'the binlog' },
  async openServers({ use }) {
    const { DURABLE, openMariadb } = await import('../databases/database-server.ts')
    const { mariadbLog } = await import('../databases/database-log.ts')
    const valkey = await use(SingleServer.start())
    const database = await use(openMariadb(DURABLE.mariadb))
    return { valkey, database, log: await use(mariadbLog(database, valkey.url)) }
  },
}

interface Parts {
  readonly steady: readonly Phase[]
  readonly temporary: readonly Phase[]
  readonly durable: readonly Phase[]
  readonly idle?: Idle | undefined
}

/** The figures that matter; those of parts that were not measured are missing. */
export function summarise({ durable, idle, steady, temporary }: Parts) {
  const phases = [...steady, ...temporary, ...durable]
  const of = (name: string): Phase | undefined => steady.find((phase) => phase.name === name)
  const takeoversMs = [...temporary, ...durable].flatMap(({ takeoverMs }) => takeoverMs ?? [])
  const total = (field: 'reads' | 'stale' | 'lostEvents' | 'takeovers'): number =>
    sum(phases.map((phase) => phase[field]))
  const [slow, fast] = [of('1000'), of('5000')]
  return {
    reads: total('reads'),
    stale: total('stale'),
    lostEvents: total('lostEvents'),
    takeovers: total('takeovers'),
    takeoverMs: takeoversMs.length === 0 ? undefined : Math.max(...takeoversMs),
    lagP50Ms: slow?.lagP50Ms,
    lagP99Ms: slow?.lagP99Ms,
    /** The lag as a multiple of the time that COMMIT takes, medians. */
    lagVsCommit: slow && slow.commitP50Ms > 0 ? rounded(slow.lagP50Ms / slow.commitP50Ms, 3) : undefined,
    fastLagP50Ms: fast?.lagP50Ms,
    fastLagP99Ms: fast?.lagP99Ms,
    cpuUsPerEvent: slow?.cpuUsPerEvent,
    fastCpuUsPerEvent: fast?.cpuUsPerEvent,
    retainedWalBytes: idle?.retainedWalBytes,
  }
}

/** Why a run fails beside stale reads and missed goals: a log that is retained although it concerns no cache. */
export const problemsOf = (idle: Idle | undefined): string[] =>
  idle && idle.retainedWalBytes > littleOf(idle.writtenWalBytes)
    ? [
        `The slot retains ${idle.retainedWalBytes} of ${idle.writtenWalBytes} bytes of the log that concern no cache.`,
      ]
    : []

const readColumns = {
  reads: 'reads',
  'of the database': 'bypassed',
  'older than reported': 'stale',
  'longest behind ms': 'longestBehindMs',
  'stale at rest': 'lostEvents',
} as const satisfies Record<string, keyof Phase>

const UNITS = {
  lagP50Ms: 'ms',
  lagP99Ms: 'ms',
  fastLagP50Ms: 'ms',
  fastLagP99Ms: 'ms',
  cpuUsPerEvent: 'µs',
  fastCpuUsPerEvent: 'µs',
  takeoverMs: 'ms',
  retainedWalBytes: 'bytes',
} as const

const defineFollow = (plan: FollowPlan) =>
  defineTorture({
    name: plan.name,
    question: plan.question,
    packages: ['@prisma/client', 'ioredis', ...plan.packages],
    full: { warmUpMs: 3_000, steadyMs: 20_000, calmMs: 1_000, idleMs: 60_000 },
    quick: { warmUpMs: 0, steadyMs: 1_500, calmMs: 300, idleMs: 1_500 },
    variants: ['part', [...plan.steady, ...plan.faults, ...(plan.hasSlots ? [IDLE] : [])]],
    async workload(run: TortureRun<Effort & { readonly idleMs: number }, Variant>) {
      const servers = await plan.openServers(run)
      const measured = await measure(run, plan, await openWorld(run, servers))
      const isIdle = plan.hasSlots && run.chosen.includes(IDLE)
      const idle = isIdle ? await measureIdle(servers.database, run.effort.idleMs) : undefined
      return {
        database: servers.database.title,
        rows: ROWS,
        lists: CITIES,
        ...measured,
        ...(idle && { idle }),
        summary: summarise({ ...measured, idle }),
      }
    },
    never: ({ summary }) => ({
      'reads were older than the lag that had been reported': summary.stale,
      'rows and lists are stale at rest': summary.lostEvents,
    }),
    goals: { lagP99Ms: { most: 50 }, takeoverMs: { most: 5_000 } },
    problems: ({ idle }) => problemsOf(idle),
    columns: ({ database, durable, idle, lists, rows, server, steady, temporary }) => [
      table(
        'Writes outside Prisma',
        steady,
        {
          'rows a second': 'name',
          written: 'rowsPerSecond',
          'lag p50 ms': 'lagP50Ms',
          'lag p99 ms': 'lagP99Ms',
          'COMMIT p50 ms': 'commitP50Ms',
          'COMMIT p99 ms': 'commitP99Ms',
          'CPU µs per change': 'cpuUsPerEvent',
          'processors busy %': 'busyPercent',
          ...readColumns,
        },
        {
          text: [
            `${database} and ${server}. Two processes with plain \`${plan.driver}\` write ${rows} rows in ${lists} lists, two read them through caches with \`follow: 'required'\`, one of them with a memory layer, and one of three followers leads. Each process has its share of the processors.`,
            `The lag is the time from COMMIT, by the clock of the database, until Valkey has taken the invalidations of a batch; COMMIT is what the writer waits for. ${plan.title} syncs its log to the disk.`,
          ],
          chart: { y: 'ms', columns: ['lag p50 ms', 'lag p99 ms', 'COMMIT p50 ms', 'COMMIT p99 ms'] },
        },
      ),
      ...Object.entries({ temporary, durable }).map(([log, phases]) =>
        table(
          `Faults, with ${plan.logs[log as Log]}`,
          phases,
          {
            fault: ({ name }) => plan.faults.find((fault) => fault.name === name)!.what,
            'nobody followed ms': 'takeoverMs',
            'caught up ms': 'caughtUpMs',
            ...readColumns,
          },
          {
            text: [
              `${FAULTY.rowsPerSecond} rows are written a second. A read may be behind by the lag that its reader has heard, and ${HEARTBEAT_MS + SILENCE_MS} ms until it notices that nobody reports.`,
            ],
          },
        ),
      ),
      table('The log that is retained while other tables and databases are written', idle ? [idle] : [], {
        seconds: 'seconds',
        'written bytes': 'writtenWalBytes',
        'retained meanwhile': 'longestRetainedWalBytes',
        'retained after it': 'retainedWalBytes',
      }),
    ],
    conclusion: ({ summary }) =>
      `At 1,000 rows a second written outside Prisma, Valkey has taken the invalidations ${summary.lagP50Ms?.toFixed(1)} ms after COMMIT ` +
      `(p99 ${summary.lagP99Ms?.toFixed(1)} ms), ${summary.lagVsCommit} times the time that COMMIT takes; at 5,000 rows ${summary.fastLagP50Ms?.toFixed(1)} ms ` +
      `(p99 ${summary.fastLagP99Ms?.toFixed(1)} ms). A change takes the follower ${summary.fastCpuUsPerEvent?.toFixed(0)} to ${summary.cpuUsPerEvent?.toFixed(0)} µs of processor time. ` +
      `Under faults of followers, ${plan.title} and Valkey, nobody followed for at most ${((summary.takeoverMs ?? 0) / 1_000).toFixed(1)} s; ` +
      `${summary.stale} of ${summary.reads.toLocaleString('en')} reads were older than reported, and ${summary.lostEvents} rows were stale at the end.`,
    headlines: ({ summary }) => ({
      [`Rows written outside Prisma${plan.where}, 1,000 a second`]: `invalidated ${summary.lagP50Ms?.toFixed(1)} ms after COMMIT (p99 ${summary.lagP99Ms?.toFixed(1)} ms); ${summary.stale} of ${summary.reads.toLocaleString('en')} reads were older than the lag that was reported, under faults as well`,
    }),
    figures({ summary }) {
      const times = (Object.keys(UNITS) as (keyof typeof UNITS)[]).flatMap((name) =>
        summary[name] === undefined ? [] : [[name, lower(summary[name], UNITS[name])] as const],
      )
      return {
        'stale reads': lower(summary.stale, 'reads'),
        'stale at rest': lower(summary.lostEvents, 'rows'),
        ...Object.fromEntries(times),
      }
    },
  })

export const follow = defineFollow(onPostgresql)
export const mariadbFollow = defineFollow(onMariadb)
