import { getEventListeners } from 'node:events'
import { jest } from '@jest/globals'
import type { Store } from 'model-cache'
import { MemoryStore } from 'model-cache/advanced'
import {
  consistencySettings,
  DatabaseEntries,
  type FollowerReport,
  NamespaceCaches,
  tableKey,
} from 'model-cache/internal'
import { eventually, eventuallyEqual, turns } from '../../../test/support/eventually.js'
import { manualClock } from '../../../test/support/manual-clock.js'
import { insert, place, ScriptedLog, table, transaction } from '../../../test/support/scripted-log.js'
import type { Leadership } from './database-log.js'
import { FollowSession } from './follow-session.js'
import { FollowWatch } from './follow-watch.js'

const stopping: AbortController[] = []
afterEach(() => {
  jest.restoreAllMocks()
  for (const stop of stopping.splice(0)) stop.abort()
})

const namespace = 'mc'
const silent = { warn() {}, info() {} }

/** Describes a cache, of posts unless another model is named, as a process with such a cache does. */
async function describePosts(store: Store, name: string, model = 'Post', replicas = 0) {
  const consistency = consistencySettings({ replicas })
  const known = new NamespaceCaches({ store, namespace, consistency, log: silent })
  const field = known.catalogue.add(
    {
      name,
      model,
      id: [{ name: 'id', kind: 'bigint' }],
      buckets: 1,
      dependsOn: [],
      lookups: [],
      tables: {
        provider: 'postgresql',
        models: [{ model, ...place, name: model, columns: [{ field: 'id', column: 'id', type: 'Int' }] }],
        joins: [],
      },
    },
    'fingerprint',
  )
  await known.catalogue.describe(field)
  return known
}

/** Has the database answer in this way whether tables have changed. */
function answerComparisons(log: ScriptedLog, answer: () => Promise<boolean>) {
  const { open } = log.leadership
  const hasChanged = jest.fn(answer)
  changeLeadership(log, { open: async (options) => Object.assign(await open(options), { hasChanged }) })
  return hasChanged
}

interface SessionChange {
  /** The epoch of the catalogue for which it was elected. */
  readonly storeId?: string
  /** What happens to its reports. */
  readonly onReport?: () => void
  readonly isStopped?: boolean
  /** How many replicas of the store have to acknowledge what is invalidated. */
  readonly replicas?: number
}

async function startSession(
  log = new ScriptedLog(),
  store: Store = new MemoryStore(),
  { isStopped = false, onReport = () => {}, replicas = 0, storeId }: SessionChange = {},
) {
  const known = await describePosts(store, 'Post', 'Post', replicas)
  const reports: FollowerReport[] = []
  const lags: number[] = []
  const watch = new FollowWatch({ namespace, messages: undefined, maxLagMs: 10_000 })
  watch.publish = async (report) => {
    reports.push(report)
    onReport()
  }
  const noted: string[] = []
  const stop = new AbortController()
  stopping.push(stop)
  if (isStopped) stop.abort()
  const session = new FollowSession(
    {
      database: {
        name: 'a database',
        providers: new Set(['postgresql']),
        elect: async () => log.leadership,
        depose: async () => undefined,
      },
      namespace,
      namespaceCaches: known,
      store,
      watch,
      observer: {
        events: (kind, count) => void noted.push(`${count} ${kind}`),
        lagSeconds: (seconds) => void lags.push(seconds),
        takeovers: (count) => void noted.push(`${count} takeover`),
      },
      log: silent,
    },
    log.leadership,
    storeId ?? known.catalogue.epoch!,
    stop.signal,
    {
      onFollowing: () => void noted.push('following'),
      onProblems() {},
    },
  )
  const ended = session.run().catch((error: unknown) => error as Error)
  return { ended, known, lags, log, noted, reports, signal: stop.signal, stop: () => stop.abort() }
}

