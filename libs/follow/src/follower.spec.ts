import { jest } from '@jest/globals'
import { MemoryStore } from 'model-cache/advanced'
import { consistencySettings, NamespaceCaches } from 'model-cache/internal'
import { eventually } from '../../../test/support/eventually.js'
import { manualClock } from '../../../test/support/manual-clock.js'
import { ScriptedLog } from '../../../test/support/scripted-log.js'
import type { Leadership } from './database-log.js'
import type { FollowContext } from './follow-context.js'
import { Follower } from './follower.js'
import { FollowWatch } from './follow-watch.js'

const followers: Follower[] = []
afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop()
  jest.restoreAllMocks()
})

/** Waits for leadership, as a stand-by does. */
const untilEnded = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** A process that stands by, and looks at how long it has not heard the follower. @param state which the follower has reported */
async function standBy(state?: 'resigned') {
  const clock = manualClock()
  const seen = {
    looks: 0,
    deposed: 0,
    limits: [] as number[],
    isDeaf: false,
    /** How often it has asked whether it hears anything. */
    probes: 0,
    isHeardMeanwhile: false,
    heardAtMs: performance.now(),
    report: state && { state },
    leader: (): 'deposed' | undefined => undefined,
    keys: [] as string[],
    epoch: 'of the store',
    isAway: false,
    warned: [] as string[],
  }
  const context = {
    database: {
      name: 'a database',
      elect: (key: string, signal: AbortSignal) => {
        seen.keys.push(key)
        return untilEnded(signal)
      },
      depose: async (_: string, idleMs: number) => {
        seen.deposed++
        seen.limits.push(idleMs)
        return seen.leader()
      },
    },
    namespace: 'mc',
    namespaceCaches: {
      catalogue: {
        read: async () => {
          if (seen.isAway) throw new Error('the store is away')
        },
        get epoch() {
          return seen.isAway ? 'unknown' : seen.epoch
        },
      },
    },
    watch: {
      get report() {
        return seen.report
      },
      get silentForMs() {
        seen.looks++
        return performance.now() - seen.heardAtMs
      },
      hears: async () => {
        seen.probes++
        if (seen.isHeardMeanwhile) seen.heardAtMs = performance.now()
        return !seen.isDeaf
      },
    },
    log: { warn: (message: string) => void seen.warned.push(message), info() {} },
  }
  const follower = new Follower(context as unknown as FollowContext)
  followers.push(follower)
  follower.start()
  await new Promise(setImmediate)
  /** Milliseconds pass, and it looks at the end of them. */
  const passes = async (ms: number): Promise<void> => {
    const { looks } = seen
    clock.pass(ms)
    await eventually(() => seen.looks > looks)
    // What follows from it takes no timer.
    await new Promise(setImmediate)
  }
  return { follower, passes, seen }
}

describe('a process that stands by', () => {
  it('deposes a follower that it has not heard for three seconds', async () => {
    const { passes, seen } = await standBy()
    for (let seconds = 1; seconds < 3; seconds++) await passes(1_000)
    expect(seen.deposed).toBe(0)
    await passes(1_000)
    expect(seen.deposed).toBe(1)
  })

  it('does not count the time in which it was held up itself, and has read no report', async () => {
    const { passes, seen } = await standBy()
    await passes(60_000)
    expect(seen.deposed).toBe(0)
    seen.heardAtMs = performance.now()
    for (let seconds = 1; seconds < 3; seconds++) await passes(1_000)
    expect(seen.deposed).toBe(0)
  })

  it('does not count the time in which it heard nothing at all', async () => {
    const { passes, seen } = await standBy('resigned')
    seen.isDeaf = true
    await passes(1_000)
    seen.isDeaf = false
    await passes(400)
    expect(seen.deposed).toBe(0)
    await passes(400)
    expect(seen.deposed).toBe(1)
  })

  it('deposes a follower that has resigned after 800 ms', async () => {
    const { passes, seen } = await standBy('resigned')
    await passes(700)
    expect(seen.deposed).toBe(0)
    await passes(100)
    expect(seen.limits).toEqual([800])
  })

  it('asks nobody while it hears the follower', async () => {
    const { passes, seen } = await standBy()
    await passes(1_000)
    await passes(1_000)
    expect(seen.probes).toBe(0)
  })

  it('does not depose a follower that it hears at the last moment', async () => {
    const { passes, seen } = await standBy('resigned')
    seen.isHeardMeanwhile = true
    await passes(1_000)
    expect([seen.probes, seen.deposed]).toEqual([1, 0])
  })

  it('stands by for another store once that has taken the place of the store', async () => {
    const { passes, seen } = await standBy('resigned')
    seen.epoch = 'of another store'
    await passes(1_000)
    await eventually(() => seen.keys.length > 1)
    expect(seen).toMatchObject({ keys: ['mc:of the store', 'mc:of another store'], deposed: 0, warned: [] })
  })

  it('stands by for the store that does not answer', async () => {
    const { passes, seen } = await standBy('resigned')
    seen.isAway = true
    await passes(1_000)
    expect([seen.keys, seen.deposed]).toEqual([['mc:of the store'], 1])
  })

  it.each([
    [
      'deposes one',
      () => 'deposed' as const,
      'ModelCache: the follower of a database has given no sign of life for 1000 ms; another one takes over.',
    ],
    [
      'may not depose it',
      () => {
        throw new Error('model-cache: permission denied')
      },
      'ModelCache: writes to a database outside this library are not followed by this process: permission denied. It tries again.',
    ],
  ])('says so when it %s', async (_, leader, warning) => {
    const { passes, seen } = await standBy('resigned')
    seen.leader = leader
    await passes(1_000)
    await eventually(() => seen.warned.length > 0)
    expect(seen.warned).toEqual([warning])
  })

  it('says nothing when there is no follower, or when it is stopped', async () => {
    const { follower, passes, seen } = await standBy('resigned')
    await passes(1_000)
    await follower.stop()
    expect([seen.deposed, seen.warned]).toEqual([1, []])
  })
})

