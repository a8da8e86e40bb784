import assert from 'node:assert/strict'
import { compileCodec } from 'model-cache/codec'
import type { ReadThroughCache } from 'model-cache/advanced'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { CostTask } from './cost-task.ts'
import type { MeasuredRows } from './measured-rows.ts'

const TTL_MS = 3_600_000
const LOCK_MS = 10_000
export const LOCKED = 'GET, SET NX, load, SET'
export const BY_SCRIPTS = 'GET, lease, load, fill'

/** Reads rows that Valkey lacks until they are stored: one at a time, and 500 at once. */
export function missTasks(rows: MeasuredRows): CostTask[] {
  const { cache, ids, prisma, redis, schema, store, unleased } = rows
  const codec = compileCodec(schema, { name: 'FeatureFlags' })
  const readThrough = async (
    through: ReadThroughCache<FeatureFlags, string>,
    wanted: readonly string[],
  ): Promise<unknown[]> => {
    const found = await through.getMany(wanted)
    await through.drain()
    return found
  }
  /** @param isLocked whether only the first of several processes loads a row: the least that a lease takes */
  const readBare = async (wanted: readonly string[], isLocked: boolean): Promise<unknown[]> => {
    const keys = wanted.map(rows.keyOf)
    const texts = await redis.mget(keys)
    assert.ok(texts.every((text) => text === null))
    if (isLocked) {
      const locks = redis.pipeline()
      for (const key of keys) locks.set(`lock:${key}`, '', 'PX', LOCK_MS, 'NX')
      const taken = await locks.exec()
      assert.ok(taken!.every(([, reply]) => reply === 'OK'))
    }
    const loaded = await prisma.featureFlags.findMany({ where: { id: { in: [...wanted] } } })
    const pipeline = redis.pipeline()
    for (const row of loaded) {
      const key = rows.keyOf(row.id)
      pipeline.set(key, codec.encode(row), 'PX', TTL_MS)
      if (isLocked) pipeline.del(`lock:${key}`)
    }
    await pipeline.exec()
    return loaded
  }
  /** The scripts of the library, and nothing else of it. */
  const readByScripts = async (wanted: readonly string[]): Promise<unknown[]> => {
    const keys = wanted.map((id) => ({ key: rows.keyOf(id), guard: `${rows.keyOf(id)}:l` }))
    const values = await store.getMany(keys.map(({ key }) => key))
    assert.ok(values.every((value) => value === null))
    const request = { token: `bench.${leases++}`, leaseMs: LOCK_MS, onlyAbsent: true, onlyUnmarked: false }
    const granted = await store.leaseMany(keys, request)
    const loaded = await prisma.featureFlags.findMany({ where: { id: { in: [...wanted] } } })
    const places = new Map(wanted.map((id, place) => [id, place]))
    const fills = loaded.map((row) => {
      const place = places.get(row.id)!
      return { ...keys[place]!, token: granted[place]!.token!, value: codec.encode(row), ttlMs: TTL_MS }
    })
    assert.ok((await store.fillMany(fills)).every(Boolean))
    return loaded
  }
  let leases = 0
  return [1, ids.length].flatMap((count) => [
    missTask(rows, count, 'with a lease', (wanted) => readThrough(cache, wanted)),
    missTask(rows, count, 'without a lease', (wanted) => readThrough(unleased, wanted)),
    missTask(rows, count, 'GET, load, SET', (wanted) => readBare(wanted, false)),
    missTask(rows, count, LOCKED, (wanted) => readBare(wanted, true)),
    missTask(rows, count, BY_SCRIPTS, readByScripts),
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