async function startFollowing(log?: ScriptedLog, store?: Store) {
  const session = await startSession(log, store)
  await eventuallyEqual(() => session.reports.at(-1)?.state, 'following')
  return session
}

const changeLeadership = ({ leadership }: ScriptedLog, change: Partial<Leadership>): void =>
  void Object.assign(leadership, change)

/** Commits a change, and waits until the session confirms it. */
async function confirm(log: ScriptedLog, position: bigint): Promise<void> {
  log.commit(position)
  await eventually(() => log.confirmed.includes(position))
}

/** @returns why a session ends, or undefined if it follows */
async function outcomeOf({ ended, noted }: Awaited<ReturnType<typeof startSession>>) {
  let message: string | undefined
  void ended.then((error) => (message = error?.message))
  await eventually(() => message !== undefined || noted.includes('following'))
  return message
}

/** A store that takes no invalidations while it is held, and says nothing of the catalogue if that is held as well. */
function holdableStore(inner = new MemoryStore()) {
  const invalidated: string[] = []
  let held: Promise<void> | undefined
  let release = (): void => {}
  let waiting = 0
  let isCatalogueHeld = false
  const hold = (what?: 'catalogue') => {
    isCatalogueHeld = what === 'catalogue'
    held = new Promise((resolve) => (release = resolve))
  }
  const methods: Partial<Store> = {
    askCatalogue: async (key, request) => {
      if (isCatalogueHeld) await held
      return inner.askCatalogue(key, request)
    },
    releaseFences: async (keys, release) => {
      if (held && !isCatalogueHeld) {
        waiting++
        await held
      }
      invalidated.push(...keys.map(({ key }) => key))
      return inner.releaseFences(keys, release)
    },
  }
  const store = new Proxy(inner as Store, {
    get: (target, name) => {
      const method = methods[name as keyof Store] ?? target[name as keyof Store]
      return typeof method === 'function' ? (method as () => unknown).bind(target) : method
    },
  })
  return { store, hold, invalidated, release: () => release(), waiting: () => waiting }
}

