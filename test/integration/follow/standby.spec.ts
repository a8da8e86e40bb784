import { PrismaPg } from '@prisma/adapter-pg'
import { databaseOf, NamespaceDatabase, ValkeyStore } from 'model-cache/advanced'
import pg from 'pg'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { untilReported } from './follow-worlds.js'
import { openPosts, primaryOf, removeCatalogueRows, useRegions } from './regions.js'
import { freshSlot } from './slots.js'

const openRegion = useRegions()

it('invalidates what was committed on the primary as soon as readers of the standby see it', async () => {
  const region = await openRegion()
  const { rename, title } = await openPosts(region)
  // The primary is idle: it has to write the snapshot that the slot of a standby needs.
  const { counts, warnings } = await region.follow({ ...primaryOf(region), caches: 1 })
  await title()
  for (const to of ['one', 'two', 'three']) {
    await rename(to)
    await eventuallyEqual(title, to)
  }
  expect(counts.get('takeovers')).toBe(1)
  expect(warnings).toEqual([expect.stringContaining('hot_standby_feedback')])
})

it('follows a table that joins, once the standby has what was written before', async () => {
  const region = await openRegion()
  const { follower } = await region.follow(primaryOf(region))
  const writer = new pg.Client({ connectionString: region.databaseUrl })
  await writer.connect()
  await writer.query('BEGIN')
  await writer.query(`UPDATE "Post" SET title = 'before it joined' WHERE id = 1`)
  const { title } = await openPosts(region)
  const published = `SELECT FROM pg_publication_tables WHERE tablename = 'Post'`
  await eventually(async () => (await region.sql.query(published)).rowCount)
  await untilReported(follower, 3)
  expect(follower.report!.caches).toEqual([])
  await title()
  await writer.query('COMMIT')
  await writer.end()
  await eventuallyEqual(() => follower.report?.caches.length, 1)
  expect(await title()).toBe('before it joined')
})

it('says which right a role lacks to have the snapshot written, and follows when it has it', async () => {
  const region = await openRegion()
  await openPosts(region)
  await region.sql.query(`CREATE ROLE "snapshots" LOGIN SUPERUSER PASSWORD 'secret'`)
  const primary = new URL(region.databaseUrl)
  primary.username = 'snapshots'
  primary.password = 'secret'
  await (await region.follow({ primary: { url: primary.href } })).stop()
  // It may write the publication no more, which exists.
  await region.sql.query('ALTER ROLE "snapshots" NOSUPERUSER')
  const { follower, warnings } = await region.follow({ primary: { url: primary.href }, standsBy: true })
  const remedy = /Run there as a superuser: (GRANT .*) …;/
  await eventually(() => warnings.some((warning) => remedy.test(warning)))
  await region.sql.query(`${warnings.map((warning) => remedy.exec(warning)?.[1]).find(Boolean)} "snapshots"`)
  await eventuallyEqual(() => follower.report?.state, 'following')
})

it('says how far the standby is behind, and takes what was delayed', async () => {
  const region = await openRegion()
  const { rename, title } = await openPosts(region)
  const { follower } = await region.follow({ ...primaryOf(region), caches: 1 })
  await title()
  region.wire.delayMs = 1_500
  await rename('delayed')
  await eventually(() => follower.report!.standbyLagMs! > 500)
  // The caches are not behind what they are loaded from.
  expect(follower.report!.state).toBe('following')
  await eventuallyEqual(title, 'delayed')
  region.wire.delayMs = 0
  await eventuallyEqual(() => follower.report!.standbyLagMs, 0)
  await region.wire.refuse()
  await rename('behind a wire that was cut')
  await eventually(() => follower.report!.standbyLagMs! > 500)
  expect(await title()).toBe('delayed')
  await region.wire.accept()
  await eventuallyEqual(title, 'behind a wire that was cut')
})

