import { setTimeout as sleep } from 'node:timers/promises'
import { findValkeyServer } from '../../support/valkey-server.ts'
import { lower, rounded, say, sum, table } from '../bench/harness.ts'
import { defineTorture, type TortureRun } from '../define-torture.ts'
import type { Defect } from '../defects.ts'
import { untilNoticed } from '../rehearsal.ts'
import { allFaults, type Fault } from './faults.ts'
import { CITIES, ROWS } from './judge-reads.ts'
import { type Idle, littleOf, measureIdle } from './measure-idle.ts'
import type { OpenedWorld } from './open-world.ts'
import { runPhase, type World } from './phase.ts'

const SLOT = 'model_cache_bench'
const IDLE = { name: 'idle' }
const STEADY = [
  { name: '1000', rowsPerSecond: 1_000, rowsPerTransaction: 4 },
  { name: '5000', rowsPerSecond: 5_000, rowsPerTransaction: 20 },
] as const
const FAULTY = { rowsPerSecond: 600, rowsPerTransaction: 4 }
type Part = (typeof STEADY)[number] | Fault | typeof IDLE

/** How often a follower reports, and after which silence nobody follows: docs/follow.md. */
const HEARTBEAT_MS = 500
const SILENCE_MS = 2_500
/** A process that receives no messages uses its memory no longer: docs/consistency.md. */
const MEMORY_MS = 2_000
const REHEARSED_MS = 500

/** How far a read may be behind in a phase without faults: what is committed after a report becomes part of the next one. */
const steadily = {
  allowedMs: ({ ageMs, lagMs }: { readonly ageMs: number; readonly lagMs: number }): number =>
    lagMs + ageMs + HEARTBEAT_MS,
  memoryMs: MEMORY_MS,
}

/** And in one with them. */
const faulty = {
  ...FAULTY,
  // A follower that is gone was heard a silence ago at most, and said what was true a heartbeat before.
  allowedMs: ({ lagMs }: { readonly lagMs: number }): number => lagMs + HEARTBEAT_MS + SILENCE_MS,
  memoryMs: MEMORY_MS,
}

interface Effort {
  readonly warmUpMs: number
  readonly steadyMs: number
  readonly calmMs: number
  readonly idleMs: number
}

async function measure(run: TortureRun<Effort, Part>) {
  const { chosen, only, quick, rehearse } = run
  const { calmMs, idleMs, steadyMs, warmUpMs } = run.effort
  const { name: server, version } = await findValkeyServer()
  const opened = await (await import('./open-world.ts')).openWorld(run)
  /** With processes that follow by another kind of slot from now on. */
  const follow = async (slot: string | undefined): Promise<World> => {
    const rehearseOne = (defect: Defect) => rehearseDefect(opened, defect)
    await rehearse(slot ? 'durable slot' : 'temporary slot', ['change left out', 'stale entry'], rehearseOne)
    return begin(await opened.follow(slot))
  }
  const suffer = async (world: World): Promise<Phase[]> => {
    const isChosen = (fault: Fault): boolean =>
      chosen.includes(fault) &&
      (world.slot !== undefined || !fault.isOfSlots) &&
      (!quick || only.length > 0 || (fault.isQuick === true && world.slot !== undefined))
    const phases: Phase[] = []
    for (const { inflict, name, what } of allFaults.filter(isChosen)) {
      say(`${world.slot ? 'Durable slot' : 'Temporary slot'}: ${what} …`)
      const happen = async (): Promise<number | undefined> => {
        await sleep(calmMs)
        const ms = await inflict(world)
        await sleep(calmMs)
        return ms
      }
      phases.push(printMessages(await runPhase(world, { name, ...faulty, happen })))
    }
    return phases
  }
  say(`${opened.database}, ${server} ${version}`)
  const onTemporary = await follow(undefined)
  const steady: Phase[] = []
  for (const pace of STEADY.filter((one) => chosen.includes(one))) {
    say(`${pace.rowsPerSecond} rows a second …`)
    const writeFor = (ms: number) =>
      runPhase(onTemporary, { ...steadily, ...pace, happen: async () => void (await sleep(ms)) })
    if (warmUpMs > 0) await writeFor(warmUpMs)
    steady.push(printMessages(await writeFor(steadyMs)))
  }
  const temporary = await suffer(onTemporary)
  const onDurable = await follow(SLOT)
  const durable = await suffer(onDurable)
  if (chosen.includes(IDLE)) say('Writing other tables and databases …')
  const idle = chosen.includes(IDLE)
    ? await measureIdle(onDurable.database, opened.databaseUrl, SLOT, idleMs)
    : undefined
  return {
    database: opened.database,
    server: `${server} ${version}`,
    isQuick: quick,
    rows: ROWS,
    lists: CITIES,
    steady,
    temporary,
    durable,
    ...(idle && { idle }),
    summary: summarise({ steady, temporary, durable, idle }),
  }
}

