import { Slicer } from 'model-cache/advanced'
import { commandsDuring } from '../../support/command-calls.js'
import { eventually } from '../../support/eventually.js'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { definePosts, idsOf, listStored, type PostPod } from './posts.js'

const newWorld = useLookupWorlds()

const USERS = 50
const AUTHORS = 107
const firstAuthor = 1_001

/** Gives authors posts, without accounts. */
async function insertPosts(sql: LookupWorld['sql'], authors: number, postsOfEach: number): Promise<void> {
  await sql.query(`
    SET session_replication_role = replica;
    INSERT INTO "Post" (slug, "authorId")
      SELECT 's' || lpad(n::text, 4, '0'), a
      FROM generate_series(${firstAuthor}, ${firstAuthor + authors - 1}) a, generate_series(1, ${postsOfEach}) n;
    RESET session_replication_role`)
}

const wide = new Slicer({ budgetMs: 1_000 })

describe('a burst of lists', () => {
  /** Fifty users read the lists of all authors in one tick. */
  async function burst(pod: PostPod, { admin }: LookupWorld) {
    pod.statements()
    const keys = Array.from({ length: USERS * AUTHORS }, (_, i) => firstAuthor + (i % AUTHORS))
    let lists: Awaited<ReturnType<typeof pod.caches.posts.list>>[] = []
    const commands = await commandsDuring(admin, async () => {
      lists = await Promise.all(keys.map((key) => pod.caches.posts.list('ofAuthor', key)))
      await pod.caches.posts.drain()
    })
    expect(lists.every((list, i) => list.every(({ authorId }) => authorId === keys[i]))).toBe(true)
    const rows = lists.flat()
    return {
      queries: pod.statements().length,
      rows: rows.length,
      objects: new Set(rows).size,
      commands,
    }
  }

  it.each([
    ['copies', 2 * USERS * AUTHORS],
    ['shared', 2 * AUTHORS],
  ] as const)('is one query, then two commands and no query: %s', async (rows, objects) => {
    const world = await newWorld()
    await insertPosts(world.sql, AUTHORS, 2)
    // No turn is ever full: where a turn ends, commands are split, which would depend on the machine.
    const pod = await world.openPod({ posts: definePosts({ rows }) }, { slicer: wide })
    await pod.caches.posts.join()
    const all = { rows: 2 * USERS * AUTHORS, objects }
    expect(await burst(pod, world)).toMatchObject({ ...all, queries: 1 })
    expect(await burst(pod, world)).toEqual({ ...all, queries: 0, commands: { mget: 2 } })
    // So does another process, which has loaded nothing.
    const other = await world.openPod({ posts: definePosts({ rows }) }, { slicer: wide })
    await other.caches.posts.join()
    expect(await burst(other, world)).toEqual({ ...all, queries: 0, commands: { mget: 2 } })
  })
})

it('a list takes one command with its rows, unless it names other rows than before', async () => {
  const world = await newWorld()
  const { admin, openPod, sql } = world
  const [one, other] = [await openPod({ posts: definePosts() }), await openPod({ posts: definePosts() })]
  const read = async (pod: PostPod, expected: readonly bigint[]): Promise<number | undefined> => {
    let rows: Awaited<ReturnType<typeof listStored>> = []
    const { mget } = await commandsDuring(admin, async () => {
      rows = await pod.caches.posts.list('ofAuthor', 2)
    })
    expect(idsOf(rows)).toEqual(expected)
    return mget
  }
  const commands: (number | undefined)[] = []
  expect(idsOf(await listStored(one, 2))).toEqual([1n, 6n])
  commands.push(await read(one, [1n, 6n]))
  // Another process, which has loaded nothing, learns from the entry which rows it names.
  for (let i = 0; i < 2; i++) commands.push(await read(other, [1n, 6n]))
  await sql.query(`UPDATE "Post" SET slug = 'p0', "authorId" = 2 WHERE id = 2`)
  await one.caches.posts.invalidate(2n)
  await one.caches.posts.invalidateBy('ofAuthor', 2)
  expect(idsOf(await listStored(one, 2))).toEqual([2n, 1n, 6n])
  for (let i = 0; i < 2; i++) commands.push(await read(other, [2n, 1n, 6n]))
  expect(commands).toEqual([1, 2, 1, 2, 1])
})

