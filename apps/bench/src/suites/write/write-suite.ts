import { Redis } from 'ioredis'
import pg from 'pg'
import type { PrismaClient } from '#prisma/client/client.js'
import { describeValkey, startValkey } from '../../../../../test/support/valkey-server.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians } from '../../harness/rounds.ts'
import { inPercent, table } from '../../harness/section.ts'
import { openPostgres, usageOf } from '../../harness/servers.ts'
import { spread } from '../../harness/statistics.ts'
import { defineSuite, lower, type RunOptions } from '../../harness/suite.ts'
import { watchLoop } from '../../harness/watch-loop.ts'
import { BULK_DELETE, BULK_UPDATE, openBulkTasks, READ, RETURNED } from './bulk-tasks.ts'
import type { CostTask } from './cost-task.ts'
import { EXTENDED, manyGroup, manyTasks, PLAIN } from './many-tasks.ts'
import { openRows } from './measured-rows.ts'
import { BY_SCRIPTS, LOCKED, missTasks } from './miss-tasks.ts'
import { scriptTasks } from './script-tasks.ts'
import { BETWEEN, BETWEEN_SCRIPTS, CAPTURED, writeTasks } from './write-tasks.ts'

const FULL = { rounds: 31, warmUps: 10 }
const QUICK = { rounds: 3, warmUps: 1 }
/** Rows of one createMany. */
const COUNTS = [1_000, 10_000, 50_000]

/** One case of a group as a multiple of the others: `[group, one, others]`. */
const COMPARISONS: readonly (readonly [group: string, name: string, others: readonly string[]])[] = [
  ['write with Prisma', 'fenced', ['bare', 'then UNLINK', BETWEEN, BETWEEN_SCRIPTS]],
  ['write with Prisma', BETWEEN_SCRIPTS, ['then UNLINK']],
  ['write with Prisma', CAPTURED, ['bare']],
  ['write with SQL', 'fenced', ['bare', 'then UNLINK', BETWEEN, BETWEEN_SCRIPTS]],
  ['write with SQL', BETWEEN_SCRIPTS, ['then UNLINK']],
  ['miss of one row', 'with a lease', ['without a lease', 'GET, load, SET', LOCKED, BY_SCRIPTS]],
  ['miss of one row', BY_SCRIPTS, ['GET, load, SET']],
  ['misses of 500 rows at once', 'with a lease', ['without a lease', 'GET, load, SET', LOCKED, BY_SCRIPTS]],
  ['misses of 500 rows at once', BY_SCRIPTS, ['GET, load, SET']],
  [BULK_UPDATE, 'extended', ['plain', RETURNED]],
  [BULK_UPDATE, 'extended, no rows returned', ['plain', READ]],
  [BULK_DELETE, 'extended', ['plain']],
  ...COUNTS.map((count) => [manyGroup(count), EXTENDED, [PLAIN]] as const),
  ['leases of 64 rows', 'one script', ['64 × SET NX GET PX', '64 × SET NX GET PX, pipeline']],
  ['fills of 64 rows', 'one script', ['a script per row', '64 × SET PX', '64 × SET PX, pipeline']],
]
const FOLLOWED = ['fenced', 'with a lease', 'one script']

