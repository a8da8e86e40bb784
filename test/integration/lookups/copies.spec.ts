import { createLoadPermits } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.js'
import { withMethods } from '../consistency/sabotage.js'
import { useLookupWorlds } from './lookup-pods.js'
import { definePosts, HeldQueries, idsOf, listStored, type Post, type PostPod } from './posts.js'

const newWorld = useLookupWorlds()
const l1 = { ttl: '1h' } as const

/** All ways to get the list of author 2, and a row of it, in one tick. */
async function readAll(pod: PostPod) {
  const { posts } = pod.caches
  const [one, two, [three, four], byTitle, unique, row] = await Promise.all([
    posts.list('ofAuthor', 2),
    posts.list('ofAuthor', 2),
    posts.listMany('ofAuthor', [2, 2]),
    posts.list('byTitle', 2),
    posts.getBy('address', { authorId: 2, slug: 'p1' }),
    posts.get(1n),
  ])
  await posts.drain()
  return { lists: [one, two, three!, four!, byTitle], firsts: [unique!, row!] }
}

/** Waits until a pod uses its memory, which holds nothing of author 2. */
const trustMemory = (pod: PostPod): Promise<void> =>
  eventually(async () => {
    await listStored(pod, 3)
    return (await pod.caches.posts.explain('ofAuthor', 3)).l1!.isTrusted
  })

const layers = [
  ['the database', async () => {}],
  ['the store', async (pod: PostPod) => void (await readAll(pod))],
] as const

describe("rows: 'copies', every caller of a lookup", () => {
  it.each(layers)('has an array and rows of its own, from %s', async (_, prepare) => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts() })
    await prepare(pod)
    const { firsts, lists } = await readAll(pod)
    const rows = [...lists.flat(), ...firsts]
    expect(new Set(rows).size).toBe(rows.length)
    expect(new Set(lists).size).toBe(lists.length)
    for (const list of lists) expect(list).toStrictEqual(lists[0])
  })

  it('has rows of its own that do not match their schema, complete', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod(
      { posts: definePosts() },
      {
        wrapSource: (source) =>
          withMethods(source, {
            async find(query, client) {
              const rows = await source.find!(query, client)
              return rows.map((row) => ({ ...row, title: { en: 'one' } }))
            },
          }),
      },
    )
    const [one, two] = await Promise.all([1, 2].map(() => listStored(pod, 2)))
    for (const list of [one!, two!]) {
      expect(list.map(({ title }) => title)).toEqual([{ en: 'one' }, { en: 'one' }])
    }
    expect(two![0]).not.toBe(one![0])
    expect(two![0]!.title).not.toBe(one![0]!.title)
  })

  it('may change what it gets: no later caller sees it', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts({ l1 }) })
    await trustMemory(pod)
    for (const row of await listStored(pod, 2)) row.title = 'changed'
    for (let read = 0; read < 4; read++) {
      const { firsts, lists } = await readAll(pod)
      for (const list of lists) expect(list.map(({ title }) => title)).toEqual(['title 1', 'title 6'])
      for (const row of [...lists.flat(), ...firsts]) row.title = 'changed'
      for (const list of lists) list.length = 0
    }
  })

  it('has rows of its own among more callers than are copied for at once', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts() })
    for (const _ of ['loaded', 'stored']) {
      const lists = await Promise.all(Array.from({ length: 50 }, () => listStored(pod, 2)))
      expect(new Set(lists.flat()).size).toBe(100)
      for (const list of lists) expect(idsOf(list)).toEqual([1n, 6n])
    }
  })
})

describe("rows: 'shared', every caller of a lookup", () => {
  it.each(layers)('has an array of its own with frozen rows of all, from %s', async (_, prepare) => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts({ rows: 'shared' }) })
    await prepare(pod)
    const { lists } = await readAll(pod)
    const ofAuthor = lists.slice(0, 4)
    expect(new Set(ofAuthor.flat()).size).toBe(2)
    for (const row of ofAuthor.flat()) expect(Object.isFrozen(row)).toBe(true)
    expect(new Set(lists).size).toBe(lists.length)
    for (const list of lists) list.reverse()
    expect(idsOf((await readAll(pod)).lists[0]!)).toEqual([1n, 6n])
  })

  it('has an array of its own from memory', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts({ rows: 'shared', l1 }) })
    await trustMemory(pod)
    for (let read = 0; read < 4; read++) {
      const { lists } = await readAll(pod)
      for (const list of lists) {
        expect(idsOf(list)).toEqual([1n, 6n])
        list.pop()
      }
    }
  })
})

describe('a caller whose read joins a refresh of the entry that has not begun', () => {
  it.each(['copies', 'shared'] as const)('has what other callers have: %s', async (rows) => {
    const { openPod } = await newWorld()
    const queries = new HeldQueries()
    const pod = await openPod(
      // Whatever is stored is due at once.
      { posts: definePosts({ rows, ttl: '1h', refreshAhead: '3599999ms' }) },
      { loads: createLoadPermits(1), wrapSource: queries.wrapSource },
    )
    const { posts } = pod.caches
    await listStored(pod, 2)
    const query = queries.hold()
    const other = posts.list('ofAuthor', 3)
    await query.reached
    await posts.list('ofAuthor', 2)
    await posts.invalidateBy('ofAuthor', 2)
    const reads = [1, 2].map(() => posts.list('ofAuthor', 2))
    const misses = (): number => pod.counts.get('Post.ofAuthor misses not_cached') ?? 0
    await eventually(() => misses() >= 3)
    query.open()
    await other
    const lists: Post[][] = await Promise.all(reads)
    for (const list of lists) expect(idsOf(list)).toEqual([1n, 6n])
    expect(lists[0]).not.toBe(lists[1])
    expect(new Set(lists.flat()).size).toBe(rows === 'copies' ? 4 : 2)
    expect(lists.flat().every(Object.isFrozen)).toBe(rows === 'shared')
  })
})
