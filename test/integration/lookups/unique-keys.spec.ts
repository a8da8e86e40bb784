import { setImmediate as nextTurn } from 'node:timers/promises'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { definePosts, HeldQueries, holdRows, type PostPod, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

const key = { authorId: 2, slug: 'p1' }
const other = { authorId: 2, slug: 'p2' }
const free = { authorId: 2, slug: 'p9' }

async function idOf(pod: PostPod, address: typeof key): Promise<bigint | undefined> {
  const row = await pod.caches.posts.getBy('address', address)
  await pod.caches.posts.drain()
  if (row) expect(row).toMatchObject(address)
  return row?.id
}

/** Exchanges the keys of two posts in one transaction. */
const swap = (writer: PostPod, sql: LookupWorld['sql']) =>
  write(writer, { written: [1n, 6n], entered: [key, other] }, () =>
    sql.query(`
      BEGIN;
      UPDATE "Post" SET slug = 'x' WHERE slug = 'p1' AND "authorId" = 2;
      UPDATE "Post" SET slug = 'p1' WHERE slug = 'p2' AND "authorId" = 2;
      UPDATE "Post" SET slug = 'p2' WHERE slug = 'x' AND "authorId" = 2;
      COMMIT`),
  )

describe('R5, a unique key', () => {
  it('finds its row, and rows in the order of keys', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    expect(await idOf(pod, key)).toBe(1n)
    const rows = await pod.caches.posts.getManyBy('address', [other, free, key, other])
    expect(rows.map((row) => row && row.id)).toEqual([6n, null, 1n, 6n])
    expect(await pod.caches.posts.getManyBy('address', [])).toEqual([])
  })

  it('may be changed by the caller while its row is loaded', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    const given = { ...key }
    const row = pod.caches.posts.getBy('address', given)
    given.slug = free.slug
    expect(await row).toMatchObject(key)
  })

  it('that moves to another row finds that row', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    expect([await idOf(reader, key), await idOf(reader, other)]).toEqual([1n, 6n])
    await swap(writer, sql)
    expect([await idOf(reader, key), await idOf(reader, other)]).toEqual([6n, 1n])
  })

  it('that moves while it is being read finds that row for all readers of the tick, and not null', async () => {
    const { openPod, sql } = await newWorld()
    const rows = holdRows()
    const [reader, writer] = [await openPod({ posts }, { wrap: rows.wrap }), await openPod({ posts })]
    await idOf(reader, key)
    rows.arm()
    const reads = [1, 2, 3].map(() => reader.caches.posts.getBy('address', key))
    await rows.gate.reached
    await swap(writer, sql)
    rows.gate.open()
    expect((await Promise.all(reads)).map((row) => row?.id)).toEqual([6n, 6n, 6n])
  })

  it('that one row always has is never null, and never finds a row of another key', async () => {
    const { openPod, sql } = await newWorld()
    const readers = [await openPod({ posts }), await openPod({ posts })]
    const writer = await openPod({ posts })
    const progress = { reads: 0, hasEnded: false }
    const read = async (pod: PostPod): Promise<void> => {
      while (!progress.hasEnded) {
        const row = await pod.caches.posts.getBy('address', key)
        expect(row).toMatchObject(key)
        progress.reads++
        await nextTurn()
      }
    }
    const reading = Promise.all(readers.map(read))
    for (let swaps = 0; swaps < 40 || progress.reads < 80; swaps++) await swap(writer, sql)
    progress.hasEnded = true
    await reading
  })

  it('of a row that has left it is answered by the database, though its entry cannot be stored', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    await idOf(reader, key)
    const unit = writer.writes.begin()
    unit.markWritten('Post', [{ id: 1n }, { id: 6n }])
    await unit.fence()
    await sql.query(`UPDATE "Post" SET slug = 'p9' WHERE id = 1; UPDATE "Post" SET slug = 'p1' WHERE id = 6`)
    // Two rows have changed their keys, and nothing has fenced the entry.
    expect(await idOf(reader, key)).toBe(6n)
    await unit.end()
    expect(await idOf(reader, key)).toBe(6n)
  })
})

describe('a negative entry of a unique key', () => {
  const create = ({ slug, authorId }: typeof key) =>
    `INSERT INTO "Post" (slug, "authorId") VALUES ('${slug}', ${authorId})`

  it.each([
    ['a row that is created with the key', { entered: [free] }, create(free), 9n],
    [
      'a row that gets the key',
      { written: [1n], entered: [free] },
      `UPDATE "Post" SET slug = 'p9' WHERE id = 1`,
      1n,
    ],
    ['rows of unknown keys that are created', { isCreating: true }, create(free), 9n],
  ])('is ended by %s', async (_, affected, statement, id) => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    expect(await idOf(reader, free)).toBeUndefined()
    expect((await reader.caches.posts.explain('address', free)).stored.isHit).toBe(true)
    await write(writer, affected, () => sql.query(statement))
    expect(await idOf(reader, free)).toBe(id)
  })

  it.each([
    ['the key', { entered: [free] }],
    ['unknown keys', { isCreating: true }],
  ])('is not left by a load during which a row of %s is created', async (_, affected) => {
    const { openPod, sql } = await newWorld()
    const queries = new HeldQueries()
    const reader = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const writer = await openPod({ posts })
    const query = queries.hold()
    const before = idOf(reader, free)
    await query.reached
    await write(writer, affected, () => sql.query(create(free)))
    query.open()
    expect(await before).toBeUndefined()
    for (const pod of [writer, reader]) expect(await idOf(pod, free)).toBe(9n)
  })

  it('stays for other keys than those of a created row', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts })
    await idOf(pod, free)
    await write(pod, { entered: [{ authorId: 2, slug: 'p8' }] }, () =>
      sql.query(create({ authorId: 2, slug: 'p8' })),
    )
    pod.statements()
    expect(await idOf(pod, free)).toBeUndefined()
    expect(pod.statements()).toEqual([])
  })
})
