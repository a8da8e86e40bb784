import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { definePosts, idsOf, type PostPod, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

const titlesOf = async (pod: PostPod, authorId: number): Promise<string[]> => {
  const list = await pod.caches.posts.list('byTitle', authorId)
  await pod.caches.posts.drain()
  return list.map(({ title }) => title)
}

describe('R4, the order of a list', () => {
  it('is that of the database, loaded and stored: text sorts by its collation', async () => {
    const { openPod, sql } = await newWorld()
    await withCollation(sql, async () => {
      await sql.query(`
        INSERT INTO "Post" (slug, title, "authorId")
        SELECT 's' || n, (ARRAY['b', 'Z', 'a', 'ä', 'B', 'A'])[n], 7 FROM generate_series(1, 6) n`)
      const [first, second] = [await openPod({ posts }), await openPod({ posts })]
      const sorted = ['a', 'A', 'ä', 'b', 'B', 'Z']
      expect(await titlesOf(first, 7)).toEqual(sorted)
      expect(await titlesOf(second, 7)).toEqual(sorted)
      expect(second.statements()).toEqual([])
    })
  })

  it('is that of the database where keys are loaded together', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    const lists = await pod.caches.posts.listMany('ofAuthor', [3, 4, 2])
    expect(lists.map(idsOf)).toEqual([
      [2n, 7n],
      [8n, 3n],
      [1n, 6n],
    ])
    expect((await pod.caches.posts.listMany('firstTwo', [3, 4, 2])).map(idsOf)).toEqual(lists.map(idsOf))
  })

  it('is the same for each read: rows that are equal in it are in the order of their ids', async () => {
    const { openPod, sql } = await newWorld()
    await sql.query(
      `INSERT INTO "Post" (slug, title, "authorId") VALUES ('p8', 'same', 2), ('p9', 'same', 2)`,
    )
    // The database finds rows that were changed last at the end of the table.
    for (const id of [9, 6, 1]) await sql.query(`UPDATE "Post" SET title = 'same' WHERE id = ${id}`)
    const pod = await openPod({ posts })
    expect(idsOf(await pod.caches.posts.list('byTitle', 2))).toEqual([1n, 6n, 9n, 10n])
    expect(pod.statements()[0]).toMatch(/ORDER BY .*"title" ASC.*"id" ASC/)
  })

  it('is loaded again if a row has left and come back to another place since the entry was read', async () => {
    const { openPod, sql } = await newWorld()
    const reader = await openPod({ posts })
    expect(await titlesOf(reader, 2)).toEqual(['title 1', 'title 6'])
    await sql.query(`UPDATE "Post" SET title = 'zero' WHERE id = 1`)
    // The row alone, as if its entry had been read before and the row after the writes.
    await reader.caches.posts.invalidate(1n)
    expect(await titlesOf(reader, 2)).toEqual(['title 6', 'zero'])
    expect(reader.counts.get('Post.byTitle misses outdated')).toBe(1)
  })

  it('changes at once with a row that takes another place', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    expect(await titlesOf(reader, 2)).toEqual(['title 1', 'title 6'])
    await write(writer, { written: [1n], entered: [{ authorId: 2, slug: 'p1' }] }, () =>
      sql.query(`UPDATE "Post" SET title = 'zero' WHERE id = 1`),
    )
    expect(await titlesOf(reader, 2)).toEqual(['title 6', 'zero'])
  })

  it('costs no other list its entry, if the row changes in a field that does not concern it', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    const storedAfter = async (field: string): Promise<boolean[]> => {
      await titlesOf(pod, 2)
      await pod.caches.posts.list('ofAuthor', 2)
      await pod.caches.posts.drain()
      const unit = pod.writes.begin()
      unit.markWritten('Post', [{ id: 1n }])
      unit.markJoined('Post', [{ authorId: 2, slug: 'p1' }], new Set([field]))
      await unit.fence()
      await unit.end()
      const entries = (['byTitle', 'ofAuthor'] as const).map((name) => pod.caches.posts.explain(name, 2))
      return (await Promise.all(entries)).map(({ stored }) => stored.isHit)
    }
    expect(await storedAfter('editorId')).toEqual([true, true])
    expect(await storedAfter('title')).toEqual([false, true])
    expect(await storedAfter('slug')).toEqual([true, false])
    expect(await storedAfter('authorId')).toEqual([false, false])
  })
})

/** Lets titles sort as words do, in no order that JavaScript has by default. */
async function withCollation(sql: LookupWorld['sql'], run: () => Promise<void>): Promise<void> {
  const collate = (name: string) =>
    sql.query(`ALTER TABLE "Post" ALTER COLUMN title TYPE TEXT COLLATE "${name}"`)
  await collate('und-x-icu')
  try {
    await run()
  } finally {
    await collate('default')
  }
}
