import assert from 'node:assert/strict'
import { compileCodec } from 'model-cache/codec'
import type { ReadThroughCache } from 'model-cache/advanced'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { CostTask } from './cost-task.ts'
import type { MeasuredRows } from './measured-rows.ts'

const TTL_MS = 3_600_000

/** Reads rows that Valkey lacks until they are stored: one at a time, and 500 at once. */
export function missTasks(rows: MeasuredRows): CostTask[] {
  const { cache, ids, prisma, redis, schema, unleased } = rows
  const codec = compileCodec(schema, { name: 'FeatureFlags' })
  const readThrough = async (
    through: ReadThroughCache<FeatureFlags, string>,
    wanted: readonly string[],
  ): Promise<unknown[]> => {
    const found = await through.getMany(wanted)
    await through.drain()
    return found
  }
  const readBare = async (wanted: readonly string[]): Promise<unknown[]> => {
    const keys = wanted.map(rows.keyOf)
    const texts = await redis.mget(keys)
    assert.ok(texts.every((text) => text === null))
    const loaded = await prisma.featureFlags.findMany({ where: { id: { in: [...wanted] } } })
    const pipeline = redis.pipeline()
    loaded.forEach((row) => pipeline.set(rows.keyOf(row.id), codec.encode(row), 'PX', TTL_MS))
    await pipeline.exec()
    return loaded
  }
  return [1, ids.length].flatMap((count) => [
    missTask(rows, count, 'with a lease', (wanted) => readThrough(cache, wanted)),
    missTask(rows, count, 'without a lease', (wanted) => readThrough(unleased, wanted)),
    missTask(rows, count, 'GET, load, SET', readBare),
  ])
}

function missTask(
  { empty, ids, prisma, stored }: MeasuredRows,
  count: number,
  name: string,
  read: (ids: readonly string[]) => Promise<unknown[]>,
): CostTask {
  const times = Math.min(50, ids.length / count)
  let next = 0
  return {
    group: count === 1 ? 'miss of one row' : `misses of ${count} rows at once`,
    name,
    times,
    async prepare() {
      next = 0
      await empty()
    },
    run: () => read(ids.slice(next, (next += count))),
    async verify() {
      await empty()
      const wanted = ids.slice(0, count)
      const found = await read(wanted)
      const truth = await prisma.featureFlags.findMany({ where: { id: { in: wanted } } })
      const byId = (a: unknown, b: unknown): number =>
        (a as FeatureFlags).id < (b as FeatureFlags).id ? -1 : 1
      assert.deepEqual(found.toSorted(byId), truth.toSorted(byId), `${name}: rows as in the database`)
      assert.equal((await stored()).length, count, `${name}: all rows are stored`)
    },
  }
}