it('does not follow while processes load rows from the primary, whose readers may see a commit later', async () => {
  const region = await openRegion()
  await openPosts(region)
  const Client = (await region.dialect.client()) as unknown as new (options: object) => {
    $disconnect(): Promise<void>
  }
  const client = new Client({ adapter: new PrismaPg({ connectionString: region.databaseUrl }) })
  const store = new ValkeyStore({ url: region.valkey.url, deadlineMs: 10_000 })
  await store.connect()
  const database = new NamespaceDatabase({ store, namespace: region.namespace, database: databaseOf(client) })
  await database.start()
  const { follower, warnings } = await region.follow({ ...primaryOf(region), standsBy: true })
  await eventually(() =>
    warnings.some((warning) => warning.includes('Give forRoot the client of the standby')),
  )
  await untilReported(follower, 3)
  expect(follower.report?.state).not.toBe('following')
  await database.stop()
  await eventuallyEqual(() => follower.report?.state, 'following')
  await store.close()
  await client.$disconnect()
})

it('empties the caches when the standby has given up the slot that somebody follows', async () => {
  const region = await openRegion()
  const { epoch, rename, title } = await openPosts(region)
  const { counts, follower } = await region.follow(primaryOf(region))
  await title()
  const before = await epoch()
  await removeCatalogueRows(region)
  await eventually(() => counts.get('takeovers')! > 1 && follower.report?.state === 'following')
  expect(await epoch()).not.toBe(before)
  await rename('after it')
  await eventuallyEqual(title, 'after it')
})

it('trusts a durable slot as long as the standby runs, which shows an earlier state when it starts', async () => {
  const region = await openRegion()
  const { epoch, rename, title } = await openPosts(region)
  const slot = freshSlot()
  const options = { slot: slot.name, ...primaryOf(region) }
  const first = await region.follow(options)
  await title()
  const before = await epoch()
  await first.stop()
  await rename('meanwhile')
  const second = await region.follow(options)
  await eventuallyEqual(title, 'meanwhile')
  expect(await epoch()).toBe(before)
  await second.stop()
  const { rows } = await region.standbySql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  process.kill(rows[0]!.pid, 'SIGKILL')
  const third = await region.follow(options)
  await eventually(async () => (await title()) === 'meanwhile')
  expect(await epoch()).not.toBe(before)
  await third.stop()
})

// The last one: after it there is no standby any more.
it('follows on when a standby between it and the primary is promoted, and empties the caches when it is', async () => {
  const region = await openRegion()
  const { epoch, title } = await openPosts(region)
  const { counts, follower, warnings } = await region.follow(primaryOf(region))
  const upstream = await region.cascade()
  await title()
  const before = await epoch()
  const { rows } = await region.sql.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn')
  const received = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done'
  await eventually(
    async () => (await upstream.query<{ done: boolean }>(received, [rows[0]!.lsn])).rows[0]!.done,
  )
  await upstream.query('SELECT pg_promote()')
  await upstream.query(`UPDATE "Post" SET title = 'on another timeline' WHERE id = 1`)
  const reader = new pg.Client({ connectionString: region.standbyUrl })
  await reader.connect()
  const replayed = `SELECT FROM "Post" WHERE title = 'on another timeline'`
  await eventually(async () => (await reader.query(replayed)).rowCount)
  await reader.end()
  await eventuallyEqual(title, 'on another timeline')
  expect(await epoch()).toBe(before)
  expect(counts.get('takeovers')).toBe(1)

  await region.standbySql.query('SELECT pg_promote()')
  await eventually(() => counts.get('takeovers')! > 1 && follower.report?.state === 'following')
  expect(warnings).toContainEqual(expect.stringContaining('the standby has been promoted'))
  expect(await epoch()).not.toBe(before)
  const writer = new pg.Client({ connectionString: region.standbyUrl })
  await writer.connect()
  await title()
  await writer.query(`UPDATE "Post" SET title = 'by the new primary' WHERE id = 1`)
  await eventuallyEqual(title, 'by the new primary')
  await writer.end()
})