describe('a session', () => {
  it('has replicas of the store acknowledge what it invalidates', async () => {
    const store = new MemoryStore()
    const changed = jest.spyOn(store, 'change')
    const released = jest.spyOn(store, 'releaseFences')
    const log = new ScriptedLog()
    const { reports } = await startSession(log, store, { replicas: 1 })
    await eventuallyEqual(() => reports.at(-1)?.state, 'following')
    await confirm(log, 30n)
    // Of all rows, as the log is new, and then of one.
    expect([
      changed.mock.calls.map(([, { replicas }]) => replicas),
      released.mock.calls.map(([, { replicas }]) => replicas),
    ]).toEqual([[1], [1]])
  })

  it('of a standby reports how much longer the store lacks changes than the standby', async () => {
    const log = new ScriptedLog()
    const behind: Leadership['behind'] = (taken) => ({
      ofStandbyMs: 200,
      ofStoreMs: taken < 30n ? 5_200 : 200,
    })
    changeLeadership(log, { isStandby: true, behind })
    const { reports } = await startFollowing(log)
    expect(reports.at(-1)).toMatchObject({ lagMs: 5_000, standbyLagMs: 200 })
    await confirm(log, 30n)
    await eventually(() => reports.at(-1)!.lagMs < 5_000)
  })

  it('asks the primary of a standby before it asks where the log of the standby ends', async () => {
    const log = new ScriptedLog()
    const asked: string[] = []
    const { end } = log.leadership
    changeLeadership(log, {
      askPrimary: async () => void asked.push('primary'),
      end: async () => {
        asked.push('standby')
        return end.call(log.leadership)
      },
    })
    await startFollowing(log)
    expect(asked.slice(0, 2)).toEqual(['primary', 'standby'])
  })

  it('confirms no sign of life while the store is taking a change', async () => {
    const log = new ScriptedLog()
    const { hold, release, store, waiting } = holdableStore()
    await startFollowing(log, store)
    hold()
    log.commit(30n)
    await eventually(() => waiting() > 0)
    log.listener.onAlive(40n, Date.now())
    await new Promise(setImmediate)
    expect(log.confirmed).toEqual([])
    release()
    await eventually(() => log.confirmed.includes(30n))
    log.listener.onAlive(40n, Date.now())
    await eventually(() => log.confirmed.includes(40n))
    expect(log.confirmed).toEqual([30n, 40n])
  })

  it('confirms and counts nothing of a change that the store takes after the session has ended', async () => {
    const log = new ScriptedLog()
    const { hold, release, store, waiting } = holdableStore()
    const { ended, lags, reports, stop } = await startFollowing(log, store)
    await confirm(log, 30n)
    hold()
    log.commit(40n)
    await eventually(() => waiting() > 0)
    stop()
    await ended
    const sent = reports.length
    release()
    // The store in memory answers within a turn.
    await new Promise(setImmediate)
    expect({ confirmed: log.confirmed, lags: lags.length, reports: reports.length - sent }).toEqual({
      confirmed: [30n],
      lags: 1,
      reports: 0,
    })
  })

  it('confirms no sign of life before a change that has been read and not been taken from the queue', async () => {
    const { log } = await startFollowing()
    log.commit(30n)
    log.listener.onAlive(40n, Date.now())
    expect(log.confirmed).toEqual([])
    await eventually(() => log.confirmed.includes(30n))
  })

  it('asks what readers see of the next changes while the store takes those before, and confirms them in order', async () => {
    const log = new ScriptedLog()
    const { hold, release, store, waiting } = holdableStore()
    await startFollowing(log, store)
    hold()
    log.commit(30n)
    await eventually(() => waiting() > 0)
    const before = log.asked
    log.commit(40n)
    await eventually(() => log.asked > before)
    expect(log.confirmed).toEqual([])
    release()
    await eventually(() => log.confirmed.includes(40n))
    expect(log.confirmed.toSorted()).toEqual(log.confirmed)
  })

  it('invalidates the rows of a cache that is described before the catalogue answers', async () => {
    const log = new ScriptedLog()
    const inner = new MemoryStore()
    const { hold, invalidated, release, store } = holdableStore(inner)
    await startFollowing(log, store)
    hold('catalogue')
    log.commit(30n)
    await eventually(() => invalidated.length > 0)
    await describePosts(inner, 'Other')
    const ofOther = () => invalidated.filter((key) => key.includes('{Other'))
    expect(ofOther()).toEqual([])
    release()
    await eventually(() => log.confirmed.includes(30n))
    expect(ofOther()).not.toEqual([])
  })

  it('counts no cache as followed from the moment at which a table is not what it was', async () => {
    const { known, log, reports } = await startSession()
    await eventuallyEqual(() => reports.at(-1)?.caches.length, 1)
    const epoch = known.catalogue.caches
    const before = reports.length
    log.isChanged = true
    await eventually(() => reports.slice(before).some(({ caches }) => caches.length === 0))
    await eventuallyEqual(() => reports.at(-1)?.caches.length, 1)
    expect([log.versions.get(tableKey(place)), known.catalogue.caches]).toEqual(['second', epoch])
  })
})

