import { eventuallyEqual } from '../../support/eventually.js'
import { type FollowWorld, useFollowWorlds } from './follow-worlds.js'
import { definePosts } from '../lookups/posts.js'
import { freshSlot } from './slots.js'

const openWorld = useFollowWorlds()

async function openFollowed(options: Parameters<FollowWorld['follow']>[0] = {}) {
  const world = await openWorld()
  const publication = `publication_${Date.now()}`
  const { caches } = await world.openPod({ posts: definePosts() })
  const title = async () => (await caches.posts.get(1n))?.title
  await title()
  const following = await world.follow({ publication, ...options })
  await eventuallyEqual(() => following.follower.report!.caches.length, 1)
  const rename = (to: string) => world.sql.query('UPDATE "Post" SET title = $1 WHERE id = 1', [to])
  await title()
  return { ...world, ...following, publication, rename, title }
}

const swap = `
  CREATE TABLE "PostNew" (LIKE "Post" INCLUDING ALL);
  INSERT INTO "PostNew" SELECT * FROM "Post";
  UPDATE "PostNew" SET title = 'in the new table' WHERE id = 1;
  BEGIN;
  ALTER TABLE "Post" RENAME TO "PostOld";
  ALTER TABLE "PostNew" RENAME TO "Post";
  COMMIT`
const swapBack = `
  DROP TABLE "Post";
  ALTER TABLE "PostOld" RENAME TO "Post"`

describe('while it follows', () => {
  it.each([
    ['has been replaced by another one of its name', () => swap, swapBack, 'in the new table'],
    [
      'was dropped from the publication',
      (name: string) =>
        `ALTER PUBLICATION ${name} DROP TABLE "Post"; UPDATE "Post" SET title = 'unpublished' WHERE id = 1`,
      'SELECT',
      'unpublished',
    ],
    [
      'was dropped from the publication for a moment',
      (name: string) =>
        `ALTER PUBLICATION ${name} DROP TABLE "Post"; UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} ADD TABLE "Post"`,
      'SELECT',
      'unpublished',
    ],
    [
      'has its inserts published alone',
      (name: string) =>
        `ALTER PUBLICATION ${name} SET (publish = 'insert'); UPDATE "Post" SET title = 'unpublished' WHERE id = 1`,
      'SELECT',
      'unpublished',
    ],
    [
      'has its inserts published alone for a moment',
      (name: string) =>
        `ALTER PUBLICATION ${name} SET (publish = 'insert'); UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} SET (publish = 'insert, update, delete, truncate')`,
      'SELECT',
      'unpublished',
    ],
    [
      'has other rows published alone',
      (name: string) =>
        `ALTER PUBLICATION ${name} SET TABLE "Post" WHERE (id > 1); UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} DROP TABLE "Post"`,
      'SELECT',
      'unpublished',
    ],
    [
      'is in a publication that was made again',
      (name: string) =>
        `DROP PUBLICATION ${name}; UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         CREATE PUBLICATION ${name} FOR ALL TABLES WITH (publish_via_partition_root)`,
      'SELECT',
      'unpublished',
    ],
  ])('a table that %s is emptied, and followed from then on', async (_, change, restore, title) => {
    const world = await openFollowed()
    // All tables are published with one of them.
    await world.sql.query('ALTER TABLE "Unseen" REPLICA IDENTITY FULL')
    await world.sql.query(change(world.publication))
    try {
      await eventuallyEqual(world.title, title)
      await eventuallyEqual(() => world.follower.report?.caches.length, 1)
      await world.title()
      await world.rename('followed')
      await eventuallyEqual(world.title, 'followed')
    } finally {
      await world.stop()
      await world.sql.query(restore)
    }
  })

  it('does not count as followed before its caches have been emptied', async () => {
    const world = await openFollowed()
    await world.sql.query('BEGIN; LOCK TABLE "Comment"; SELECT pg_current_xact_id()')
    await world.sql.query('COMMIT')
    // A transaction that began before keeps the table from joining.
    const { Client } = (await import('pg')).default
    const other = new Client({ connectionString: world.databaseUrl })
    await other.connect()
    try {
      await other.query('BEGIN; SELECT pg_current_xact_id()')
      await world.sql.query(`ALTER PUBLICATION ${world.publication} DROP TABLE "Post"`)
      await eventuallyEqual(() => world.follower.report?.caches.length, 0)
      await other.query('COMMIT')
      await eventuallyEqual(() => world.follower.report?.caches.length, 1)
    } finally {
      await other.end()
    }
  })
})

describe('while nobody follows, with a durable slot', () => {
  it.each([
    ['was replaced', () => swap, swapBack, 'in the new table'],
    [
      'left the publication for a moment',
      (name: string) =>
        `ALTER PUBLICATION ${name} DROP TABLE "Post"; UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} ADD TABLE "Post"`,
      'SELECT',
      'unpublished',
    ],
  ])('a table that %s is emptied before it counts as followed', async (_, change, restore, title) => {
    const slot = freshSlot()
    const world = await openFollowed({ slot: slot.name })
    await world.stop()
    await world.sql.query(change(world.publication))
    try {
      const next = await world.follow({ slot: slot.name, publication: world.publication })
      await eventuallyEqual(() => next.follower.report?.caches.length, 1)
      expect(await world.title()).toBe(title)
      await next.stop()
    } finally {
      await slot.drop(world)
      await world.sql.query(restore)
    }
  })
})
