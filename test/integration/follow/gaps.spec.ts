import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { definePosts } from '../lookups/posts.js'
import { beginTransaction, untilReported, useFollowWorlds } from './follow-worlds.js'
import { followPosts, openPosts } from './followed-posts.js'
import { freshSlot } from './slots.js'

const openWorld = useFollowWorlds()

it('invalidates what was written while nobody followed, when somebody follows again', async () => {
  const world = await openWorld()
  const { rename, stop, title } = await followPosts(world)
  await stop()
  await rename('in the gap')
  expect(await title()).not.toBe('in the gap')
  const second = await world.follow()
  expect(await title()).toBe('in the gap')
  expect(second.counts.get('takeovers')).toBe(1)
})

it('goes on where a durable slot has stopped, without emptying the caches', async () => {
  const world = await openWorld()
  const { epoch, rename, title } = await openPosts(world)
  const slot = freshSlot()
  const first = await world.follow({ slot: slot.name })
  await first.stop()
  const before = await epoch()
  await rename('meanwhile')
  const second = await world.follow({ slot: slot.name })
  await eventuallyEqual(title, 'meanwhile')
  expect(await epoch()).toBe(before)
  expect([first.warnings, second.warnings]).toEqual([[expect.stringContaining('did not exist')], []])
  await second.stop()
  await slot.drop(world)
})

describe('with commits that PostgreSQL shows before its log has them', () => {
  const openLaggingWorld = useFollowWorlds({ synchronous_commit: 'off', wal_writer_delay: '10s' })

  it('follows again once it has taken those that were made before', async () => {
    const world = await openLaggingWorld()
    const slot = freshSlot()
    const { rename, stop, title } = await followPosts(world, { slot: slot.name })
    await stop()
    await rename('not flushed')
    const second = await world.follow({ slot: slot.name })
    expect(await title()).toBe('not flushed')
    await second.stop()
    await slot.drop(world)
  })
})

it('empties the caches, and says so once, when a durable slot was dropped', async () => {
  const world = await openWorld()
  const slot = freshSlot()
  const { rename, stop, title } = await followPosts(world, { slot: slot.name })
  await stop()
  await slot.drop(world)
  await rename('lost')
  const second = await world.follow({ slot: slot.name })
  expect(await title()).toBe('lost')
  expect(second.warnings).toEqual([expect.stringContaining(`"${slot.name}" did not exist`)])
  await second.stop()
  await slot.drop(world)
})

it('empties the caches once for a durable slot that was made by hand', async () => {
  const world = await openWorld()
  const { rename, title } = await openPosts(world)
  const slot = freshSlot()
  await (await world.follow()).stop()
  await title()
  await rename('before the slot')
  await world.sql.query(`SELECT pg_create_logical_replication_slot($1, 'pgoutput')`, [slot.name])
  const follower = await world.follow({ slot: slot.name })
  expect(await title()).toBe('before the slot')
  await follower.stop()
  await slot.drop(world)
})

