import { eventuallyEqual } from '../../support/eventually.js'
import { definePosts } from '../lookups/posts.js'
import { compareStatements } from './compare-statements.js'
import { setIdentity } from './followed-caches.js'
import { useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds({ synchronous_commit: 'on' })

it('follows an update, an insert and a delete by SQL', async () => {
  const { follow, openPod, sql } = await openWorld()
  const { caches } = await openPod({ posts: definePosts() })
  const [post] = await caches.posts.list('ofAuthor', 1)
  const id = post!.id
  // A table that joins later has no events of before.
  const { counts } = await follow({ caches: 1 })
  expect((await caches.posts.get(id))!.title).toBe(post!.title)
  await sql.query(`UPDATE "Post" SET title = 'By psql' WHERE id = $1`, [id])
  await eventuallyEqual(async () => (await caches.posts.get(id))?.title, 'By psql')
  const before = (await caches.posts.list('ofAuthor', 1)).length
  await sql.query(`INSERT INTO "Post" (id, slug, title, "authorId") VALUES (9001, 'zz', 'New', 1)`)
  await eventuallyEqual(async () => (await caches.posts.list('ofAuthor', 1)).length, before + 1)
  await sql.query(`DELETE FROM "Post" WHERE id = 9001`)
  await eventuallyEqual(async () => caches.posts.get(9001n), null)
  await eventuallyEqual(async () => (await caches.posts.list('ofAuthor', 1)).length, before)
  // The database may show the delete before the follower has heard of it.
  const counted = (): unknown => ['update', 'insert', 'delete', 'takeovers'].map((name) => counts.get(name))
  await eventuallyEqual(counted, [1, 1, 1, 1])
})

it('has no stale row or entry in any process after each statement', async () => {
  const world = await openWorld()
  await setIdentity(world, 'keys')
  await compareStatements(world, 'identity')
})