async function measure({ quick }: RunOptions) {
  const { rounds, warmUps } = quick ? QUICK : FULL
  const [server, postgres] = await Promise.all([startValkey(), openPostgres()])
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 })
  const prisma = postgres.openPrisma()
  const opened: PrismaClient[] = []
  const openClient = (): PrismaClient => {
    const client = postgres.openPrisma()
    opened.push(client)
    return client
  }
  const redis = new Redis(server.port, server.host)
  try {
    const rows = await openRows(prisma, redis, server.url)
    const [payload = ''] = await rows.stored()
    const bulk = await openBulkTasks(postgres.url, rows.store, rows.writes)
    const tasks = [
      ...writeTasks(rows, openClient, pool),
      ...missTasks(rows),
      ...scriptTasks(rows, payload),
      ...bulk.tasks,
      ...manyTasks(rows, openClient, quick ? COUNTS.slice(0, 1) : COUNTS),
    ]
    const name = await describeValkey(server.url)
    say(`${name}: ${tasks.length} tasks, ${rounds} rounds`)
    for (const task of tasks) await task.verify()
    const take = (task: CostTask) => takeSample(task, redis)
    const cases: (ReturnType<typeof medianOf> & Pick<CostTask, 'group' | 'name'>)[] = []
    // Tasks take turns with those that they are compared with. Others would only leave them colder caches of the processor.
    for (const ofGroup of Map.groupBy(tasks, ({ group }) => group).values()) {
      const most = ofGroup[0]!.rounds ?? rounds
      await inRounds(ofGroup, Math.min(warmUps, most), take, { isQuiet: true })
      const samples = await inRounds(ofGroup, Math.min(rounds, most), take, { isQuiet: true })
      for (const task of ofGroup)
        cases.push({ group: task.group, name: task.name, ...medianOf(samples.get(task)!) })
    }
    await bulk.close()
    await rows.close()
    return {
      server: name,
      database: postgres.name,
      rounds,
      bytesPerRow: Buffer.byteLength(payload),
      cases,
      ratios: ratiosOf(cases),
      summary: summarise(cases),
    }
  } finally {
    redis.disconnect()
    await Promise.all([prisma, ...opened].map((client) => client.$disconnect()))
    await pool.end()
    await Promise.all([server.stop(), postgres.close()])
  }
}

function medianOf(samples: readonly Awaited<ReturnType<typeof takeSample>>[]) {
  return {
    ...medians(samples),
    wallSpread: spread(samples.map(({ wallUs }) => wallUs)),
    cpuSpread: spread(samples.map(({ cpuUs }) => cpuUs)),
  }
}

/**
 * Microseconds per call: wall time, processor time of this process, and of Valkey. Milliseconds of the longest turn of the event loop,
 * of tasks for which it counts.
 */
async function takeSample({ times, prepare, run, watchesTurns }: CostTask, server: Redis) {
  await prepare?.()
  collectGarbage()
  const before = await usageOf([server], 'cpuMs')
  const stop = watchesTurns && watchLoop()
  const [wall, cpu] = [performance.now(), cpuTime()]
  for (let i = 0; i < times; i++) await run()
  const [wallMs, cpuMs] = [performance.now() - wall, cpuTime() - cpu]
  const turnMs = stop ? stop().maxMs : 0
  const serverCpuMs = (await usageOf([server], 'cpuMs')).cpuMs - before.cpuMs
  const each = (ms: number): number => (ms * 1_000) / times
  return { wallUs: each(wallMs), cpuUs: each(cpuMs), serverCpuUs: each(serverCpuMs), turnMs }
}

interface Case {
  readonly group: string
  readonly name: string
  readonly wallUs: number
  readonly cpuUs: number
  readonly serverCpuUs: number
  readonly turnMs: number
}

/** What consistency costs, as a multiple of doing without. */
function ratiosOf(cases: readonly Case[]) {
  const find = (group: string, name: string) => cases.find((one) => one.group === group && one.name === name)
  return COMPARISONS.flatMap(([group, name, others]) =>
    others.flatMap((other) => {
      const [one, another] = [find(group, name), find(group, other)]
      if (!one || !another) return []
      return {
        what: `${group}: ${name} / ${other}`,
        wall: one.wallUs / another.wallUs,
        cpu: one.cpuUs / another.cpuUs,
        serverCpu: one.serverCpuUs / another.serverCpuUs,
        turn: one.turnMs > 0 && another.turnMs > 0 ? one.turnMs / another.turnMs : null,
      }
    }),
  )
}