describe('a session', () => {
  it('confirms a change once a replica has it', async () => {
    const log = new ScriptedLog()
    const replica = { asked: [] as bigint[], at: 25n }
    const replicaHas = async (position: bigint): Promise<void> => {
      replica.asked.push(position)
      while (replica.at < position) await new Promise(setImmediate)
    }
    changeLeadership(log, { hasReplica: true, replicaHas })
    await startFollowing(log)
    // What was written before the log began.
    expect(replica.asked).toEqual([20n])
    log.commit(30n)
    await eventually(() => replica.asked.includes(30n))
    expect(log.confirmed).toEqual([])
    replica.at = 30n
    await eventually(() => log.confirmed.includes(30n))
  })

  it('waits for all transactions of changes, also when readers see others of them', async () => {
    const { log } = await startFollowing()
    log.running = [8]
    log.listener.onChange(insert, { ...transaction, id: 8 })
    const { asked } = log
    log.commit(30n)
    await eventually(() => log.asked > asked + 2)
    expect(log.confirmed).toEqual([])
    log.running = []
    await eventually(() => log.confirmed.includes(30n))
  })

  it('has the log read what caches need, and counts what it does', async () => {
    const { lags, log, noted } = await startFollowing()
    const { columnsOf, tables } = log.options
    expect(tables.map(({ name }) => name)).toEqual(['Post'])
    expect([columnsOf(table), columnsOf({ ...table, name: 'Other' })]).toEqual([new Set(['id']), new Set()])
    log.listener.onChange(insert, { ...transaction, committedAtMs: Date.now() - 1_000 })
    log.listener.onCommit(30n, transaction)
    await eventually(() => lags.length > 0)
    expect(noted).toEqual(['1 takeover', 'following', '1 insert'])
    // Seconds: of milliseconds, it would be a thousand.
    expect(lags[0]! >= 1 && lags[0]! < 1_000).toBe(true)
  })

  it('lets the event loop turn after each 500 changes', async () => {
    const { log } = await startFollowing()
    const turning = jest.spyOn(globalThis, 'setImmediate')
    for (let i = 0; i < 1_000; i++) log.listener.onChange(insert, transaction)
    log.listener.onCommit(30n, transaction)
    await eventually(() => log.confirmed.includes(30n))
    expect(turning.mock.calls.length).toBe(2)
  })

  it('holds up a log that has more changes before it is open', async () => {
    const log = new ScriptedLog()
    const { open } = log.leadership
    changeLeadership(log, {
      open: (options) => {
        for (let i = 0; i < 20_000; i++) options.listener.onChange(insert, transaction)
        options.listener.onCommit(30n, transaction)
        return open(options)
      },
    })
    await startFollowing(log)
    await eventually(() => log.confirmed.includes(30n))
  })

  it('closes a log that opens after the session has ended', async () => {
    const log = new ScriptedLog()
    const { open } = log.leadership
    const opening = Promise.withResolvers<void>()
    changeLeadership(log, { open: (options) => opening.promise.then(() => open(options)) })
    const { ended, reports, stop } = await startSession(log)
    await eventually(() => reports.length > 0)
    stop()
    await ended
    const { asked } = log
    opening.resolve()
    await eventually(() => log.isOver)
    expect([log.asked - asked, reports.at(-1)!.caches]).toEqual([0, []])
  })

  it('closes it also if the store is closed by then', async () => {
    const log = new ScriptedLog()
    const { open } = log.leadership
    const opening = Promise.withResolvers<void>()
    changeLeadership(log, { open: (options) => opening.promise.then(() => open(options)) })
    const store = new MemoryStore()
    const { ended, reports, stop } = await startSession(log, store)
    await eventually(() => reports.length > 0)
    stop()
    await ended
    store.askCatalogue = () => Promise.reject(new Error('the store is closed'))
    opening.resolve()
    await turns()
    expect(log.isOver).toBe(true)
  })

  it('does not begin when it is stopped before', async () => {
    const { ended, noted, reports } = await startSession(new ScriptedLog(), undefined, { isStopped: true })
    expect([(await ended)?.message, reports.at(-1)?.state, noted]).toEqual([
      'model-cache: it was stopped.',
      'resigned',
      [],
    ])
  })

  it('leaves neither a timer nor a listener behind', async () => {
    const setting = jest.spyOn(globalThis, 'setInterval')
    const clearing = jest.spyOn(globalThis, 'clearInterval')
    const { ended, log, signal, stop } = await startFollowing()
    expect(getEventListeners(signal, 'abort').length).toBe(1)
    log.ending.resolve(new Error('the slot is gone'))
    await ended
    expect(getEventListeners(signal, 'abort').length).toBe(0)
    expect(setting.mock.results.map(({ value }) => value as unknown)).toEqual(
      clearing.mock.calls.map(([timer]) => timer),
    )
    expect(setting.mock.calls.length).toBe(1)
    stop()
  })

  it('does not ask what readers see once it has ended', async () => {
    const { ended, log, stop } = await startFollowing()
    log.running = [transaction.id]
    const { asked } = log
    log.commit(30n)
    await eventually(() => log.asked > asked)
    stop()
    await ended
    await turns()
    const before = log.asked
    await turns()
    expect(log.asked - before).toBe(0)
  })

  it('ends as soon as changes cannot be worked off, and not when it looks again', async () => {
    const log = new ScriptedLog()
    const store = new MemoryStore()
    const { ended } = await startFollowing(log, store)
    const askCatalogue = store.askCatalogue.bind(store)
    store.askCatalogue = async (key, request) => ({ ...(await askCatalogue(key, request)), epoch: 'another' })
    const { setTimeout } = globalThis
    // It never looks again by itself.
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((work: () => void, ms: number) =>
        ms === 1_000 ? { unref() {} } : setTimeout(work, ms)) as typeof setTimeout)
    log.commit(30n)
    expect((await ended)?.message).toContain('the store has lost what it held')
  })

  it('asks for the end of the log again while the connection is busy', async () => {
    const log = new ScriptedLog()
    let busy = 2
    changeLeadership(log, {
      hasReplica: true,
      end: async () => (busy-- > 0 ? undefined : log.end),
    })
    await startFollowing(log)
    expect(log.replayed).toEqual([20n])
  })

  it('confirms no sign of life before it has emptied the caches', async () => {
    const log = Object.assign(new ScriptedLog(), { oldest: 99n })
    const { reports } = await startSession(log)
    await eventually(() => log.asked > 1)
    log.listener.onAlive(40n, Date.now())
    await turns()
    log.oldest = 100n
    await eventuallyEqual(() => reports.at(-1)?.state, 'following')
    log.listener.onAlive(50n, Date.now())
    await eventually(() => log.confirmed.length > 0)
    expect(log.confirmed).toEqual([50n])
    // What is not followed yet is not listed.
    expect(new Set(reports.map(({ caches, state }) => `${state} ${caches.length}`))).toEqual(
      new Set(['opening 0', 'following 1']),
    )
  })

  it('has caches wait for it that are described while it has changes, and no others', async () => {
    const log = new ScriptedLog()
    const store = new MemoryStore()
    const asked: boolean[] = []
    const askCatalogue = store.askCatalogue.bind(store)
    store.askCatalogue = (key, request) => {
      if (key === 'mc:{catalogue}') asked.push(request.isWriter)
      return askCatalogue(key, request)
    }
    await startFollowing(log, store)
    // The process that describes its cache; the session before it opens the log, and before it empties the caches.
    expect(asked.splice(0)).toEqual([false, false, true])
    await eventually(() => asked.length > 0)
    expect(new Set(asked)).toEqual(new Set([false]))
    await confirm(log, 30n)
    expect(asked).toContain(true)
  })

  it('tries again until the store answers, and waits twice as long each time', async () => {
    const log = new ScriptedLog()
    const store = new MemoryStore()
    const askCatalogue = store.askCatalogue.bind(store)
    const askedAtMs: number[] = []
    store.askCatalogue = async (key, request) => {
      if (request.isWriter) return askCatalogue(key, request)
      askedAtMs.push(performance.now())
      // First, a process describes its cache.
      if (askedAtMs.length > 1 && askedAtMs.length < 5) throw new Error('the store is away')
      return askCatalogue(key, request)
    }
    await startFollowing(log, store)
    // 100, 200, and 400 ms, which timers cut by a part of one.
    expect(askedAtMs[4]! - askedAtMs[3]!).toBeGreaterThan(390)
  })

  it('keeps its caches followed when the database does not say whether tables have changed', async () => {
    const log = new ScriptedLog()
    const hasChanged = answerComparisons(log, () => Promise.reject(new Error('no answer')))
    const { reports } = await startFollowing(log)
    await eventually(() => hasChanged.mock.calls.length > 1)
    const before = reports.length
    await eventually(() => reports.length > before)
    expect(reports.at(-1)?.caches.length).toBe(1)
  })

  it('asks a slow database once at a time whether tables have changed, and reports meanwhile', async () => {
    const log = new ScriptedLog()
    const answer = Promise.withResolvers<boolean>()
    const hasChanged = answerComparisons(log, () => answer.promise)
    const { reports } = await startFollowing(log)
    const before = reports.length
    await eventually(() => reports.length > before)
    expect(hasChanged).toHaveBeenCalledTimes(1)
    answer.resolve(false)
    await eventually(() => hasChanged.mock.calls.length > 1)
  })

  it('says how much of the log it has not confirmed', async () => {
    const { log, reports } = await startFollowing()
    await confirm(log, 30n)
    log.end = 50n
    await eventuallyEqual(() => reports.at(-1)?.lagBytes, 20)
  })

  it('confirms to a temporary log alone', async () => {
    const log = new ScriptedLog()
    const store = new MemoryStore()
    const fill = jest.spyOn(store, 'fillMany')
    await startFollowing(log, store)
    await confirm(log, 30n)
    expect(fill).not.toHaveBeenCalled()
  })

  it.each([
    ['ends 20 s after the store has taken its last report', 20_001, true, true],
    ['goes on for 20 s without the store', 20_000, true, false],
    ['goes on while the store takes its reports', 20_001, false, false],
  ])('%s', async (_, passes, isRefused, isOver) => {
    const clock = manualClock()
    let reports = 0
    const onReport = (): void => {
      if (reports++ === 0) clock.pass(passes)
      if (isRefused) throw new Error('the store is away')
    }
    const message = await outcomeOf(await startSession(new ScriptedLog(), undefined, { onReport }))
    expect(message?.includes('does not take its reports') ?? false).toBe(isOver)
  })
})