type Phase = Omit<Awaited<ReturnType<typeof runPhase>>, 'messages'>

/** Prints the messages of the followers, and returns the rest of the result. */
function printMessages({ messages, ...phase }: Awaited<ReturnType<typeof runPhase>>): Phase {
  for (const message of messages) say(`  ${message}`)
  return phase
}

/** Has followers leave changes out, or readers return stale entries, until reads or rows at rest are found stale. */
async function rehearseDefect(opened: OpenedWorld, defect: Defect): Promise<number | undefined> {
  const isOfReaders = defect === 'stale entry'
  // The next follower empties the caches after a temporary slot, or with a new one: nothing of the defect is left.
  const world = await begin(await opened.follow(undefined, isOfReaders ? undefined : defect))
  if (isOfReaders) for (const reader of world.readers) await reader.call('inflict', defect)
  const noticedAfter = await untilNoticed(async () => {
    const happen = async (): Promise<undefined> => void (await sleep(REHEARSED_MS))
    const { lostEvents, stale } = await runPhase(world, { name: defect, ...faulty, happen })
    return lostEvents + stale > 0
  })
  if (isOfReaders) for (const reader of world.readers) await reader.call('mend')
  return noticedAfter
}

/** Resolves when readers store rows. */
async function begin(world: World): Promise<World> {
  for (const reader of world.readers) while ((await reader.call('lacks')).length > 0) await sleep(50)
  return world
}

interface Parts {
  readonly steady: readonly Phase[]
  readonly temporary: readonly Phase[]
  readonly durable: readonly Phase[]
  readonly idle: Idle | undefined
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

const whatOf = ({ name }: Phase): string => allFaults.find((fault) => fault.name === name)!.what

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

export const follow = defineTorture({
  name: 'follow',
  question:
    'How late is a write outside Prisma invalidated, and is any read older than that, under faults as well?',
  packages: ['@prisma/client', 'ioredis', 'pg'],
  full: { warmUpMs: 3_000, steadyMs: 20_000, calmMs: 1_000, idleMs: 60_000 },
  quick: { warmUpMs: 0, steadyMs: 1_500, calmMs: 300, idleMs: 1_500 },
  variants: ['part', [...STEADY, ...allFaults, IDLE] as readonly Part[]],
  workload: measure,
  never: ({ summary }) => ({
    'reads were older than the lag that had been reported': summary.stale,
    'rows and lists are stale at rest': summary.lostEvents,
  }),
  goals: { lagP99Ms: { most: 100 }, takeoverMs: { most: 5_000 } },
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
        ...readColumns,
      },
      {
        text: [
          `${database} and ${server}. Two processes with plain \`pg\` write ${rows} rows in ${lists} lists, two read them through caches with \`follow: 'required'\`, one of them with a memory layer, and one of three followers leads.`,
          'The lag is the time from COMMIT, by the clock of the database, until Valkey has taken the invalidations of a batch; COMMIT is what the writer waits for. PostgreSQL syncs its log to the disk.',
        ],
        chart: { y: 'ms', columns: ['lag p50 ms', 'lag p99 ms', 'COMMIT p50 ms', 'COMMIT p99 ms'] },
      },
    ),
    ...Object.entries({ temporary, durable }).map(([slot, phases]) =>
      table(
        `Faults, with a ${slot} slot`,
        phases,
        {
          fault: whatOf,
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
    `Under faults of followers, PostgreSQL and Valkey, nobody followed for at most ${((summary.takeoverMs ?? 0) / 1_000).toFixed(1)} s; ` +
    `${summary.stale} of ${summary.reads.toLocaleString('en')} reads were older than reported, and ${summary.lostEvents} rows were stale at the end.`,
  headlines: ({ summary }) => ({
    'Rows written outside Prisma, 1,000 a second': `invalidated ${summary.lagP50Ms?.toFixed(1)} ms after COMMIT (p99 ${summary.lagP99Ms?.toFixed(1)} ms); ${summary.stale} of ${summary.reads.toLocaleString('en')} reads were older than the lag that was reported, under faults as well`,
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
