import type { Redis } from 'ioredis'
import pg from 'pg'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Run } from '../../harness/comparison.ts'
import { costsOf } from '../../harness/costs.ts'
import { intervalsOf } from '../../harness/interval.ts'
import { say } from '../../harness/progress.ts'
import { rounded } from '../../harness/rounds.ts'
import { openPostgres, openSingle } from '../../harness/servers.ts'
import {
  BULK_DELETE,
  BULK_UPDATE,
  EXTENDED,
  manyGroup,
  manyTasks,
  openBulkTasks,
  PLAIN,
  RETURNED,
} from './bulk-tasks.ts'
import { openRows, type CostTask } from './measured-rows.ts'
import { openResultTasks, RESULTS, ROWS_ALONE, WITH_RESULTS, WITH_SCOPES } from './result-tasks.ts'
import { BY_SCRIPTS, LOCKED, missTasks } from './miss-tasks.ts'
import { scriptTasks } from './script-tasks.ts'
import { BETWEEN, BETWEEN_SCRIPTS, CAPTURED, writeTasks } from './write-tasks.ts'

type Effort = Parameters<typeof costsOf>[1]

/** Rows of one createMany. */
const COUNTS = [1_000, 10_000, 50_000]

/** One case of a group as a multiple of the others: `[group, one, others]`. */
const COMPARISONS: readonly (readonly [group: string, name: string, others: readonly string[]])[] = [
  ['write with Prisma', 'fenced', ['bare', 'then UNLINK', BETWEEN, BETWEEN_SCRIPTS]],
  ['write with Prisma', BETWEEN_SCRIPTS, ['then UNLINK']],
  ['write with Prisma', CAPTURED, ['bare']],
  [RESULTS, WITH_RESULTS, [ROWS_ALONE]],
  [RESULTS, WITH_SCOPES, [ROWS_ALONE]],
  ['write with SQL', 'fenced', ['bare', 'then UNLINK', BETWEEN, BETWEEN_SCRIPTS]],
  ['write with SQL', BETWEEN_SCRIPTS, ['then UNLINK']],
  ['miss of one row', 'with a lease', ['without a lease', 'GET, load, SET', LOCKED, BY_SCRIPTS]],
  ['miss of one row', BY_SCRIPTS, ['GET, load, SET']],
  ['misses of 500 rows at once', 'with a lease', ['without a lease', 'GET, load, SET', LOCKED, BY_SCRIPTS]],
  ['misses of 500 rows at once', BY_SCRIPTS, ['GET, load, SET']],
  [BULK_UPDATE, 'extended', ['plain', RETURNED]],
  [BULK_DELETE, 'extended', ['plain']],
  ...COUNTS.map((count) => [manyGroup(count), EXTENDED, [PLAIN]] as const),
  ['leases of 64 rows', 'one script', ['64 × SET NX GET PX', '64 × SET NX GET PX, pipeline']],
  ['fills of 64 rows', 'one script', ['a script per row', '64 × SET PX', '64 × SET PX, pipeline']],
]