describe('a session whose database is silent', () => {
  /** Follows; then time passes, and it looks twice. */
  async function follow(log: ScriptedLog, passes: readonly number[], meanwhile: () => void) {
    const clock = manualClock()
    const { ended, noted } = await startSession(log)
    let message: string | undefined
    void ended.then((error) => (message = error?.message))
    for (const ms of passes) {
      await eventually(() => noted.includes('following'))
      clock.pass(ms)
      const { pings } = log
      meanwhile()
      await eventually(() => message !== undefined || log.pings > pings)
      await turns()
    }
    return message
  }
  const silence = 'model-cache: the database does not answer on the replication stream.'

  it.each([
    ['ends after 20 s', [20_001], silence],
    ['does not end before', [20_000], undefined],
  ])('%s', async (_, passes, message) => {
    expect(await follow(new ScriptedLog(), passes, () => {})).toBe(message)
  })

  it('does not end while it gives signs of life', async () => {
    const log = new ScriptedLog()
    const alive = (): void => log.listener.onAlive(log.end, Date.now())
    expect(await follow(log, [15_000, 15_000], alive)).toBeUndefined()
  })

  it('does not end while the log is held up', async () => {
    const log = new ScriptedLog()
    const holdUp = (): void => {
      log.running = [transaction.id]
      // The first ones are taken from the queue, and wait until readers see them.
      log.commit(30n)
      setImmediate(() => {
        for (let i = 0; i < 20_000; i++) log.listener.onChange(insert, transaction)
      })
    }
    expect(await follow(log, [1, 20_000], holdUp)).toBeUndefined()
    expect(log.flow).toEqual(['pause'])
  })

  it('does not end as soon as the log goes on', async () => {
    const clock = manualClock()
    const log = new ScriptedLog()
    const { ended, noted } = await startSession(log)
    let message: string | undefined
    void ended.then((error) => (message = error?.message))
    await eventually(() => noted.includes('following'))
    log.running = [transaction.id]
    log.commit(30n)
    await turns()
    for (let i = 0; i < 20_000; i++) log.listener.onChange(insert, transaction)
    clock.pass(20_001)
    log.running = []
    await eventually(() => log.flow.includes('resume'))
    const { pings } = log
    await eventually(() => message !== undefined || log.pings > pings)
    await turns()
    expect([log.flow, message]).toEqual([['pause', 'resume'], undefined])
  })

  it('does not end while the log is being opened', async () => {
    const clock = manualClock()
    const log = new ScriptedLog()
    const { open } = log.leadership
    const opening = Promise.withResolvers<void>()
    let asked = 0
    changeLeadership(log, {
      open: (options) => opening.promise.then(() => open(options)),
      end: async () => {
        asked++
        return undefined
      },
    })
    const { noted, reports } = await startSession(log)
    for (let i = 0; i < 2; i++) {
      const before = asked
      clock.pass(15_000)
      await eventually(() => asked > before)
    }
    opening.resolve()
    await eventually(() => noted.includes('following'))
    const { pings } = log
    await eventually(() => log.pings > pings)
    expect(reports.at(-1)?.state).toBe('following')
  })
})

