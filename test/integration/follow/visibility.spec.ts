import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { definePosts } from '../lookups/posts.js'
import { useFollowWorlds } from './follow-worlds.js'

const openWorld = useFollowWorlds()

let admin: pg.Client
let writer: pg.Client
afterEach(async () => {
  await waitForStandby('')
  await Promise.all([admin.end(), writer.end()])
})

/** Has COMMITs wait for a standby that does not exist: they are in the log, and no reader sees them. */
async function waitForStandby(name: string): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`)
  await admin.query('SELECT pg_reload_conf()')
  await eventually(async () => {
    const { rows } = await admin.query<{ value: string }>(
      `SELECT current_setting('synchronous_standby_names') AS value`,
    )
    return rows[0]!.value === name
  })
}

async function open() {
  const world = await openWorld()
  admin = new pg.Client({ connectionString: world.databaseUrl })
  writer = new pg.Client({ connectionString: world.databaseUrl })
  await Promise.all([admin.connect(), writer.connect()])
  await admin.query('SET synchronous_commit = local')
  await writer.query('SET synchronous_commit = on')
  const { caches } = await world.openPod({ posts: definePosts() })
  const title = async () => (await caches.posts.get(1n))?.title
  const isStored = async () => (await caches.posts.explain(1n)).stored.isHit
  return { world, title, isStored }
}

/**
 * Resolves when COMMITs wait for the standby. A reload reaches the sessions and the checkpointer apart, and it is the
 * checkpointer who makes COMMITs wait: what commits before it has read the new setting does not.
 */
async function untilCommitsWait(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET synchronous_commit = on')
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await eventually(async () => {
    const probe = client.query(`SELECT pg_logical_emit_message(true, 'probe', '')`)
    const ended = probe.then(() => 'ended')
    for (;;) {
      if (await waitsForStandby(rows[0]!.pid)) break
      if ((await Promise.race([ended, sleep(10)])) === 'ended') return false
    }
    await admin.query('SELECT pg_cancel_backend($1)', [rows[0]!.pid])
    await probe
    return true
  })
  await client.end()
}

async function waitsForStandby(pid: number): Promise<boolean> {
  const { rowCount } = await admin.query(
    `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid = $1`,
    [pid],
  )
  return rowCount === 1
}

/** Commits a new title up to the wait for the standby. */
async function commitInvisibly(url: string): Promise<{ readonly ended: Promise<unknown> }> {
  const { rows } = await writer.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await waitForStandby('absent')
  await untilCommitsWait(url)
  const ended = writer.query(`UPDATE "Post" SET title = 'new' WHERE id = 1`)
  ended.catch(() => {})
  await eventually(() => waitsForStandby(rows[0]!.pid))
  return { ended }
}

const storedAgain = async (title: () => Promise<string | undefined>, isStored: () => Promise<boolean>) => {
  await eventually(async () => (await title()) !== undefined && (await isStored()))
}

/** Has the row stored also if it is invalidated in the meantime, which the follower would do too early. */
async function storedRepeatedly(title: () => Promise<string | undefined>, isStored: () => Promise<boolean>) {
  for (let time = 0; time < 40; time++) {
    await storedAgain(title, isStored)
    await sleep(20)
  }
}

it('stores no row from before a commit that the log has and readers do not see yet', async () => {
  const { isStored, title, world } = await open()
  await title()
  const { counts } = await world.follow()
  const { ended } = await commitInvisibly(world.databaseUrl)
  await eventuallyEqual(() => counts.get('update'), 1)
  expect(await title()).not.toBe('new')
  await storedAgain(title, isStored)
  await waitForStandby('')
  await ended
  await eventuallyEqual(title, 'new')
})

/** Begins a transaction that commits without a standby. */
async function beginLocally(url: string, id: number) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET synchronous_commit = local')
  await client.query('BEGIN')
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await client.query(`UPDATE "Post" SET title = 'another' WHERE id = $1`, [id])
  return {
    /** Waits until the creation of a slot waits for it. */
    blocks: () =>
      eventually(async () => {
        const { rowCount } = await admin.query(
          `SELECT 1 FROM pg_stat_activity WHERE backend_type = 'walsender' AND $1 = ANY (pg_blocking_pids(pid))`,
          [rows[0]!.pid],
        )
        return rowCount === 1
      }),
    commit: async () => {
      await client.query('COMMIT')
      await client.end()
    },
  }
}

it('does not trust a new log before the commits are visible that it does not have', async () => {
  const { isStored, title, world } = await open()
  await title()
  await (await world.follow()).stop()
  // PostgreSQL builds the first snapshot of a slot in two steps, each of which waits for transactions; what commits between them is not in the log.
  const first = await beginLocally(world.databaseUrl, 2)
  const { follower } = await world.follow({ standsBy: true })
  await first.blocks()
  const second = await beginLocally(world.databaseUrl, 3)
  await first.commit()
  await second.blocks()
  const { ended } = await commitInvisibly(world.databaseUrl)
  await second.commit()
  await storedRepeatedly(title, isStored)
  expect(follower.report?.state).not.toBe('following')
  await waitForStandby('')
  await ended
  await eventuallyEqual(() => follower.report?.state, 'following')
  await eventuallyEqual(title, 'new')
})

it('invalidates a table that joins the log when the transactions of before have ended', async () => {
  const { isStored, title, world } = await open()
  await world.follow()
  await writer.query('BEGIN')
  await writer.query(`UPDATE "Post" SET title = 'new' WHERE id = 1`)
  await title()
  await eventually(
    async () =>
      (await world.sql.query(`SELECT 1 FROM pg_publication_tables WHERE tablename = 'Post'`)).rowCount,
  )
  await storedRepeatedly(title, isStored)
  await writer.query('COMMIT')
  await eventuallyEqual(title, 'new')
})
