import { eventually, eventuallyEqual } from '../../support/eventually.js'
import {
  beginTransaction,
  connectTo,
  type FollowWorld,
  untilReported,
  useFollowWorlds,
} from './follow-worlds.js'
import { followPosts } from './followed-posts.js'
import { openSettings } from './settings.js'
import { freshSlot } from './slots.js'

const openWorld = useFollowWorlds()

async function openFollowed(options: Parameters<FollowWorld['follow']>[0] = {}) {
  const world = await openWorld()
  const publication = `publication_${Date.now()}`
  return { ...world, ...(await followPosts(world, { publication, ...options })), publication }
}

/** How a table changes, given the name of the publication; the title of its first post then, and what undoes the change. */
type Change = [what: string, change: (publication: string) => string, title?: string, restore?: string]

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
  it.each<Change>([
    ['has been replaced by another one of its name', () => swap, 'in the new table', swapBack],
    [
      'was dropped from the publication',
      (name) =>
        `ALTER PUBLICATION ${name} DROP TABLE "Post"; UPDATE "Post" SET title = 'unpublished' WHERE id = 1`,
    ],
    [
      'was dropped from the publication for a moment',
      (name) =>
        `ALTER PUBLICATION ${name} DROP TABLE "Post"; UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} ADD TABLE "Post"`,
    ],
    [
      'has its inserts published alone',
      (name) =>
        `ALTER PUBLICATION ${name} SET (publish = 'insert'); UPDATE "Post" SET title = 'unpublished' WHERE id = 1`,
    ],
    [
      'has its inserts published alone for a moment',
      (name) =>
        `ALTER PUBLICATION ${name} SET (publish = 'insert'); UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} SET (publish = 'insert, update, delete, truncate')`,
    ],
    [
      'has other rows published alone',
      (name) =>
        `ALTER PUBLICATION ${name} SET TABLE "Post" WHERE (id > 1); UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} DROP TABLE "Post"`,
    ],
    [
      'is in a publication that was made again',
      (name) =>
        `DROP PUBLICATION ${name}; UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         CREATE PUBLICATION ${name} FOR ALL TABLES WITH (publish_via_partition_root)`,
    ],
    [
      'is in a publication that was dropped',
      (name) => `DROP PUBLICATION ${name}; UPDATE "Post" SET title = 'unpublished' WHERE id = 1`,
    ],
    [
      'has some of its columns published alone',
      (name) =>
        `ALTER PUBLICATION ${name} SET TABLE "Post" (id); UPDATE "Post" SET title = 'of other columns' WHERE id = 1`,
      'of other columns',
    ],
  ])('a table that %s is emptied, and followed from then on', async (_, change, ...rest) => {
    const [title = 'unpublished', restore = 'SELECT'] = rest
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
    const { commit } = await beginTransaction(world)
    try {
      await world.sql.query(`ALTER PUBLICATION ${world.publication} DROP TABLE "Post"`)
      await eventuallyEqual(() => world.follower.report?.caches.length, 0)
    } finally {
      await commit()
    }
    await eventuallyEqual(() => world.follower.report?.caches.length, 1)
  })

  it('does not count as followed when it leaves the publication while it joins the log', async () => {
    const world = await openFollowed()
    const { commit } = await beginTransaction(world)
    const { publication, sql, warnings } = world
    try {
      await sql.query(`ALTER PUBLICATION ${publication} DROP TABLE "Post"`)
      const isPublished = 'SELECT FROM pg_publication_tables WHERE pubname = $1'
      await eventually(async () => (await sql.query(isPublished, [publication])).rowCount)
      await sql.query(`ALTER PUBLICATION ${publication} SET TABLE "Post" WHERE (id > 1)`)
      await eventually(() => warnings.some((warning) => warning.includes('leaves out rows')))
    } finally {
      await commit()
    }
    await untilReported(world.follower, 3)
    expect(world.follower.report!.caches).toEqual([])
  })

  it.each([
    ['its rows are filtered', 'rowfilter IS NULL', 'SET TABLE "Post" WHERE (id > 1)'],
    ['its inserts are published alone', 'pubupdate', `SET (publish = 'insert')`],
  ])('does not count as followed when %s as soon as it is published', async (_, isWhole, change) => {
    const world = await openFollowed()
    const { publication, sql } = world
    const isPublished = `FROM pg_publication_tables t JOIN pg_publication ON t.pubname = pg_publication.pubname
      WHERE t.pubname = '${publication}' AND tablename = 'Post'`
    await sql.query(`
      CREATE FUNCTION change_posts() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT ${isPublished} AND ${isWhole}) THEN ALTER PUBLICATION ${publication} ${change}; END IF;
      END $$;
      CREATE EVENT TRIGGER change_posts ON ddl_command_end WHEN TAG IN ('ALTER PUBLICATION')
        EXECUTE FUNCTION change_posts()`)
    try {
      await sql.query(`ALTER PUBLICATION ${publication} DROP TABLE "Post"`)
      await eventually(async () => (await sql.query(`SELECT ${isPublished} AND NOT (${isWhole})`)).rowCount)
      await untilReported(world.follower, 5)
      expect(world.follower.report!.caches).toEqual([])
    } finally {
      await world.stop()
      await sql.query('DROP EVENT TRIGGER change_posts; DROP FUNCTION change_posts')
    }
  })

  it('is emptied after rows have been read from another one that had its name for a moment', async () => {
    const world = await openFollowed()
    const { caches, sql, title } = world
    await sql.query(`
      CREATE TABLE "PostNew" (LIKE "Post" INCLUDING ALL);
      INSERT INTO "PostNew" SELECT * FROM "Post";
      UPDATE "PostNew" SET title = 'of the other table'`)
    try {
      await caches.posts.invalidate(1n)
      await untilReported(world.follower)
      await sql.query(
        'BEGIN; ALTER TABLE "Post" RENAME TO "PostOld"; ALTER TABLE "PostNew" RENAME TO "Post"; COMMIT',
      )
      expect(await title()).toBe('of the other table')
      await caches.posts.drain()
      await sql.query(
        'BEGIN; ALTER TABLE "Post" RENAME TO "PostNew"; ALTER TABLE "PostOld" RENAME TO "Post"; COMMIT',
      )
      await eventuallyEqual(title, 'title 1')
    } finally {
      await world.stop()
      await sql.query('DROP TABLE "PostNew"')
    }
  })

  it('is noticed while another one cannot join, because a statement has locked it', async () => {
    const world = await openFollowed()
    const locking = await connectTo(world)
    await locking.query('BEGIN; LOCK TABLE "Setting" IN SHARE ROW EXCLUSIVE MODE')
    try {
      await openSettings(world)
      await eventually(() => world.warnings.some((warning) => warning.includes('has locked a table')))
      await world.sql.query(`ALTER PUBLICATION ${world.publication} SET (publish = 'insert')`)
      await world.rename('unpublished')
      await eventuallyEqual(world.title, 'unpublished')
    } finally {
      await locking.end()
    }
    await eventuallyEqual(() => world.follower.report?.caches.length, 2)
  })
})

