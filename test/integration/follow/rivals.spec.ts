import { Redis } from 'ioredis'
import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { createPostgresDatabase } from '../../support/postgres-server.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { useFollowWorlds } from './follow-worlds.js'
import { openPosts } from './followed-posts.js'
import { freshSlot } from './slots.js'

const openWorld = useFollowWorlds()
let otherValkey: ValkeyServer

beforeAll(async () => {
  otherValkey = await startValkey()
})
afterAll(() => otherValkey.stop())

/** Longer than it takes to depose a follower that gives no sign of life. */
const unheardMs = 4_500

it('applications with a Valkey each follow one database side by side, even if one Valkey is a copy of another', async () => {
  const world = await openWorld()
  const one = await openPosts(world)
  const other = await openPosts(world, otherValkey.url)
  const first = await world.follow()
  const copy = await startValkey()
  const admin = new Redis(copy.port)
  try {
    await admin.call('REPLICAOF', '127.0.0.1', String(world.valkey.port))
    await eventually(async () => (await admin.info('replication')).includes('master_link_status:up'))
    await admin.call('REPLICAOF', 'NO', 'ONE')
    const second = await world.follow({ valkeyUrl: otherValkey.url })
    const third = await world.follow({ valkeyUrl: copy.url })
    await sleep(unheardMs)
    expect([first, second, third].map(({ counts }) => counts.get('takeovers'))).toEqual([1, 1, 1])
    await one.rename('seen by both')
    await eventuallyEqual(one.title, 'seen by both')
    await eventuallyEqual(other.title, 'seen by both')
    await third.stop()
  } finally {
    admin.disconnect()
    await copy.stop()
  }
})

it('refuses a durable slot that the follower of another Valkey reads, which goes on', async () => {
  const world = await openWorld()
  const slot = freshSlot()
  const one = await openPosts(world)
  await openPosts(world, otherValkey.url)
  const first = await world.follow({ slot: slot.name })
  const second = await world.follow({ slot: slot.name, valkeyUrl: otherValkey.url, standsBy: true })
  await eventually(() => second.warnings.length > 0)
  await sleep(unheardMs)
  expect(second.warnings).toEqual([
    expect.stringMatching(
      new RegExp(
        `the replication slot "${slot.name}" is read by another program.*Give each.* a slot of its own`,
      ),
    ),
  ])
  expect([first.counts.get('takeovers'), second.counts.get('takeovers')]).toEqual([1, undefined])
  await one.rename('still followed')
  await eventuallyEqual(one.title, 'still followed')
  await second.stop()
  await first.stop()
  await slot.drop(world)
})

it('empties the caches when another program has read the durable slot meanwhile', async () => {
  const world = await openWorld()
  const slot = freshSlot()
  const one = await openPosts(world)
  const first = await world.follow({ slot: slot.name })
  await one.title()
  await first.stop()
  await one.rename('read by another one')
  const other = await openPosts(world, otherValkey.url)
  const rival = await world.follow({ slot: slot.name, valkeyUrl: otherValkey.url })
  await one.rename('read by another one, too')
  await eventuallyEqual(other.title, 'read by another one, too')
  await rival.stop()
  const again = await world.follow({ slot: slot.name })
  expect(await one.title()).toBe('read by another one, too')
  await again.stop()
  await slot.drop(world)
})

it('refuses a durable slot that sends transactions before they are committed', async () => {
  const world = await openWorld()
  const slot = freshSlot()
  await openPosts(world)
  await world.sql.query(`SELECT pg_create_logical_replication_slot($1, 'pgoutput', false, true)`, [slot.name])
  const follower = await world.follow({ slot: slot.name, standsBy: true })
  await eventually(() => follower.warnings.length > 0)
  expect(follower.warnings[0]).toContain(`the replication slot "${slot.name}" has two_phase`)
  await follower.stop()
  await slot.drop(world)
})

it('refuses a durable slot of another database of the server', async () => {
  const world = await openWorld()
  const slot = freshSlot()
  await openPosts(world)
  const other = await createPostgresDatabase(world.postgres.url)
  const sql = new pg.Client({ connectionString: other.url })
  await sql.connect()
  try {
    await sql.query(`SELECT pg_create_logical_replication_slot($1, 'pgoutput')`, [slot.name])
    const { warnings } = await world.follow({ slot: slot.name, standsBy: true })
    await eventually(() => warnings.length > 0)
    expect(warnings[0]).toMatch(
      new RegExp(`the replication slot "${slot.name}" belongs to the database "[^"]+".*Name another one`),
    )
    await sql.query('SELECT pg_drop_replication_slot($1)', [slot.name])
  } finally {
    await sql.end()
    await other.drop()
  }
})