it('follows again after PostgreSQL has ended its connections', async () => {
  const world = await openWorld()
  const { rename, title } = await openPosts(world)
  const { counts, follower } = await world.follow()
  const followsAgain = (before: number): Promise<void> =>
    eventually(() => counts.get('takeovers')! > before && follower.report?.state === 'following')
  await title()
  await world.sql.query(`SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active`)
  await followsAgain(1)
  await rename('after the stream')
  await eventuallyEqual(title, 'after the stream')
  const takeovers = counts.get('takeovers')!
  await world.sql.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`,
  )
  await followsAgain(takeovers)
  await rename('after the lock')
  await eventuallyEqual(title, 'after the lock')
})

it('empties caches that were described while it waited for transactions of before', async () => {
  const world = await openWorld()
  const { rename } = await openPosts(world)
  const before = await beginTransaction(world)
  const { follower } = await world.follow({ standsBy: true })
  const waiting = `SELECT FROM pg_stat_activity WHERE backend_type = 'walsender' AND wait_event_type = 'Lock'`
  await eventually(async () => (await world.sql.query(waiting)).rowCount)
  const { caches } = await world.openPod({ later: definePosts({ name: 'Later' }) })
  await caches.later.get(1n)
  await caches.later.drain()
  await rename('before the slot')
  await before.commit()
  await eventuallyEqual(() => follower.report?.caches.length, 2)
  expect((await caches.later.get(1n))!.title).toBe('before the slot')
})

it('follows again for a Valkey that has lost what it held, while rows are written all the time', async () => {
  const world = await openWorld()
  const { counts, rename, title } = await followPosts(world)
  const over = new AbortController()
  const writing = (async () => {
    for (let n = 0; !over.signal.aborted; n++) await rename(`title ${n}`)
  })()
  await world.admin.flushdb()
  await eventuallyEqual(() => counts.get('takeovers'), 2)
  over.abort()
  await writing
  await rename('after the loss')
  await eventuallyEqual(title, 'after the loss')
})

it('asks the database that rows are loaded from whether it has a write, before the rows may be stored', async () => {
  const world = await openWorld()
  const { rename, title } = await openPosts(world)
  // The primary itself, which has everything: no server here can be a read replica.
  const { counts } = await world.follow({ replica: { url: world.databaseUrl } })
  await rename('replayed')
  await eventuallyEqual(title, 'replayed')
  await eventually(() => counts.get('lags'))
})

it('lets one process follow, and another one as soon as it has stopped', async () => {
  const world = await openWorld()
  const { rename, title } = await openPosts(world)
  const first = await world.follow()
  const second = await world.follow({ standsBy: true })
  await sleep(1_500)
  expect([first.counts.get('takeovers'), second.counts.get('takeovers')]).toEqual([1, undefined])
  expect(second.follower.report?.state).toBe('following')
  await first.stop()
  await eventuallyEqual(() => second.counts.get('takeovers'), 1)
  await rename('by the second')
  await eventuallyEqual(title, 'by the second')
})

it('confirms an idle log, so that PostgreSQL need not keep it', async () => {
  const world = await openWorld()
  await openPosts(world)
  await world.follow()
  const admin = new pg.Client({ connectionString: world.postgres.url })
  await admin.connect()
  try {
    await admin.query('CREATE TABLE IF NOT EXISTS elsewhere (id int)')
    const { rows } = await admin.query<{ lsn: string }>(
      'INSERT INTO elsewhere VALUES (1) RETURNING pg_current_wal_insert_lsn() AS lsn',
    )
    await eventually(async () => {
      const confirmed = await admin.query<{ done: boolean }>(
        'SELECT confirmed_flush_lsn >= $1 AS done FROM pg_replication_slots WHERE active',
        [rows[0]!.lsn],
      )
      return confirmed.rows[0]?.done
    })
  } finally {
    await admin.end()
  }
})

it('confirms nothing that Valkey has not taken', async () => {
  const world = await openWorld()
  const slot = freshSlot()
  const first = await followPosts(world, { slot: slot.name })
  const { rename, title } = first
  await first.caches.posts.drain()
  const allow = (...keys: readonly string[]) =>
    world.admin.acl('SETUSER', 'default', 'resetkeys', ...keys.map((key) => `~${key}`))
  // It takes the bookmark of the follower, and no invalidation.
  await allow('*:{catalogue}*', '*:{databases}', '*:{follow}*')
  try {
    await rename('not taken')
    await eventually(() => first.counts.get('update'))
    // Each time it asks the database how far the log is.
    await untilReported(first.follower, 4)
    await first.stop()
  } finally {
    await allow('*')
  }
  expect(await title()).not.toBe('not taken')
  const second = await world.follow({ slot: slot.name })
  await eventuallyEqual(title, 'not taken')
  await second.stop()
  await slot.drop(world)
})

it('empties the caches for a slot that was dropped, when the follower that made it again has not done so', async () => {
  const world = await openWorld()
  const slot = freshSlot()
  const { rename, stop, title } = await followPosts(world, { slot: slot.name })
  await stop()
  await rename('lost')
  await slot.drop(world)
  // It creates the slot, and cannot ask whether the replica has what was written before.
  const second = await world.follow({
    slot: slot.name,
    standsBy: true,
    replica: { url: 'postgres://127.0.0.1:1/none' },
  })
  await eventually(() => second.warnings.some((warning) => warning.includes('cannot connect')))
  await second.stop()
  const third = await world.follow({ slot: slot.name })
  expect(await title()).toBe('lost')
  await third.stop()
  await slot.drop(world)
})
