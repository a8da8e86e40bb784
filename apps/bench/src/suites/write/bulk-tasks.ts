import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type } from 'arktype'
import { extendPrisma, modelCaches } from 'model-cache'
import { createModelCache, createPrismaSource } from 'model-cache/advanced'
import { PrismaClient } from '../../../../../test/integration/differential/reads/client/client.ts'
import { createPostgresDatabase } from '../../../../../test/support/postgres-server.ts'
import type { CostTask, MeasuredRows } from './measured-rows.ts'

export const BULK_UPDATE = 'update of 995 rows by compound keys'
export const RETURNED = 'plain, rows returned'
export const BULK_DELETE = 'delete of 995 rows by compound keys'

const TABLES = join(import.meta.dirname, '../../../../../test/integration/differential/reads/tables.sql')
/** No two rows share a value, so that no condition matches several of them by one list. */
const SEATS = Array.from({ length: 995 }, (_, n) => ({
  hall: `hall ${n}`,
  row: BigInt(n),
  place: n,
  price: 1,
}))

/** Writes of many rows whose keys have several fields, through a plain client and extended ones, in a database of their own. */
export async function openBulkTasks(url: string, { store, writes }: MeasuredRows) {
  const database = await createPostgresDatabase(url)
  await database.run(readFileSync(TABLES, 'utf8'))
  const open = () => new PrismaClient({ adapter: database.adapter(2) })
  const [plain, extended] = [open(), open()]
  const idFields = ['hall', 'row', 'place'] as const
  // Writes announce the ids of whatever rows a cache has.
  const schema = type({ hall: 'string', row: 'bigint', place: 'number' })
  type Seat = typeof schema.infer
  const model = 'Seat'
  const definition = modelCaches().defineModelCache<Seat>()({ model, schema, id: idFields, ttl: '1h' })
  const source = createPrismaSource<Seat, Seat>(plain, { name: model, model, idFields })
  const cache = createModelCache(definition, { store, source, writes })
  const clients = { plain, extended: extendPrisma(extended, writes) }
  const reset = async (): Promise<void> => {
    await database.run('TRUNCATE archive.seats')
    await plain.seat.createMany({ data: SEATS })
  }
  const where = { row: { gte: 0n } }
  const remove = (client: PrismaClient) => client.seat.deleteMany({ where })
  const select = { hall: true, row: true, place: true } as const
  const data = { price: { increment: 1 } }
  const update = (client: PrismaClient) => client.seat.updateMany({ where, data })
  /** What it takes to learn the keys of the rows that an update writes, without doing anything with them. */
  const returning = async () => ({
    count: (await plain.seat.updateManyAndReturn({ where, data, select })).length,
  })
  const task = (group: string, name: string, run: () => Promise<{ count: number }>): CostTask => ({
    group,
    name,
    times: 1,
    watchesTurns: true,
    prepare: reset,
    run,
    async verify() {
      await reset()
      assert.deepEqual(await run(), { count: SEATS.length })
      const written = await plain.seat.count({ where: { price: 2 } })
      assert.equal(written, group === BULK_UPDATE ? SEATS.length : 0, `${group}, ${name}`)
    },
  })
  return {
    tasks: [
      ...Object.entries(clients).flatMap(([name, client]) => [
        task(BULK_UPDATE, name, () => update(client)),
        task(BULK_DELETE, name, () => remove(client)),
      ]),
      task(BULK_UPDATE, RETURNED, returning),
    ],
    async close() {
      await cache.close()
      await Promise.all([plain, extended].map((client) => client.$disconnect()))
      await database.drop()
    },
  }
}

export const PLAIN = 'plain'
export const EXTENDED = 'extended'
export const manyGroup = (count: number): string =>
  `createMany of ${count.toLocaleString('en')} rows with ids`

/** Creations of many rows that a cache could hold, through a plain client and an extended one. */
export function manyTasks({ cache, openClient, prisma, writes }: MeasuredRows, counts: readonly number[]) {
  const clients = { [PLAIN]: openClient(), [EXTENDED]: extendPrisma(openClient(), writes) }
  const prepare = async (): Promise<void> =>
    void (await prisma.featureFlags.deleteMany({ where: { id: { startsWith: 'many-' } } }))
  return counts.flatMap((count) => {
    const data = Array.from({ length: count }, (_, i) => ({ id: `many-${i}`, revision: 1, flags: {} }))
    const { id } = data.at(-1)!
    return Object.entries(clients).map(([name, client]): CostTask => {
      const run = () => client.featureFlags.createMany({ data })
      return {
        group: manyGroup(count),
        name,
        times: 1,
        // Each takes Prisma seconds.
        ...(count > 10_000 && { rounds: 7 }),
        watchesTurns: true,
        prepare,
        run,
        async verify() {
          await prepare()
          assert.equal(await cache.get(id), null)
          assert.deepEqual(await run(), { count })
          if (name === EXTENDED) assert.ok(await cache.get(id), `${name}: a reader finds the last row`)
          await prepare()
          await cache.invalidate(id)
        },
      }
    })
  })
}