it('a session follows beside processes with another database if its own cannot be determined', async () => {
  const log = new ScriptedLog()
  changeLeadership(log, { database: undefined })
  const store = new MemoryStore()
  const [id, name] = ['postgresql/2/shop', 'db.other/shop']
  const other = { id, name, schema: 'public', history: '1', incarnation: '' }
  await new DatabaseEntries(store, namespace).put(other, 'running')
  await startFollowing(log, store)
})

describe('a session with a durable log', () => {
  const durable = () => Object.assign(new ScriptedLog(), { durable: 'system:slot', isNew: false })
  /** The epoch of the model, which changes when all rows are invalidated. */
  const epochIn = async (store: Store): Promise<string | undefined> =>
    (await store.getMany(['mc:{Post}:register']))[0]?.split(';')[0]

  /** Follows a log up to 30, and ends. */
  async function followed(store: Store): Promise<string | undefined> {
    const log = durable()
    const { ended, reports, stop } = await startSession(log, store)
    // Of a log that goes on, what was written before it began is on its way.
    await eventually(() => log.listener !== undefined && reports.length > 0)
    await confirm(log, 30n)
    stop()
    await ended
    return epochIn(store)
  }

  /** Whether the next session invalidates everything before it follows. */
  async function isEmptiedBy(log: ScriptedLog, store: Store, before: string | undefined): Promise<boolean> {
    const { reports } = await startSession(log, store)
    await eventually(() => reports.length > 0 && log.listener !== undefined)
    log.end = 40n
    log.commit(40n)
    await eventuallyEqual(() => reports.at(-1)?.state, 'following')
    return (await epochIn(store)) !== before
  }

  it.each([
    ['goes on after its bookmark', { resumesAt: 30n, end: 40n }, false],
    ['goes on before its bookmark, whose confirmation was lost', { resumesAt: 25n, end: 40n }, false],
    ['is further than its bookmark', { resumesAt: 31n, end: 40n }, true],
    ['ends before its bookmark, as that of a restored database', { resumesAt: 20n, end: 29n }, true],
    ['is new', { resumesAt: 30n, end: 40n, isNew: true }, true],
    ['is of another server', { resumesAt: 30n, end: 40n, durable: 'other:slot' }, true],
    [
      'has another table',
      { resumesAt: 30n, end: 40n, versions: new Map([[tableKey(place), 'other']]) },
      true,
    ],
  ])('that %s: %j, empties the caches: %p', async (_, change, isEmptied) => {
    const store = new MemoryStore()
    const before = await followed(store)
    expect(await isEmptiedBy(Object.assign(durable(), change), store, before)).toBe(isEmptied)
  })

  it('empties the caches when the store has no bookmark', async () => {
    const store = new MemoryStore()
    const before = await followed(store)
    const key = { key: 'mc:{follow}:log:system:slot', guard: 'mc:{follow}:log:system:slot:l' }
    await store.releaseFences([key], { token: '', holdMs: 0, markMs: 0 })
    expect(await isEmptiedBy(Object.assign(durable(), { resumesAt: 30n, end: 40n }), store, before)).toBe(
      true,
    )
  })

  /** Records in which order positions are noted and confirmed. */
  function orderIn(log: ScriptedLog, store: MemoryStore): readonly string[] {
    const fillMany = store.fillMany.bind(store)
    const order: string[] = []
    store.fillMany = async (fills) => {
      const written = await fillMany(fills)
      for (const { value } of fills)
        order.push(`noted ${(JSON.parse(String(value)) as { position: string }).position}`)
      return written
    }
    log.confirmed.push = (position: bigint) => order.push(`confirmed ${position}`)
    return order
  }

  it('follows once it has the changes of the time without a follower', async () => {
    const store = new MemoryStore()
    await followed(store)
    const log = Object.assign(durable(), { resumesAt: 30n, end: 40n })
    const { reports } = await startSession(log, store)
    await eventually(() => log.listener !== undefined)
    await confirm(log, 35n)
    // More of them do not end a transaction.
    for (let i = 0; i < 20_000; i++) log.listener.onChange(insert, transaction)
    await eventuallyEqual(() => log.flow, ['pause', 'resume'])
    const before = reports.length
    await eventually(() => reports.length > before)
    expect(new Set(reports.map(({ caches, state }) => `${state} ${caches.length}`))).toEqual(
      new Set(['opening 0']),
    )
    log.listener.onCommit(36n, transaction)
    await eventually(() => log.confirmed.includes(36n))
    log.listener.onAlive(40n, Date.now())
    await eventuallyEqual(() => reports.at(-1)?.state, 'following')
  })

  it('empties the caches of a table alone whose changes it has missed', async () => {
    const store = new MemoryStore()
    await describePosts(store, 'User', 'User')
    const first = new Map(['Post', 'User'].map((name) => [tableKey({ ...place, name }), 'first']))
    const epochOfUsers = async () => (await store.getMany(['mc:{User}:register']))[0]?.split(';')[0]
    const log = Object.assign(durable(), { versions: first })
    const { ended, reports, stop } = await startSession(log, store)
    await eventually(() => log.listener !== undefined && reports.length > 0)
    await confirm(log, 30n)
    stop()
    await ended
    const [posts, users] = [await epochIn(store), await epochOfUsers()]
    const versions = new Map([...first, [tableKey(place), 'other']])
    const next = Object.assign(durable(), { resumesAt: 30n, end: 40n, versions })
    expect(await isEmptiedBy(next, store, posts)).toBe(true)
    expect(await epochOfUsers()).toBe(users)
  })

  it('confirms a position only after the bookmark', async () => {
    const store = new MemoryStore()
    const log = durable()
    const order = orderIn(log, store)
    const { reports } = await startSession(log, store)
    await eventually(() => reports.length > 0 && log.listener !== undefined)
    log.commit(30n)
    await eventually(() => order.includes('confirmed 30'))
    expect(order).toEqual(['noted 10', 'noted 30', 'confirmed 30'])
  })

  it('does not move the bookmark back when changes from before it are sent again', async () => {
    const store = new MemoryStore()
    await followed(store)
    const log = Object.assign(durable(), { resumesAt: 20n, end: 40n })
    const order = orderIn(log, store)
    await startSession(log, store)
    await eventually(() => order.length > 0)
    log.commit(25n)
    await eventually(() => order.includes('confirmed 25'))
    expect(order).toEqual(['noted 30', 'noted 30', 'confirmed 25'])
  })
})
