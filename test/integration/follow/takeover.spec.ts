import type { ChildProcess } from 'node:child_process'
import { builtLibrary } from '../../support/build-library.js'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { startServerProxy } from '../../support/server-proxy.js'
import { type FollowWorld, useFollowWorlds } from './follow-worlds.js'
import { openPosts } from './followed-posts.js'
import { startFollowerProcess } from './follower-process.js'

const openWorld = useFollowWorlds()
let library: string
const children: ChildProcess[] = []

beforeAll(async () => {
  library = await builtLibrary()
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function startProcess(world: FollowWorld, url?: string) {
  const started = startFollowerProcess(world, library, url)
  children.push(started.child)
  return started
}

describe.each(['SIGKILL', 'SIGSTOP'] as const)('when the follower gets %s', (signal) => {
  it('another process takes over, and what was written meanwhile is invalidated', async () => {
    const world = await openWorld()
    const { rename, title } = await openPosts(world)
    const leader = startProcess(world)
    await eventuallyEqual(() => leader.said.takeovers, 1)
    const { counts } = await world.follow({ standsBy: true })
    await title()
    leader.child.kill(signal)
    await rename('in the gap')
    await eventuallyEqual(() => counts.get('takeovers'), 1)
    await eventuallyEqual(title, 'in the gap')
    await rename('after it')
    await eventuallyEqual(title, 'after it')
    if (signal === 'SIGSTOP') {
      // It learns that it follows no more, and stands by.
      leader.child.kill('SIGCONT')
      await eventuallyEqual(() => leader.said.warnings.length, 1)
      await rename('beside a follower of the past')
      await eventuallyEqual(title, 'beside a follower of the past')
      expect([counts.get('takeovers'), leader.said.takeovers]).toEqual([1, 1])
    }
  })
})

it('another process takes over when the wire to PostgreSQL says nothing any more', async () => {
  const world = await openWorld()
  const { rename, title } = await openPosts(world)
  const wire = await startServerProxy(world.postgres.port)
  try {
    const url = new URL(world.databaseUrl)
    url.port = String(wire.port)
    const { said } = startProcess(world, url.href)
    await eventuallyEqual(() => said.takeovers, 1)
    const { counts } = await world.follow({ standsBy: true })
    await title()
    // A machine that is busy may have lost the connection before.
    said.warnings.length = 0
    wire.delayMs = 3_600_000
    await rename('behind a silent wire')
    await eventuallyEqual(() => counts.get('takeovers'), 1)
    await eventuallyEqual(title, 'behind a silent wire')
    expect(said.warnings[0]).toContain('lost the connection that holds the lock')
  } finally {
    await wire.stop()
  }
})

it('no process takes over because it does not hear the one that follows', async () => {
  const world = await openWorld()
  await openPosts(world)
  const deaf = await startServerProxy(world.valkey.port)
  try {
    const first = await world.follow()
    const { counts } = await world.follow({ standsBy: true, valkeyUrl: `valkey://127.0.0.1:${deaf.port}` })
    await deaf.refuse()
    const begun = performance.now()
    await eventually(() => performance.now() - begun > 6_000, 20_000)
    expect([first.counts.get('takeovers'), counts.get('takeovers')]).toEqual([1, undefined])
  } finally {
    await deaf.stop()
  }
})

it('a process takes over from one that works, and whose Valkey is out of its reach', async () => {
  const world = await openWorld()
  const { rename, title } = await openPosts(world)
  const wire = await startServerProxy(world.valkey.port)
  try {
    const first = await world.follow({ valkeyUrl: `valkey://127.0.0.1:${wire.port}` })
    const { counts, warnings } = await world.follow({ standsBy: true })
    await wire.refuse()
    await rename('while it is mute')
    await eventuallyEqual(() => counts.get('takeovers'), 1)
    await eventuallyEqual(title, 'while it is mute')
    // It was not deposed: another Valkey could be the one that it has.
    expect(warnings).toEqual([expect.stringContaining('its reports do not arrive here')])
    expect(first.warnings).toContainEqual(expect.stringContaining('the store does not take its reports'))
  } finally {
    await wire.stop()
  }
})
