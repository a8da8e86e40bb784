import assert from 'node:assert/strict'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import type pg from 'pg'
import type { CostTask, MeasuredRows } from './measured-rows.ts'

const TIMES = 50
export const BETWEEN = 'between SET and UNLINK'
export const BETWEEN_SCRIPTS = 'between the scripts alone'
export const CAPTURED = 'captured, no cache'

const LOCK_MS = 60_000

type Write = (id: string) => Promise<unknown>

/**
 * Writes one row, through Prisma and by SQL, with three kinds of invalidation. Beside them is the least that parts of a fenced write
 * take: two commands for whoever says before the write that nobody may store the row, and after it that they may again; the scripts
 * that do so, with the question whether other caches exist, and nothing else of the library; and the capture of a write that concerns
 * no cache.
 *
 * Each task with Prisma has a client of its own, as an extended one can be no other's: a client that others have used as well would
 * find what it needs, here and in the database, in the processor's caches.
 */
export function writeTasks(rows: MeasuredRows, pool: pg.Pool): CostTask[] {
  const { askCatalogue, cache, ids, keyOf, openClient, prisma, redis, store, writes } = rows
  const written = ids.slice(0, TIMES)
  const revision = async (id: string): Promise<number> =>
    (await prisma.featureFlags.findUniqueOrThrow({ where: { id } })).revision
  const prepare = async (): Promise<void> => {
    await cache.getMany(written)
    await cache.drain()
  }
  const task = (group: string, name: string, write: Write): CostTask => {
    let next = 0
    return {
      group,
      name,
      times: TIMES,
      prepare,
      run: () => write(written[next++ % TIMES]!),
      async verify() {
        await prepare()
        const id = written[0]!
        const before = await revision(id)
        assert.equal(await redis.exists(keyOf(id)), 1, `${name}: the row is stored before`)
        await write(id)
        assert.equal(await revision(id), before + 1, `${name}: the row is written once`)
        const isLeft = name === 'bare' || name === CAPTURED
        assert.equal(await redis.exists(keyOf(id)), isLeft ? 1 : 0, `${name}: the row in Valkey after`)
        await cache.invalidate(id)
      },
    }
  }
  const thenUnlink = (write: Write) => async (id: string) => {
    await write(id)
    await redis.unlink(keyOf(id))
  }
  const between = (write: Write) => async (id: string) => {
    const [key, lock] = [keyOf(id), `lock:${id}`]
    await redis.set(lock, '', 'PX', LOCK_MS)
    await write(id)
    void redis.unlink(key, lock)
  }
  let scripts = 0
  const betweenScripts = (write: Write) => async (id: string) => {
    const key = keyOf(id)
    const [keys, token] = [[{ key, guard: `${key}:l` }], `bench.${scripts++}`]
    const announcement = { channel: 'mc:{bench}:written', message: `bench;${scripts};["${id}"]` }
    const fencing = store.fenceMany(keys, { token, fenceMs: LOCK_MS, markMs: LOCK_MS, announcement })
    const asking = askCatalogue()
    await fencing
    await asking
    await write(id)
    void store.releaseFences(keys, { token, holdMs: 0, markMs: LOCK_MS, announcement })
  }
  const updateBy =
    (client: MeasuredRows['prisma']): Write =>
    (id) =>
      client.featureFlags.update({ where: { id }, data: { revision: { increment: 1 } } })
  const updateBySql: Write = (id) =>
    pool.query('UPDATE "FeatureFlags" SET revision = revision + 1, "updatedAt" = now() WHERE id = $1', [id])
  const fencedSql: Write = async (id) => {
    const unit = writes.begin()
    unit.markWritten('FeatureFlags', [{ id }])
    await unit.fence()
    await updateBySql(id)
    // The library does not wait for it either.
    void unit.end()
  }
  const ways = (group: string, open: () => Write): CostTask[] => [
    task(group, 'bare', open()),
    task(group, 'then UNLINK', thenUnlink(open())),
    task(group, BETWEEN, between(open())),
    task(group, BETWEEN_SCRIPTS, betweenScripts(open())),
  ]
  const captured = extendPrisma(openClient(), new ModelCacheWrites())
  return [
    ...ways('write with Prisma', () => updateBy(openClient())),
    task('write with Prisma', CAPTURED, updateBy(captured)),
    task('write with Prisma', 'fenced', updateBy(extendPrisma(openClient(), writes))),
    ...ways('write with SQL', () => updateBySql),
    task('write with SQL', 'fenced', fencedSql),
  ]
}
