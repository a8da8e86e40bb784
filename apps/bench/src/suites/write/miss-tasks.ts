import assert from 'node:assert/strict'
import type { ReadThroughCache } from 'model-cache/advanced'
import { compileCodec } from 'model-cache/codec'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { CostTask, MeasuredRows } from './measured-rows.ts'

const TTL_MS = 3_600_000
const LOCK_MS = 10_000
export const LOCKED = 'GET, SET NX, load, SET'
export const BY_SCRIPTS = 'GET, lease, load, fill'

type Read = (ids: readonly string[]) => Promise<readonly FeatureFlags[]>

/** Reads rows that Valkey lacks until they are stored: one at a time, and 500 at once. */
export function missTasks({
  cache,
  empty,
  ids,
  keyOf,
  prisma,
  redis,
  schema,
  store,
  stored,
  unleased,
}: MeasuredRows) {
  const codec = compileCodec(schema, { name: 'FeatureFlags' })
  const load: Read = (wanted) => prisma.featureFlags.findMany({ where: { id: { in: [...wanted] } } })
  const readThrough =
    (through: ReadThroughCache<FeatureFlags, string>): Read =>
    async (wanted) => {
      const found = await through.getMany(wanted)
      await through.drain()
      return found.filter((row) => row !== null)
    }
  /** @param isLocked whether only the first of several processes loads a row: the least that a lease takes */
  const readBare =
    (isLocked: boolean): Read =>
    async (wanted) => {
      const keys = wanted.map(keyOf)
      const texts = await redis.mget(keys)
      assert.ok(texts.every((text) => text === null))
      if (isLocked) {
        const locks = redis.pipeline()
        for (const key of keys) locks.set(`lock:${key}`, '', 'PX', LOCK_MS, 'NX')
        const taken = await locks.exec()
        assert.ok(taken!.every(([, reply]) => reply === 'OK'))
      }
      const loaded = await load(wanted)
      const pipeline = redis.pipeline()
      for (const row of loaded) {
        const key = keyOf(row.id)
        pipeline.set(key, codec.encode(row), 'PX', TTL_MS)
        if (isLocked) pipeline.del(`lock:${key}`)
      }
      await pipeline.exec()
      return loaded
    }
  let leases = 0
  /** The scripts of the library, and nothing else of it. */
  const readByScripts: Read = async (wanted) => {
    const keys = wanted.map((id) => ({ key: keyOf(id), guard: `${keyOf(id)}:l` }))
    const values = await store.getMany(keys.map(({ key }) => key))
    assert.ok(values.every((value) => value === null))
    const request = { token: `bench.${leases++}`, leaseMs: LOCK_MS, onlyAbsent: true, onlyUnmarked: false }
    const granted = await store.leaseMany(keys, request)
    const loaded = await load(wanted)
    const places = new Map(wanted.map((id, place) => [id, place]))
    const fills = loaded.map((row) => {
      const place = places.get(row.id)!
      return { ...keys[place]!, token: granted[place]!.token!, value: codec.encode(row), ttlMs: TTL_MS }
    })
    assert.ok((await store.fillMany(fills)).every(Boolean))
    return loaded
  }
  const reads: readonly (readonly [name: string, read: Read])[] = [
    ['with a lease', readThrough(cache)],
    ['without a lease', readThrough(unleased)],
    ['GET, load, SET', readBare(false)],
    [LOCKED, readBare(true)],
    [BY_SCRIPTS, readByScripts],
  ]
  const inOrder = (rows: readonly FeatureFlags[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return [1, ids.length].flatMap((count) =>
    reads.map(([name, read]): CostTask => {
      let next = 0
      return {
        group: count === 1 ? 'miss of one row' : `misses of ${count} rows at once`,
        name,
        times: Math.min(50, ids.length / count),
        async prepare() {
          next = 0
          await empty()
        },
        run: () => read(ids.slice(next, (next += count))),
        async verify() {
          await empty()
          const wanted = ids.slice(0, count)
          const found = await read(wanted)
          assert.deepEqual(inOrder(found), inOrder(await load(wanted)), `${name}: rows as in the database`)
          assert.equal((await stored()).length, count, `${name}: all rows are stored`)
        },
      }
    }),
  )
}
