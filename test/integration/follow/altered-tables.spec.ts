import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { definePosts } from '../lookups/posts.js'
import { type FollowOptions, type FollowWorld, untilReported, useFollowWorlds } from './follow-worlds.js'
import { openSettings } from './settings.js'
import { freshSlot } from './slots.js'

const openWorld = useFollowWorlds()

describe('a table whose rows change without an event', () => {
  const partition = `
    ALTER TABLE "Setting" RENAME TO plain;
    CREATE TABLE "Setting" (LIKE plain INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
    CREATE TABLE low PARTITION OF "Setting" FOR VALUES FROM (0) TO (1000);
    INSERT INTO "Setting" SELECT * FROM plain`
  const restore = 'DROP TABLE "Setting"; DROP TABLE IF EXISTS low; ALTER TABLE plain RENAME TO "Setting"'
  const detach = 'ALTER TABLE "Setting" DETACH PARTITION low'

  it.each([
    [
      'by a change of its type',
      'SELECT',
      `ALTER TABLE "Setting" ALTER COLUMN key TYPE text USING key || '!'`,
      'SELECT',
      'k1!',
    ],
    [
      'by names of columns',
      `ALTER TABLE "Setting" ADD COLUMN later text NOT NULL DEFAULT 'of another column'`,
      'ALTER TABLE "Setting" RENAME COLUMN key TO former; ALTER TABLE "Setting" RENAME COLUMN later TO key',
      'ALTER TABLE "Setting" DROP COLUMN key; ALTER TABLE "Setting" RENAME COLUMN former TO key',
      'of another column',
    ],
    ...['word', 'words'].map((type): [string, string, string, string, string] => [
      `by another name of a value of an enum, as ${type}`,
      `CREATE TYPE word AS ENUM ('k1', 'other'); CREATE DOMAIN words AS word;
       ALTER TABLE "Setting" ALTER COLUMN key TYPE ${type} USING 'k1'`,
      `ALTER TYPE word RENAME VALUE 'k1' TO 'renamed'`,
      'ALTER TABLE "Setting" ALTER COLUMN key TYPE text; DROP DOMAIN words; DROP TYPE word',
      'renamed',
    ]),
    [
      'in a schema that has another name for a moment',
      'SELECT',
      `ALTER SCHEMA public RENAME TO away;
       UPDATE away."Setting" SET key = 'away' WHERE id = 1;
       ALTER SCHEMA away RENAME TO public`,
      'SELECT',
      'away',
    ],
    [
      'in a partition that is detached for a moment',
      partition,
      `${detach}; UPDATE low SET key = 'detached'; ALTER TABLE "Setting" ATTACH PARTITION low FOR VALUES FROM (0) TO (1000)`,
      restore,
      'detached',
    ],
    ['in a partition that is detached', partition, detach, restore, undefined],
    ['by TRUNCATE of a partition', partition, 'TRUNCATE low', restore, undefined],
  ])('%s is emptied', async (_, setUp, change, restoring, key) => {
    const world = await openWorld()
    await world.sql.query(setUp)
    try {
      const read = (await openSettings(world)).key
      const { stop } = await world.follow({ caches: 1 })
      expect(await read()).toBe('k1')
      await world.sql.query(change)
      await eventuallyEqual(read, key)
      await stop()
    } finally {
      await world.sql.query(restoring)
    }
  })

  it('while it is unlogged for a moment, in a publication of all tables, is emptied', async () => {
    const world = await openWorld()
    const publication = `publication_${Date.now()}`
    await world.sql.query('ALTER TABLE "Unseen" REPLICA IDENTITY FULL')
    await world.sql.query(
      `CREATE PUBLICATION ${publication} FOR ALL TABLES WITH (publish_via_partition_root)`,
    )
    const { key } = await openSettings(world)
    await world.follow({ publication, caches: 1 })
    await key()
    await world.sql.query(`
      ALTER TABLE "Setting" SET UNLOGGED;
      UPDATE "Setting" SET key = 'unlogged' WHERE id = 1;
      ALTER TABLE "Setting" SET LOGGED`)
    await eventuallyEqual(key, 'unlogged')
  })

  it('in tables that inherit from it is not followed any more, until none does', async () => {
    const world = await openWorld()
    const { key } = await openSettings(world)
    const { follower, warnings } = await world.follow({ caches: 1 })
    await key()
    await world.sql.query(`
      CREATE TABLE child () INHERITS ("Setting");
      INSERT INTO child SELECT * FROM "Setting" WHERE id = 1;
      DELETE FROM ONLY "Setting" WHERE id = 1`)
    try {
      await eventually(() => warnings.some((warning) => warning.includes('inherit from')))
      expect(follower.report!.caches).toEqual([])
      await key()
      await world.sql.query(`UPDATE "Setting" SET key = 'of the child' WHERE id = 1`)
    } finally {
      await world.sql.query('DROP TABLE child')
    }
    await eventuallyEqual(() => follower.report!.caches.length, 1)
    expect(await key()).toBeUndefined()
  })
})

describe('while it follows, caches are not emptied', () => {
  const epochIn = async ({ admin, namespace }: FollowWorld, name: string) =>
    (await admin.get(`${namespace}:{${name}}:register`))?.split(';')[0]

  /** Follows posts and settings, and returns the epochs of their caches. */
  async function openFollowed(options: FollowOptions = {}) {
    const world = await openWorld()
    const { caches } = await world.openPod({ posts: definePosts() })
    await caches.posts.get(1n)
    await openSettings(world)
    const { follower, stop } = await world.follow({ caches: 2, ...options })
    const epochs = () => Promise.all(['Post', 'Setting'].map((name) => epochIn(world, name)))
    return { ...world, follower, stop, epochs }
  }

  it('by maintenance of their tables', async () => {
    const { epochs, follower, sql } = await openFollowed()
    const before = await epochs()
    // VACUUM cannot run in a transaction.
    for (const statement of [
      'VACUUM (ANALYZE, FREEZE) "Post"',
      'REINDEX TABLE "Post"',
      'CREATE INDEX maintained ON "Post" (title)',
    ])
      await sql.query(statement)
    await untilReported(follower, 3)
    expect([await epochs(), follower.report!.caches.length]).toEqual([before, 2])
    await sql.query('DROP INDEX maintained')
  })

  it('by changes of other tables', async () => {
    const { epochs, sql } = await openFollowed()
    const [posts, settings] = await epochs()
    await sql.query('ALTER TABLE "Setting" ADD COLUMN later text; ALTER TABLE "Setting" DROP COLUMN later')
    await eventually(async () => (await epochs())[1] !== settings)
    expect((await epochs())[0]).toBe(posts)
  })
  it('by changes of other tables while nobody followed, with a durable slot', async () => {
    const slot = freshSlot()
    const world = await openFollowed({ slot: slot.name })
    const [posts, settings] = await world.epochs()
    await world.stop()
    await world.sql.query(
      'ALTER TABLE "Setting" ADD COLUMN later text; ALTER TABLE "Setting" DROP COLUMN later',
    )
    const next = await world.follow({ slot: slot.name })
    const [postsAfter, settingsAfter] = await world.epochs()
    expect([postsAfter === posts, settingsAfter === settings]).toEqual([true, false])
    await next.stop()
    await slot.drop(world)
  })
})
