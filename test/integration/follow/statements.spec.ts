import { definePosts } from '../lookups/posts.js'
import { untilRead, useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds()

it('follows an update, an insert and a delete by SQL', async () => {
  const { follow, openPod, sql } = await openWorld()
  const { caches } = await openPod({ posts: definePosts() })
  const { counts } = await follow()
  const [post] = await caches.posts.list('ofAuthor', 1)
  const id = post!.id
  expect((await caches.posts.get(id))!.title).toBe(post!.title)
  await sql.query(`UPDATE "Post" SET title = 'By psql' WHERE id = $1`, [id])
  await untilRead(async () => (await caches.posts.get(id))?.title, 'By psql')
  const before = (await caches.posts.list('ofAuthor', 1)).length
  await sql.query(`INSERT INTO "Post" (id, slug, title, "authorId") VALUES (9001, 'zz', 'New', 1)`)
  await untilRead(async () => (await caches.posts.list('ofAuthor', 1)).length, before + 1)
  await sql.query(`DELETE FROM "Post" WHERE id = 9001`)
  await untilRead(async () => caches.posts.get(9001n), null)
  await untilRead(async () => (await caches.posts.list('ofAuthor', 1)).length, before)
  expect(Object.fromEntries(counts)).toMatchObject({ insert: 1, takeovers: 1 })
}, 30_000)
