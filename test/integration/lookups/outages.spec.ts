import { startServerProxy, type ServerProxy } from '../../support/server-proxy.js'
import { withMethods } from '../consistency/sabotage.js'
import { eventually } from '../consistency/world.js'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { definePosts, idsOf, listStored, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

const insert = (sql: LookupWorld['sql']) =>
  sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`)
const entering = { entered: [{ authorId: 2, slug: 'p0' }] }

/** A pod whose connection to Valkey can be interrupted. */
async function openPatient(world: LookupWorld) {
  const proxy: ServerProxy = await startServerProxy(world.valkey.port)
  const pod = await world.openPod({ posts }, { url: `valkey://127.0.0.1:${proxy.port}` })
  const end = async (): Promise<void> => {
    await pod.close()
    await proxy.stop()
  }
  return { pod, proxy, end }
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
    let isRefusing = false
    const refusing =
      <Args extends readonly unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
      async (...args: Args): Promise<Answer> => {
        if (isRefusing) throw new Error('no writes')
        return method(...args)
      }
    const pod = await world.openPod(
      { posts },
      {
        wrap: (store) =>
          withMethods(store, {
            fenceMany: refusing((...args) => store.fenceMany(...args)),
            releaseFences: refusing((...args) => store.releaseFences(...args)),
            change: refusing((...args) => store.change(...args)),
          }),
      },
    )
    await listStored(pod, 2)
    isRefusing = true
    await write(pod, affected, () => insert(world.sql))
    expect(await pod.caches.posts.explain('ofAuthor', 2)).toMatchObject({
      stored: { isHit: true },
      isInvalidationPending: true,
    })
    expect(idsOf(await listStored(pod, 2))).toEqual([9n, 1n, 6n])
    expect(pod.counts.get('Post.ofAuthor misses pending_invalidation')).toBe(1)
    expect(pod.counts.get('Post.ofAuthor fills stored')).toBe(1)
    isRefusing = false
    await eventually(async () => !(await pod.caches.posts.explain('ofAuthor', 2)).isInvalidationPending)
    const other = await world.openPod({ posts })
    expect(idsOf(await listStored(other, 2))).toEqual([9n, 1n, 6n])
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
    await eventually(async () => (await listStored(other, 2)).length === 3)
    await end()
  })
})