export async function measure({ use, quick, effort: { rounds, warmUps = 0 } }: Run<Effort>) {
  const [{ admins, describe, url }, postgres] = await Promise.all([use(openSingle()), use(openPostgres())])
  const [redis] = admins as [Redis]
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 })
  await use({ close: () => pool.end() })
  const openClient = (): PrismaClient => {
    const client = postgres.openPrisma()
    void use({ close: () => client.$disconnect() })
    return client
  }
  const rows = await use(openRows(openClient, redis, url))
  const [payload = ''] = await rows.stored()
  const bulk = await use(openBulkTasks(postgres.url, rows))
  const kept = await use(openResultTasks(rows))
  const tasks = [
    ...writeTasks(rows, pool),
    ...kept.tasks,
    ...missTasks(rows),
    ...scriptTasks(rows, payload),
    ...bulk.tasks,
    ...manyTasks(rows, quick ? COUNTS.slice(0, 1) : COUNTS),
  ]
  const server = await describe()
  say(`${server}: ${tasks.length} tasks, ${rounds} rounds`)
  for (const task of tasks) await task.verify()
  const measured: Measured[] = []
  // Tasks take turns with those that they are compared with. Others would only leave them colder caches of the processor.
  for (const ofGroup of Map.groupBy(tasks, ({ group }) => group).values()) {
    const most = ofGroup[0]!.rounds ?? rounds
    const effort = { rounds: Math.min(rounds, most), warmUps: Math.min(warmUps, most) }
    measured.push(...(await measureGroup(ofGroup, admins, effort)))
  }
  const cases: Case[] = measured.map(({ taken: _taken, ...one }) => one)
  const ratios = ratiosOf(cases)
  return {
    server,
    database: postgres.name,
    rounds,
    bytesPerRow: Buffer.byteLength(payload),
    cases,
    ratios,
    summary: summarise(cases, ratios),
    intervals: intervalsOf(roundsOf(measured)),
  }
}

type Measured = Awaited<ReturnType<typeof measureGroup>>[number]
type Case = Omit<Measured, 'taken'>

async function measureGroup(tasks: readonly CostTask[], servers: readonly Redis[], effort: Effort) {
  const us = (ms: number): number => rounded(1_000 * ms)
  const costs = await costsOf(
    tasks.map((task) => ({ ...task, servers })),
    effort,
  )
  return costs.map(
    ({ work: { group, name }, wallMs, cpuMs, serverCpuMs, turnMs, wallSpread, cpuSpread, taken }) => ({
      group,
      name,
      wallUs: us(wallMs),
      cpuUs: us(cpuMs),
      serverCpuUs: us(serverCpuMs),
      turnMs,
      wallSpread,
      cpuSpread,
      taken,
    }),
  )
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

/** What an application without fences and leases would do, by the name in `summary`. */
const SUMMARY = {
  prisma: 'write with Prisma: fenced / then UNLINK',
  sql: 'write with SQL: fenced / then UNLINK',
  miss: 'miss of one row: with a lease / GET, load, SET',
  misses: 'misses of 500 rows at once: with a lease / GET, load, SET',
}

/** Both parts of each ratio of {@link SUMMARY}, by round. */
function roundsOf(measured: readonly Measured[]): Parameters<typeof intervalsOf>[0] {
  return Object.fromEntries(
    Object.entries(SUMMARY).flatMap(([name, sought]) => {
      const [group = '', names = ''] = sought.split(': ')
      const parts = names
        .split(' / ')
        .map((one) => measured.find((each) => each.group === group && each.name === one)!.taken)
      const of = (figure: 'wallMs' | 'cpuMs') =>
        parts.map((taken) => taken.map((round) => round[figure])) as [number[], number[]]
      return [
        [`${name}Wall`, of('wallMs')],
        [`${name}Cpu`, of('cpuMs')],
      ]
    }),
  )
}

/** Of bulk updates the highest ratio, and their longest turn. */
function summarise(cases: readonly Case[], ratios: ReturnType<typeof ratiosOf>): Record<string, number> {
  const bulk = ratios.filter(({ what }) => what.startsWith(BULK_UPDATE) && what.endsWith('/ plain'))
  const updates = cases.filter(({ group, name }) => group === BULK_UPDATE && name === 'extended')
  return {
    ...Object.fromEntries(
      Object.entries(SUMMARY).flatMap(([name, sought]) => {
        const { wall, cpu } = ratios.find(({ what }) => what === sought)!
        return [
          [`${name}Wall`, wall],
          [`${name}Cpu`, cpu],
        ]
      }),
    ),
    bulkWall: Math.max(...bulk.map(({ wall }) => wall)),
    bulkTurnMs: Math.max(...updates.map(({ turnMs }) => turnMs)),
  }
}
