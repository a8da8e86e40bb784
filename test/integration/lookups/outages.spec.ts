import { createLoadPermits, type Store } from 'model-cache/advanced'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { startServerProxy, type ServerProxy } from '../../support/server-proxy.js'
import { withMethods } from '../consistency/sabotage.js'
import { type LookupWorld, type PodOptions, useLookupWorlds } from './lookup-pods.js'
import { definePosts, HeldQueries, holdRows, idsOf, listStored, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

const insert = (sql: LookupWorld['sql']) =>
  sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`)
const entering = { entered: [{ authorId: 2, slug: 'p0' }] }

/** A pod whose connection to Valkey can be interrupted. */
async function openPatient(world: LookupWorld, options: PodOptions = {}) {
  const proxy: ServerProxy = await startServerProxy(world.valkey.port)
  const pod = await world.openPod({ posts }, { ...options, url: `valkey://127.0.0.1:${proxy.port}` })
  const end = async (): Promise<void> => {
    await pod.close()
    await proxy.stop()
  }
  return { pod, proxy, end }
}

/** Has the store refuse the writes of a pod on request, though not what it loads. */
function newRefusal() {
  const refusal = {
    isRefusing: false,
    wrap: (store: Store): Store => {
      const refusing =
        <Args extends readonly unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
        async (...args: Args): Promise<Answer> => {
          if (refusal.isRefusing) throw new Error('no writes')
          return method(...args)
        }
      return withMethods(store, {
        fenceMany: refusing((...args) => store.fenceMany(...args)),
        releaseFences: refusing((...args) => store.releaseFences(...args)),
        change: refusing((...args) => store.change(...args)),
      })
    },
  }
  return refusal
}

describe('without Valkey, lookups', () => {
  it('are answered by the database: the keys of a tick by one query, with their rows', async () => {
    const world = await newWorld()
    const { end, pod, proxy } = await openPatient(world)
    await listStored(pod, 2)
    await proxy.refuse()
    await insert(world.sql)
    for (const expected of [9n, 9n]) {
      pod.statements()
      const lists = await Promise.all([2, 3, 2, 7].map((key) => pod.caches.posts.list('ofAuthor', key)))
      expect(lists.map(idsOf)).toEqual([[expected, 1n, 6n], [2n, 7n], [expected, 1n, 6n], []])
      expect(await pod.caches.posts.getBy('address', { authorId: 7, slug: 'p0' })).toBeNull()
      await pod.caches.posts.drain()
      expect(pod.statements()).toHaveLength(2)
    }
    await end()
  })
})

describe('without Valkey, while the database is busy,', () => {
  it('the reads of a key in several ticks are one load', async () => {
    const world = await newWorld()
    const queries = new HeldQueries()
    const { end, pod, proxy } = await openPatient(world, {
      loads: createLoadPermits(1),
      wrapSource: queries.wrapSource,
    })
    await proxy.refuse()
    const query = queries.hold()
    const other = pod.caches.posts.list('ofAuthor', 3)
    await query.reached
    const lists: ReturnType<typeof listStored>[] = []
    for (let missed = 2; missed <= 4; missed++) {
      lists.push(pod.caches.posts.list('ofAuthor', 2))
      await eventuallyEqual(() => pod.counts.get('Post.ofAuthor misses store_error'), missed)
    }
    query.open()
    expect(idsOf(await other)).toEqual([2n, 7n])
    for (const list of await Promise.all(lists)) expect(idsOf(list)).toEqual([1n, 6n])
    expect(pod.counts.get('Post.ofAuthor reads source hit')).toBe(2)
    expect(pod.statements()).toHaveLength(2)
    await end()
  })
})

describe('while an invalidation has not reached Valkey,', () => {
  it.each([
    ['the entry of a key', entering],
    ['all entries', { isCreating: true }],
  ])('%s that it concerns are read from the database, and not stored', async (_, affected) => {
    const world = await newWorld()
    const { end, pod, proxy } = await openPatient(world)
    await listStored(pod, 2)
    await proxy.refuse()
    await write(pod, affected, () => insert(world.sql))
    expect((await listStored(pod, 2)).length).toBe(3)
    await proxy.accept()
    await eventually(async () => {
      expect(idsOf(await listStored(pod, 2))).toEqual([9n, 1n, 6n])
      const explained = await pod.caches.posts.explain('ofAuthor', 2).catch(() => undefined)
      return explained?.isInvalidationPending === false && explained.stored.isHit
    })
    await end()
  })

  it.each([
    ['the entry', entering],
    ['all entries', { isCreating: true }],
  ])('reads bypass what the store still has of %s', async (_, affected) => {
    const world = await newWorld()
    const writes = newRefusal()
    const pod = await world.openPod({ posts }, { wrap: writes.wrap })
    await listStored(pod, 2)
    writes.isRefusing = true
    await write(pod, affected, () => insert(world.sql))
    expect(await pod.caches.posts.explain('ofAuthor', 2)).toMatchObject({
      stored: { isHit: true },
      isInvalidationPending: true,
    })
    expect(idsOf(await listStored(pod, 2))).toEqual([9n, 1n, 6n])
    expect(pod.counts.get('Post.ofAuthor misses pending_invalidation')).toBe(1)
    expect(pod.counts.get('Post.ofAuthor fills stored')).toBe(1)
    writes.isRefusing = false
    await eventually(async () => !(await pod.caches.posts.explain('ofAuthor', 2)).isInvalidationPending)
    const other = await world.openPod({ posts })
    expect(idsOf(await listStored(other, 2))).toEqual([9n, 1n, 6n])
  })

  it('an entry that is found outdated is loaded again, and not stored', async () => {
    const { openPod, sql } = await newWorld()
    const [rows, writes] = [holdRows(), newRefusal()]
    const pod = await openPod({ posts }, { wrap: (store) => writes.wrap(rows.wrap(store)) })
    await listStored(pod, 2)
    rows.arm()
    const list = listStored(pod, 2)
    await rows.gate.reached
    await write(pod, { written: [6n] }, () => sql.query(`DELETE FROM "Post" WHERE id = 6`))
    writes.isRefusing = true
    await write(pod, entering, () => insert(sql))
    rows.gate.open()
    expect(idsOf(await list)).toEqual([9n, 1n])
    expect(pod.counts.get('Post.ofAuthor misses outdated')).toBe(1)
    expect(pod.counts.get('Post.ofAuthor fills stored')).toBe(1)
  })

  it('invalidateBy is one that is made up for', async () => {
    const world = await newWorld()
    const { end, pod, proxy } = await openPatient(world)
    const other = await world.openPod({ posts })
    await listStored(pod, 2)
    await insert(world.sql)
    await proxy.refuse()
    await pod.caches.posts.invalidateBy('ofAuthor', 2)
    expect(idsOf(await listStored(pod, 2))).toEqual([9n, 1n, 6n])
    await proxy.accept()
    await eventuallyEqual(async () => (await listStored(other, 2)).length, 3)
    await end()
  })
})
