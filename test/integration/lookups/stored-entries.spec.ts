import { defineModelCache, useLookupWorlds } from './lookup-pods.js'
import { beginWrite, definePosts, defineWithLookups, HeldQueries, idsOf, listStored, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

describe('an entry of a lookup', () => {
  it('is stored by the process that loads it, and read by others without a query', async () => {
    const { openPod } = await newWorld()
    const [first, second] = [await openPod({ posts }), await openPod({ posts })]
    const list = await listStored(first, 2)
    expect(idsOf(list)).toEqual([1n, 6n])
    expect(first.statements()).toHaveLength(1)
    expect(await listStored(second, 2)).toEqual(list)
    expect(await second.caches.posts.getBy('address', { authorId: 2, slug: 'p2' })).toEqual(list[1])
    await second.caches.posts.drain()
    expect(await first.caches.posts.getBy('address', { authorId: 2, slug: 'p2' })).toEqual(list[1])
    expect(second.statements()).toHaveLength(1)
    expect(first.statements()).toEqual([])
  })

  it('holds ids, and nothing else of the rows', async () => {
    const { admin, openPod } = await newWorld()
    const pod = await openPod({ posts })
    await listStored(pod, 2)
    const { key } = await pod.caches.posts.explain('ofAuthor', 2)
    expect(key).toMatch(/:ofAuthor=2:[^:]+$/)
    const payload = (await admin.get(key))!.split(';').slice(3).join(';')
    // A check value, a key, a digest of the places of its rows, their ids.
    expect(payload).toMatch(/^[\da-f]{8}\["2",\d+,"1","6"\]$/)
  })

  it.each([
    ['an empty list', (pod) => pod.caches.posts.list('ofAuthor', 7), []],
    [
      'a unique key that no row has',
      (pod) => pod.caches.posts.getBy('address', { authorId: 7, slug: 'p1' }),
      null,
    ],
  ] as const satisfies [
    string,
    (pod: Awaited<ReturnType<typeof openTwo>>[0]) => Promise<unknown>,
    unknown,
  ][])('is stored for %s', async (_, read, none) => {
    const [first, second] = await openTwo()
    expect(await read(first)).toEqual(none)
    await first.caches.posts.drain()
    expect(await read(second)).toEqual(none)
    expect(second.statements()).toEqual([])
  })

  it('lives as long as other negative entries for a unique key that no row has', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts({ notFoundTtl: '10s' }) })
    const key = { authorId: 7, slug: 'p1' }
    await pod.caches.posts.getBy('address', key)
    await pod.caches.posts.drain()
    const { stored } = await pod.caches.posts.explain('address', key)
    expect(stored.isHit && stored.expiresInMs).toBeGreaterThan(0)
    expect(stored.isHit && stored.expiresInMs).toBeLessThanOrEqual(10_000)
  })

  it('is not used under the key of another entry', async () => {
    const { admin, openPod } = await newWorld()
    const pod = await openPod({ posts })
    await listStored(pod, 1)
    await listStored(pod, 2)
    const keys = await Promise.all([1, 2].map((author) => pod.caches.posts.explain('ofAuthor', author)))
    await admin.copy(keys[0]!.key, keys[1]!.key, 'REPLACE')
    expect(idsOf(await listStored(pod, 2))).toEqual([1n, 6n])
    expect(pod.counts.get('Post.ofAuthor misses undecodable')).toBe(1)
  })

  it('is not stored before writers that have not known its lookup have ended', async () => {
    const { openPod } = await newWorld()
    const writer = await openPod({ posts: defineModelCache('Post', { ttl: '1h' }) })
    await writer.caches.posts.join()
    await write(writer, { written: [2n] }, async () => {})
    const reader = await openPod({ posts })
    expect(idsOf(await listStored(reader, 2))).toEqual([1n, 6n])
    expect(await reader.caches.posts.explain('ofAuthor', 2)).toMatchObject({
      mayFill: false,
      stored: { isHit: false },
    })
    expect(reader.counts.get('Post.ofAuthor fills stored')).toBeUndefined()
  })

  it('belongs to the definition of its lookup: another order has entries of its own', async () => {
    const { openPod } = await newWorld()
    const descending: typeof posts = defineWithLookups('Post', {
      lists: { ofAuthor: { by: 'authorId', orderBy: { slug: 'desc' } } },
    })
    const [first, second] = [await openPod({ posts }), await openPod({ posts: descending })]
    expect(idsOf(await listStored(first, 2))).toEqual([1n, 6n])
    expect(idsOf(await listStored(second, 2))).toEqual([6n, 1n])
    expect(idsOf(await listStored(first, 2))).toEqual([1n, 6n])
  })
})

describe('R1, an entry counts under the existence epoch that was read before its load', () => {
  it.each(['after its load', 'while its load runs'])(
    'so one is refused if a row of unknown key was created %s',
    async (moment) => {
      const { openPod, sql } = await newWorld()
      const queries = new HeldQueries()
      const reader = await openPod({ posts }, { wrapSource: queries.wrapSource })
      const other = await openPod({ posts })
      const create = () =>
        write(other, { isCreating: true }, () =>
          sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`),
        )
      if (moment === 'after its load') {
        await listStored(reader, 2)
        await create()
      } else {
        const query = queries.hold()
        const before = listStored(reader, 2)
        await query.reached
        await create()
        query.open()
        expect(idsOf(await before)).toEqual([1n, 6n])
      }
      for (const pod of [other, reader]) expect(idsOf(await listStored(pod, 2))).toEqual([9n, 1n, 6n])
    },
  )

  it('so none counts or is stored while a row of unknown key is being created', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    await listStored(reader, 2)
    const unit = beginWrite(writer, { isCreating: true })
    await unit.fence()
    expect(idsOf(await listStored(reader, 2))).toEqual([1n, 6n])
    await sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`)
    expect(idsOf(await listStored(reader, 2))).toEqual([9n, 1n, 6n])
    expect((await reader.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(false)
    await unit.end()
    await listStored(reader, 2)
    expect((await reader.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(true)
  })

  it('and rows stay as they are when a row of unknown key is created', async () => {
    const { openPod } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    await listStored(reader, 2)
    await write(writer, { isCreating: true }, async () => {})
    reader.statements()
    await reader.caches.posts.getMany([1n, 6n])
    expect(reader.statements()).toEqual([])
  })

  it('which a write to all rows changes as well', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    await listStored(reader, 2)
    await sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`)
    await writer.caches.posts.invalidateAll()
    expect(idsOf(await listStored(reader, 2))).toEqual([9n, 1n, 6n])
  })
})

async function openTwo() {
  const { openPod } = await newWorld()
  return [await openPod({ posts }), await openPod({ posts })] as const
}
