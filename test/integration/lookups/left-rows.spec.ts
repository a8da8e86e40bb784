import { defineModelCache, useLookupWorlds } from './lookup-pods.js'
import { definePosts, holdRows, idsOf, listStored, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

describe('R2, a row that has left a list', () => {
  it.each([
    ['moved to another key', `UPDATE "Post" SET "authorId" = 7 WHERE id = 6`],
    ['deleted', `DELETE FROM "Post" WHERE id = 6`],
  ])('is not answered: %s', async (_, leave) => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    await listStored(reader, 2)
    // Nothing announces that the row leaves.
    await write(writer, { written: [6n] }, () => sql.query(leave))
    expect((await reader.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(true)
    expect(idsOf(await listStored(reader, 2))).toEqual([1n])
    expect(reader.counts.get('Post.ofAuthor misses outdated')).toBe(1)
  })

  it('is not answered: changed so that it no longer fulfils the condition', async () => {
    const { openPod, sql } = await newWorld()
    const definition = defineModelCache('Post', {
      ttl: '1h',
      lists: { unedited: { by: 'authorId', where: { editorId: null } } },
    })
    const pod = await openPod({ posts: definition })
    await sql.query('UPDATE "Post" SET "editorId" = NULL WHERE "authorId" = 2')
    const list = async () => (await pod.caches.posts.list('unedited', 2)).map(({ id }) => id)
    expect(await list()).toEqual([1n, 6n])
    await pod.caches.posts.drain()
    await write(pod, { written: [6n] }, () => sql.query('UPDATE "Post" SET "editorId" = 1 WHERE id = 6'))
    expect(await list()).toEqual([1n])
    expect(pod.counts.get('Post.unedited misses outdated')).toBe(1)
  })

  it('leaves an entry that is loaded again and stored, once', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, other] = [await openPod({ posts }), await openPod({ posts })]
    await listStored(reader, 2)
    await write(other, { written: [6n] }, () => sql.query(`DELETE FROM "Post" WHERE id = 6`))
    await listStored(reader, 2)
    reader.statements()
    for (const pod of [reader, other]) {
      expect(idsOf(await listStored(pod, 2))).toEqual([1n])
      expect(pod.statements()).toEqual([])
    }
  })

  it('is named as the reason for which the entry was missed', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts })
    await listStored(pod, 2)
    await write(pod, { written: [6n] }, () => sql.query(`DELETE FROM "Post" WHERE id = 6`))
    await listStored(pod, 2)
    expect((await pod.caches.posts.explain('ofAuthor', 2)).lastMiss!.reason).toBe('outdated')
  })
})

describe('R3, an entry that names a row that has left is loaded again before the list is answered', () => {
  it('so that a list with a limit is not short', async () => {
    const { openPod, sql } = await newWorld()
    await sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`)
    const pod = await openPod({ posts })
    const firstTwo = async () => idsOf(await pod.caches.posts.list('firstTwo', 2))
    expect(await firstTwo()).toEqual([9n, 1n])
    await pod.caches.posts.drain()
    await write(pod, { written: [9n] }, () => sql.query(`UPDATE "Post" SET "authorId" = 7 WHERE id = 9`))
    expect(await firstTwo()).toEqual([1n, 6n])
  })

  it('so that members are those of one moment: a list is not empty that never was', async () => {
    const { openPod, sql } = await newWorld()
    const rows = holdRows()
    const [reader, writer] = [await openPod({ posts }, { wrap: rows.wrap }), await openPod({ posts })]
    expect(idsOf(await listStored(reader, 1))).toEqual([5n])
    rows.arm()
    const list = reader.caches.posts.list('ofAuthor', 1)
    await rows.gate.reached
    await write(writer, { written: [2n], entered: [{ authorId: 1, slug: 'p2' }] }, () =>
      sql.query(`UPDATE "Post" SET "authorId" = 1 WHERE id = 2`),
    )
    await write(writer, { written: [5n], entered: [{ authorId: 7, slug: 'p1' }] }, () =>
      sql.query(`UPDATE "Post" SET "authorId" = 7 WHERE id = 5`),
    )
    rows.gate.open()
    expect(idsOf(await list)).toEqual([2n])
  })

  it('so that order is that of one moment: a row does not stand where it was before it left', async () => {
    const { openPod, sql } = await newWorld()
    await sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p5', 2)`)
    const rows = holdRows()
    const [reader, writer] = [await openPod({ posts }, { wrap: rows.wrap }), await openPod({ posts })]
    expect(idsOf(await listStored(reader, 2))).toEqual([1n, 6n, 9n])
    rows.arm()
    const list = reader.caches.posts.list('ofAuthor', 2)
    await rows.gate.reached
    const slug = (id: bigint, text: string) =>
      write(writer, { written: [id], entered: [{ authorId: 2, slug: text }] }, () =>
        sql.query(`UPDATE "Post" SET slug = '${text}' WHERE id = ${id}`),
      )
    await slug(1n, 'p9')
    await write(writer, { written: [6n] }, () => sql.query(`DELETE FROM "Post" WHERE id = 6`))
    rows.gate.open()
    expect(idsOf(await list)).toEqual([9n, 1n])
  })

  it('also for several keys in one tick, of which one alone is loaded again', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts })
    const lists = async () => (await pod.caches.posts.listMany('ofAuthor', [1, 2, 3])).map(idsOf)
    expect(await lists()).toEqual([[5n], [1n, 6n], [2n, 7n]])
    await pod.caches.posts.drain()
    await write(pod, { written: [6n] }, () => sql.query(`UPDATE "Post" SET "authorId" = 7 WHERE id = 6`))
    pod.statements()
    expect(await lists()).toEqual([[5n], [1n], [2n, 7n]])
    await pod.caches.posts.drain()
    const queries = pod.statements()
    // The row that was written, and the list that it has left.
    expect(queries).toHaveLength(2)
  })
})
