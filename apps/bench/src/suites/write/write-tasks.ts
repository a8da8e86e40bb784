import assert from 'node:assert/strict'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import type pg from 'pg'
import type { CostTask } from './cost-task.ts'
import type { MeasuredRows } from './measured-rows.ts'

const TIMES = 50
export const BETWEEN = 'between SET and UNLINK'
export const BETWEEN_SCRIPTS = 'between the scripts alone'
export const CAPTURED = 'captured, no cache'

const LOCK_MS = 60_000

/**
 * Writes one row, through Prisma and by SQL, with three kinds of invalidation. Beside them is the least that parts of a fenced write
 * take: two commands for whoever says before the write that nobody may store the row, and after it that they may again; the scripts
 * that do so, with the question whether other caches exist, and nothing else of the library; and the capture of a write that concerns
 * no cache.
 *
 * Each task with Prisma has a client of its own, as an extended one can be no other's: a client that others have used as well would
 * find what it needs, here and in the database, in the processor's caches.
 *
 * @param openClient opens a plain client
 */
export function writeTasks(
  rows: MeasuredRows,
  openClient: () => MeasuredRows['prisma'],
  pool: pg.Pool,
): CostTask[] {
  const { askCatalogue, redis, store, writes } = rows
  const updateBy =
    (client: MeasuredRows['prisma']) =>
    (id: string): Promise<unknown> =>
      client.featureFlags.update({ where: { id }, data: { revision: { increment: 1 } } })
  const updateBySql = (id: string): Promise<unknown> =>
    pool.query('UPDATE "FeatureFlags" SET revision = revision + 1, "updatedAt" = now() WHERE id = $1', [id])
  const unlink = (id: string): Promise<unknown> => redis.unlink(rows.keyOf(id))
  const between = async (id: string, write: () => Promise<unknown>): Promise<void> => {
    const [key, lock] = [rows.keyOf(id), `lock:${id}`]
    await redis.set(lock, '', 'PX', LOCK_MS)
    await write()
    void redis.unlink(key, lock)
  }
  let scripts = 0
  const betweenScripts = async (id: string, write: () => Promise<unknown>): Promise<void> => {
    const key = rows.keyOf(id)
    const [keys, token] = [[{ key, guard: `${key}:l` }], `bench.${scripts++}`]
    const announcement = { channel: 'mc:{bench}:written', message: `bench;${scripts};["${id}"]` }
    const fencing = store.fenceMany(keys, token, LOCK_MS, LOCK_MS, announcement)
    const asking = askCatalogue()
    await fencing
    await asking
    await write()
    void store.releaseFences(keys, token, 0, LOCK_MS, announcement)
  }
  const task = (group: string, name: string, write: (id: string) => Promise<unknown>, clears: boolean) =>
    writeTask(rows, group, name, write, clears)
  type Write = (id: string) => Promise<unknown>
  const ofPrisma = (
    name: string,
    around: (update: Write) => Write,
    clears: boolean,
    capturedBy?: ModelCacheWrites,
  ) => {
    const client = openClient()
    const extended = capturedBy ? extendPrisma(client, capturedBy) : client
    return task('write with Prisma', name, around(updateBy(extended)), clears)
  }
  return [
    ofPrisma('bare', (update) => update, false),
    ofPrisma('then UNLINK', (update) => (id) => update(id).then(() => unlink(id)), true),
    ofPrisma(BETWEEN, (update) => (id) => between(id, () => update(id)), true),
    ofPrisma(BETWEEN_SCRIPTS, (update) => (id) => betweenScripts(id, () => update(id)), true),
    ofPrisma(CAPTURED, (update) => update, false, new ModelCacheWrites()),
    ofPrisma('fenced', (update) => update, true, writes),
    task('write with SQL', 'bare', updateBySql, false),
    task('write with SQL', 'then UNLINK', (id) => updateBySql(id).then(() => unlink(id)), true),
    task('write with SQL', BETWEEN, (id) => between(id, () => updateBySql(id)), true),
    task('write with SQL', BETWEEN_SCRIPTS, (id) => betweenScripts(id, () => updateBySql(id)), true),
    task(
      'write with SQL',
      'fenced',
      async (id) => {
        const unit = writes.begin()
        unit.markWritten('FeatureFlags', [{ id }])
        await unit.fence()
        await updateBySql(id)
        // The library does not wait for it either.
        void unit.end()
      },
      true,
    ),
  ]
}

/** @param clears whether the write removes the row from Valkey */
function writeTask(
  { ids, prisma, redis, cache, keyOf }: MeasuredRows,
  group: string,
  name: string,
  write: (id: string) => Promise<unknown>,
  clears: boolean,
): CostTask {
  const written = ids.slice(0, TIMES)
  let next = 0
  const revision = async (id: string): Promise<number> =>
    (await prisma.featureFlags.findUniqueOrThrow({ where: { id } })).revision
  const prepare = async (): Promise<void> => {
    await cache.getMany(written)
    await cache.drain()
  }
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
      assert.equal(await redis.exists(keyOf(id)), clears ? 0 : 1, `${name}: the row in Valkey after`)
      await cache.invalidate(id)
    },
  }
}