describe('while nobody follows, with a durable slot', () => {
  it.each<Change>([
    ['was replaced', () => swap, 'in the new table', swapBack],
    [
      'left the publication for a moment',
      (name) =>
        `ALTER PUBLICATION ${name} DROP TABLE "Post"; UPDATE "Post" SET title = 'unpublished' WHERE id = 1;
         ALTER PUBLICATION ${name} ADD TABLE "Post"`,
    ],
    [
      'was in a publication that was dropped',
      (name) => `DROP PUBLICATION ${name}; UPDATE "Post" SET title = 'unpublished' WHERE id = 1`,
    ],
    [
      'was in a schema of another name',
      () =>
        `ALTER SCHEMA public RENAME TO away; UPDATE away."Post" SET title = 'away' WHERE id = 1;
         ALTER SCHEMA away RENAME TO public`,
      'away',
    ],
    [
      'was rewritten by a change of a type',
      () => `ALTER TABLE "Post" ALTER COLUMN title TYPE text USING title || '!'`,
      'title 1!',
    ],
  ])('a table that %s is emptied before it counts as followed', async (_, change, ...rest) => {
    const [title = 'unpublished', restore = 'SELECT'] = rest
    const slot = freshSlot()
    const world = await openFollowed({ slot: slot.name })
    await world.stop()
    await world.sql.query(change(world.publication))
    try {
      const next = await world.follow({ slot: slot.name, publication: world.publication, caches: 1 })
      expect(await world.title()).toBe(title)
      await next.stop()
    } finally {
      await slot.drop(world)
      await world.sql.query(restore)
    }
  })
})