/** The ratios to what an application without fences and leases would do; of bulk updates the highest, and their longest turn. */
function summarise(cases: readonly Case[]) {
  const ratios = ratiosOf(cases)
  const of = (what: string) => ratios.find((ratio) => ratio.what === what)!
  const prisma = of('write with Prisma: fenced / then UNLINK')
  const sql = of('write with SQL: fenced / then UNLINK')
  const miss = of('miss of one row: with a lease / GET, load, SET')
  const misses = of('misses of 500 rows at once: with a lease / GET, load, SET')
  const bulk = ratios.filter(({ what }) => what.startsWith(BULK_UPDATE) && what.endsWith('/ plain'))
  const turns = cases.flatMap(({ group, name, turnMs }) =>
    group === BULK_UPDATE && name.startsWith('extended') ? [turnMs] : [],
  )
  return {
    prismaWall: prisma.wall,
    prismaCpu: prisma.cpu,
    sqlWall: sql.wall,
    sqlCpu: sql.cpu,
    missWall: miss.wall,
    missCpu: miss.cpu,
    missesWall: misses.wall,
    missesCpu: misses.cpu,
    bulkWall: Math.max(...bulk.map(({ wall }) => wall)),
    bulkTurnMs: Math.max(...turns),
  }
}

export const writeSuite = defineSuite({
  packages: ['@prisma/client', 'ioredis', 'pg'],
  measure,
  sections: ({ server, database, rounds, bytesPerRow, cases, ratios }) => [
    {
      title: 'Tasks',
      text: [
        `${server}, ${database}. Rows of ${bytesPerRow} bytes. Microseconds, medians of ${rounds} interleaved rounds. A miss ends when the row is stored.`,
      ],
    },
    ...Array.from(
      Map.groupBy(cases, ({ group }) => group),
      ([group, ofGroup]) =>
        table(
          group,
          ofGroup,
          {
            '': 'name',
            'wall µs': 'wallUs',
            '± wall': inPercent(({ wallSpread }) => wallSpread),
            'client CPU µs': 'cpuUs',
            '± CPU': inPercent(({ cpuSpread }) => cpuSpread),
            'Valkey CPU µs': 'serverCpuUs',
            ...(ofGroup.some(({ turnMs }) => turnMs > 0) && { 'longest turn ms': 'turnMs' as const }),
          },
          { chart: { y: 'µs', columns: ['wall µs', 'client CPU µs', 'Valkey CPU µs'] } },
        ),
    ),
    table('Cost of consistency as a multiple of doing without', ratios, {
      '': 'what',
      wall: 'wall',
      'client CPU': 'cpu',
      'Valkey CPU': 'serverCpu',
      'longest turn': 'turn',
    }),
  ],
  conclusion({ ratios }) {
    const of = (what: string) => ratios.find((ratio) => ratio.what === what)!
    const write = of('write with Prisma: fenced / bare')
    const miss = of('miss of one row: with a lease / GET, load, SET')
    return (
      `A fenced write with Prisma takes ${write.wall.toFixed(1)} times the wall time and ${write.cpu.toFixed(1)} times the ` +
      `processor time of one that invalidates nothing; a miss with a lease ${miss.wall.toFixed(1)} times the wall time of a bare GET, load and SET.`
    )
  },
  headlines({ cases }) {
    const of = (name: string) => cases.find((one) => one.group === 'write with Prisma' && one.name === name)!
    const us = (value: number): string => `${Math.round(value).toLocaleString('en')} µs`
    const [fenced, bare] = ['fenced', 'bare'].map(
      (name) => `${us(of(name).wallUs)} and ${us(of(name).cpuUs)} of CPU`,
    )
    return { 'A fenced write with Prisma': `${fenced}, without any invalidation ${bare}` }
  },
  figures: ({ cases }) =>
    Object.fromEntries(
      cases
        .filter(({ name }) => FOLLOWED.includes(name))
        .flatMap(({ group, name, cpuUs, serverCpuUs }) => [
          [`${group}, ${name}: CPU`, lower(cpuUs, 'µs')],
          [`${group}, ${name}: CPU of Valkey`, lower(serverCpuUs, 'µs')],
        ]),
    ),
})