it('a burst of many keys is several queries of some hundred keys', async () => {
  const { openPod } = await newWorld()
  const pod = await openPod({ posts: definePosts() }, { slicer: wide })
  const lists = await pod.caches.posts.listMany(
    'ofAuthor',
    Array.from({ length: 1_001 }, (_, i) => 2 + i),
  )
  expect([idsOf(lists[0]!), lists.length]).toEqual([[1n, 6n], 1_001])
  await pod.caches.posts.drain()
  expect(pod.statements()).toHaveLength(3)
})

/** Records in how many turns of the event loop the items of each job were visited. */
class RecordingSlicer extends Slicer {
  readonly jobs: { readonly items: number; readonly turns: number }[] = []
  #turn = 0
  #turns: NodeJS.Immediate | undefined

  constructor() {
    super({ budgetMs: 0.1 })
    setImmediate(this.#nextTurn)
  }

  override async each<T>(...[items, visit, worked]: Parameters<typeof this.visitAll<T>>): Promise<void> {
    const turns = new Set<number>()
    const noting = (item: T, index: number): unknown => {
      turns.add(this.#turn)
      return visit(item, index)
    }
    await this.visitAll(items, noting, worked)
    this.jobs.push({ items: items.length, turns: turns.size })
  }

  visitAll<T>(
    items: readonly T[],
    visit: (item: T, index: number) => unknown,
    worked: (seconds: number) => void,
  ) {
    return super.each(items, visit, worked)
  }

  stop(): void {
    clearImmediate(this.#turns)
  }

  readonly #nextTurn = (): void => {
    this.#turn++
    this.#turns = setImmediate(this.#nextTurn)
  }
}

describe('a list of 1,000 rows', () => {
  it.each(['copies', 'shared'] as const)('yields to the event loop: %s', async (rows) => {
    const { openPod, sql } = await newWorld()
    await insertPosts(sql, 1, 1_000)
    const slicer = new RecordingSlicer()
    const pod = await openPod({ posts: definePosts({ rows }) }, { slicer })
    const read = async () => {
      slicer.jobs.length = 0
      const lists = await Promise.all([1, 2].map(() => listStored(pod, firstAuthor)))
      for (const list of lists) expect(list).toHaveLength(1_000)
      const long = slicer.jobs.filter(({ items }) => items > 100)
      for (const { turns } of long) expect(turns).toBeGreaterThan(1)
      return long.map(({ items }) => items).toSorted((a, b) => b - a)
    }
    // Normalized, serialized, stored, and copied for the second caller or frozen.
    expect(await read()).toEqual([1_000, 1_000, 1_000, 1_000])
    // Named, read in four chunks, and copied for the second caller or frozen.
    expect(await read()).toEqual([1_000, 1_000, 250, 250, 250, 250])
    slicer.stop()
  })
})

it('a list of 1,000 shared rows in memory yields to the event loop', async () => {
  const { openPod, sql } = await newWorld()
  await insertPosts(sql, 1, 1_000)
  const slicer = new RecordingSlicer()
  const pod = await openPod({ posts: definePosts({ rows: 'shared', l1: { ttl: '1h' } }) }, { slicer })
  await eventually(async () => {
    await listStored(pod, firstAuthor)
    const { l1 } = await pod.caches.posts.explain('ofAuthor', firstAuthor)
    return l1!.isHeld && l1!.isTrusted
  })
  slicer.jobs.length = 0
  const misses = pod.counts.get('Post reads l1 miss')
  expect(await listStored(pod, firstAuthor)).toHaveLength(1_000)
  expect(pod.counts.get('Post reads l1 miss')).toBe(misses)
  const long = slicer.jobs.filter(({ items }) => items > 100)
  expect(long.map(({ items }) => items)).toEqual([1_000])
  expect(long[0]!.turns).toBeGreaterThan(1)
  slicer.stop()
})
