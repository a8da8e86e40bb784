import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CacheOptions } from 'model-cache'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { definePosts, idsOf, listStored, type PostPod } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()
const forms: readonly Partial<CacheOptions>[] = [{ rows: 'copies' }, { rows: 'shared' }]

class Rollback extends Error {}

/** Runs work in a transaction that is rolled back. */
async function rolledBack(pod: PostPod, work: (tx: PostPod['prisma']) => Promise<void>): Promise<void> {
  const running = pod.prisma.$transaction(async (tx) => {
    await work(tx as PostPod['prisma'])
    throw new Rollback()
  })
  await expect(running).rejects.toThrow(Rollback)
  await pod.writes.released()
}

const entriesIn = ({ admin, namespace }: LookupWorld): Promise<string[]> => admin.keys(`${namespace}:*=*`)

describe('R7, within a transaction a lookup', () => {
  it.each(forms)('sees what the transaction has written: $rows', async (form) => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts(form) })
    await listStored(pod, 2)
    await pod.caches.posts.getBy('address', { authorId: 2, slug: 'p9' })
    await pod.caches.posts.drain()
    await rolledBack(pod, async (tx) => {
      await tx.post.update({ where: { id: 6n }, data: { slug: 'p9', title: 'written' } })
      await tx.post.create({ data: { slug: 'p0', authorId: 2 } })
      const list = await pod.caches.posts.list('ofAuthor', 2)
      expect(idsOf(list)).toEqual([9n, 1n, 6n])
      expect(list[2]!.title).toBe('written')
      const row = await pod.caches.posts.getBy('address', { authorId: 2, slug: 'p9' })
      expect(row).toMatchObject({ id: 6n, title: 'written' })
      expect(await pod.caches.posts.getBy('address', { authorId: 2, slug: 'p2' })).toBeNull()
      expect(await pod.caches.posts.list('ofAuthor', 7)).toEqual([])
    })
    expect(idsOf(await listStored(pod, 2))).toEqual([1n, 6n])
    expect(await pod.caches.posts.getBy('address', { authorId: 2, slug: 'p9' })).toBeNull()
  })

  it('stores nothing: neither entries nor rows', async () => {
    const world = await newWorld()
    const pod = await world.openPod({ posts })
    await pod.caches.posts.get(5n)
    await pod.caches.posts.drain()
    await rolledBack(pod, async (tx) => {
      await tx.post.create({ data: { slug: 'p0', authorId: 2 } })
      await pod.caches.posts.listMany('ofAuthor', [2, 7])
      await pod.caches.posts.getManyBy('address', [
        { authorId: 2, slug: 'p0' },
        { authorId: 2, slug: 'p7' },
      ])
      await pod.caches.posts.drain()
      expect(await entriesIn(world)).toEqual([])
      expect((await pod.caches.posts.explain(9n)).stored.isHit).toBe(false)
    })
    expect(pod.counts.get('Post.ofAuthor misses transaction')).toBe(2)
  })

  it.each(forms)('is answered from outside if it outlives the transaction: $rows', async (form) => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts(form) })
    let late: Promise<unknown> = Promise.resolve()
    const begun = Promise.withResolvers<void>()
    await rolledBack(pod, async (tx) => {
      await tx.post.create({ data: { slug: 'p0', authorId: 2 } })
      late = begun.promise.then(() => pod.caches.posts.list('ofAuthor', 2))
    })
    begun.resolve()
    const list = (await late) as Awaited<ReturnType<typeof listStored>>
    expect(idsOf(list)).toEqual([1n, 6n])
    // One that has begun within it, and is loaded after its end.
    await rolledBack(pod, async () => {
      late = pod.caches.posts.list('ofAuthor', 2)
    })
    expect(await late).toStrictEqual(list)
    await nextTurn()
  })
})

describe('invalidateBy', () => {
  const insert = `INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`

  it('removes the entries of keys, after a write that the extension does not see', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    const lists = async () => (await reader.caches.posts.listMany('ofAuthor', [2, 3])).map(idsOf)
    await lists()
    await reader.caches.posts.drain()
    await sql.query(insert)
    await sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 3)`)
    expect(await lists()).toEqual([
      [1n, 6n],
      [2n, 7n],
    ])
    await writer.caches.posts.invalidateBy('ofAuthor', 2)
    expect(await lists()).toEqual([
      [9n, 1n, 6n],
      [2n, 7n],
    ])
    await writer.caches.posts.invalidateBy('ofAuthor', [2, 3])
    expect(await lists()).toEqual([
      [9n, 1n, 6n],
      [10n, 2n, 7n],
    ])
    // Rows and other lookups stay as they are.
    expect((await reader.caches.posts.explain(1n)).stored.isHit).toBe(true)
    expect(reader.counts.get('Post.ofAuthor invalidations ids')).toBeUndefined()
    expect(writer.counts.get('Post.ofAuthor invalidations ids')).toBe(3)
  })

  it('ends a negative entry of a unique key', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts })
    const key = { authorId: 2, slug: 'p0' }
    expect(await pod.caches.posts.getBy('address', key)).toBeNull()
    await pod.caches.posts.drain()
    await sql.query(insert)
    expect(await pod.caches.posts.getBy('address', key)).toBeNull()
    await pod.caches.posts.invalidateBy('address', key)
    expect(await pod.caches.posts.getBy('address', key)).toMatchObject({ id: 9n })
  })

  it('fences the entry until the transaction that it is called in has ended', async () => {
    const { openPod } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    await listStored(reader, 2)
    await writer.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(insert)
      await writer.caches.posts.invalidateBy('ofAuthor', 2)
      // Stores what was there before the commit.
      expect(idsOf(await listStored(reader, 2))).toEqual([1n, 6n])
    })
    expect(idsOf(await listStored(reader, 2))).toEqual([9n, 1n, 6n])
  })

  it('in a transaction that is rolled back leaves a list that is loaded again', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    await listStored(pod, 2)
    await rolledBack(pod, () => pod.caches.posts.invalidateBy('ofAuthor', 2))
    expect(idsOf(await listStored(pod, 2))).toEqual([1n, 6n])
    expect((await pod.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(true)
  })
})