/** A process that is elected unless an election is to fail. */
async function electable(log: ScriptedLog) {
  const store = new MemoryStore()
  const said: string[] = []
  const failures: unknown[] = []
  const keys: string[] = []
  const electedAtMs: number[] = []
  let resigned = 0
  const operators = {
    warn: (message: string) => void said.push(message),
    info: (message: string) => void said.push(message),
  }
  const leadership: Leadership = { ...log.leadership, resign: async () => void resigned++ }
  const known = new NamespaceCaches({
    store,
    namespace: 'mc',
    consistency: consistencySettings({}),
    log: operators,
  })
  const watch = new FollowWatch({ namespace: 'mc', messages: undefined, maxLagMs: 10_000 })
  const follower = new Follower({
    database: {
      name: 'a database',
      providers: new Set(['postgresql']),
      elect: async (key) => {
        keys.push(key)
        electedAtMs.push(performance.now())
        if (failures.length > 0) throw failures.shift()
        return leadership
      },
      depose: async () => undefined,
    },
    namespace: 'mc',
    namespaceCaches: known,
    store,
    watch,
    observer: { events() {}, lagSeconds() {}, takeovers() {} },
    log: operators,
  })
  followers.push(follower)
  return { electedAtMs, failures, follower, keys, known, resigned: () => resigned, said, watch }
}

const follows = 'ModelCache: this process follows the writes to a database.'
const notFollowed = (reason: string): string =>
  `ModelCache: writes to a database outside this library are not followed by this process: ${reason} It tries again.`

describe('a process that is elected', () => {
  it('follows, and resigns when it is stopped', async () => {
    const { follower, keys, known, resigned, said, watch } = await electable(new ScriptedLog())
    follower.start()
    follower.start()
    await eventually(() => watch.report?.state === 'following')
    expect([keys, resigned()]).toEqual([[`mc:${known.catalogue.epoch}`], 0])
    await follower.stop()
    expect([watch.report?.state, resigned(), keys.length, said]).toEqual(['resigned', 1, 1, [follows]])
  })

  it('tries again after an error, which it says once until it follows', async () => {
    const log = new ScriptedLog()
    const { electedAtMs, failures, follower, resigned, said, watch } = await electable(log)
    failures.push(
      new Error('model-cache: no route to model-cache: the server'),
      new Error('model-cache: no route to model-cache: the server'),
      'denied by model-cache: the server.',
    )
    follower.start()
    await eventually(() => watch.report?.state === 'following')
    expect(said).toEqual([
      notFollowed('no route to model-cache: the server.'),
      notFollowed('denied by model-cache: the server.'),
      'ModelCache: follows a database again.',
      follows,
    ])
    // Each time, it waits twice as long: 100, 200, and 400 ms, which timers cut by a part of one.
    expect(electedAtMs[3]! - electedAtMs[2]!).toBeGreaterThan(390)
    said.length = 0
    failures.push(new Error('denied.'))
    log.ending.resolve(new Error('the slot is gone'))
    // Elected again, it has the log that has ended.
    await eventually(() => resigned() > 1)
    expect(said.slice(0, 2)).toEqual([notFollowed('the slot is gone.'), notFollowed('denied.')])
  })

  it('does not follow for a store that has just been replaced', async () => {
    const { follower, keys, known, said } = await electable(new ScriptedLog())
    known.catalogue.read = async () => {}
    follower.start()
    await eventually(() => said.length > 0)
    expect([keys, said]).toEqual([[], [notFollowed('the store has just been replaced.')]])
  })

  it('says each problem of a table once', async () => {
    const log = new ScriptedLog()
    log.problems = ['first', 'first', 'second'].map((message) => ({ table: '', isFollowed: true, message }))
    const { follower, said, watch } = await electable(log)
    follower.start()
    await eventually(() => watch.report?.state === 'following')
    expect(said).toEqual(['ModelCache: first', 'ModelCache: second', follows])
  })
})
