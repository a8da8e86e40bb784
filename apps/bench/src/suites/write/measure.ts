import type { Redis } from 'ioredis'
import pg from 'pg'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Run } from '../../harness/comparison.ts'
import { costsOf } from '../../harness/costs.ts'
import { say } from '../../harness/progress.ts'
import { rounded } from '../../harness/rounds.ts'
import { openPostgres, openSingle } from '../../harness/servers.ts'
import { BULK_DELETE, BULK_UPDATE, openBulkTasks, READ, RETURNED } from './bulk-tasks.ts'
import { EXTENDED, manyGroup, manyTasks, PLAIN } from './many-tasks.ts'
import { openRows } from './measured-rows.ts'
import { BY_SCRIPTS, LOCKED, missTasks } from './miss-tasks.ts'
import { scriptTasks } from './script-tasks.ts'
import { BETWEEN, BETWEEN_SCRIPTS, CAPTURED, writeTasks } from './write-tasks.ts'

export interface Effort {
  readonly rounds: number
  readonly warmUps: number
}

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

export async function measure({ use, quick, effort: { rounds, warmUps } }: Run<Effort>) {
  const [{ admins, describe, url }, postgres] = await Promise.all([use(openSingle()), use(openPostgres())])
  const [redis] = admins as [Redis]
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 })
  await use({ close: () => pool.end() })
  const openClient = (): PrismaClient => {
    const client = postgres.openPrisma()
    void use({ close: () => client.$disconnect() })
    return client
  }
  const rows = await use(openRows(openClient(), redis, url))
  const [payload = ''] = await rows.stored()
  const bulk = await use(openBulkTasks(postgres.url, rows.store, rows.writes))
  const tasks = [
    ...writeTasks(rows, openClient, pool),
    ...missTasks(rows),
    ...scriptTasks(rows, payload),
    ...bulk.tasks,
    ...manyTasks(rows, openClient, quick ? COUNTS.slice(0, 1) : COUNTS),
  ]
  const server = await describe()
  say(`${server}: ${tasks.length} tasks, ${rounds} rounds`)
  for (const task of tasks) await task.verify()
  const cases = []
  // Tasks take turns with those that they are compared with. Others would only leave them colder caches of the processor.
  for (const ofGroup of Map.groupBy(tasks, ({ group }) => group).values()) {
    const most = ofGroup[0]!.rounds ?? rounds
    const effort = { rounds: Math.min(rounds, most), warmUps: Math.min(warmUps, most) }
    const works = ofGroup.map((task) => ({ ...task, servers: admins }))
    for (const { work, turnMs, wallSpread, cpuSpread, ...cost } of await costsOf(works, effort)) {
      const { group, name } = work
      const us = (ms: number): number => rounded(1_000 * ms)
      const costs = { wallUs: us(cost.wallMs), cpuUs: us(cost.cpuMs), serverCpuUs: us(cost.serverCpuMs) }
      cases.push({ group, name, ...costs, turnMs, wallSpread, cpuSpread })
    }
  }
  return {
    server,
    database: postgres.name,
    rounds,
    bytesPerRow: Buffer.byteLength(payload),
    cases,
    ratios: ratiosOf(cases),
    summary: summarise(cases),
  }
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
