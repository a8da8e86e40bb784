import { jest } from '@jest/globals'
import { eventually, eventuallyEqual } from '../../../../test/support/eventually.js'
import { manualClock } from '../../../../test/support/manual-clock.js'
import { insert, place, ScriptedLog, table, transaction } from '../../../../test/support/scripted-log.js'
import { consistencySettings, NamespaceCaches, MemoryStore, type Store } from '../protocol/index.js'
import { FollowSession } from './follow-session.js'
import { FollowWatch, type FollowerReport } from './follow-watch.js'
import { tableKey } from './followed-tables.js'

const stopping: AbortController[] = []
afterEach(() => {
  jest.restoreAllMocks()
  for (const stop of stopping.splice(0)) stop.abort()
})

const namespace = 'mc'
const silent = { warn() {}, info() {} }

/** Describes a cache of posts, as a process with such a cache does. */
async function describePosts(store: Store, name: string) {
  const known = new NamespaceCaches({ store, namespace, consistency: consistencySettings({}), log: silent })
  const field = known.catalogue.add(
    {
      name,
      model: 'Post',
      id: [{ name: 'id', kind: 'bigint' }],
      buckets: 1,
      dependsOn: [],
      lookups: [],
      tables: {
        provider: 'postgresql',
        models: [{ model: 'Post', ...place, columns: [{ field: 'id', column: 'id', type: 'Int' }] }],
        joins: [],
      },
    },
    'fingerprint',
  )
  await known.catalogue.describe(field)
  return known
}

interface SessionChange {
  /** The epoch of the catalogue for which it was elected. */
  readonly storeId?: string
  /** What happens to its reports. */
  readonly onReport?: () => void
}

async function startSession(
  log: ScriptedLog,
  store: Store = new MemoryStore(),
  { onReport = () => {}, storeId }: SessionChange = {},
) {
  const known = await describePosts(store, 'Post')
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
  const session = new FollowSession(
    {
      database: {
        name: 'a database',
        providers: new Set(['postgresql']),
        elect: async () => log.leadership,
        depose: async () => undefined,
      },
      namespace,
      known,
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
    { onFollowing: () => void noted.push('following'), onProblems() {} },
  )
  const ended = session.run().catch((error: unknown) => error as Error)
  return { ended, known, lags, noted, reports, stop: () => stop.abort() }
}

async function startFollowing(log: ScriptedLog, store?: Store) {
  const session = await startSession(log, store)
  await eventuallyEqual(() => session.reports.at(-1)?.state, 'following')
  return session
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
    releaseFences: async (keys, token, holdMs, markMs) => {
      if (held && !isCatalogueHeld) {
        waiting++
        await held
      }
      invalidated.push(...keys.map(({ key }) => key))
      return inner.releaseFences(keys, token, holdMs, markMs)
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
  it('confirms a position when the store has taken its changes', async () => {
    const log = new ScriptedLog()
    await startFollowing(log)
    log.commit(30n)
    await eventually(() => log.confirmed.includes(30n))
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
    log.commit(30n)
    await eventually(() => log.confirmed.includes(30n))
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
    const log = new ScriptedLog()
    await startFollowing(log)
    log.commit(30n)
    log.listener.onAlive(40n, Date.now())
    expect(log.confirmed).toEqual([])
    await eventually(() => log.confirmed.includes(30n))
  })

  it('works off a change once readers see its transaction', async () => {
    const log = new ScriptedLog()
    await startFollowing(log)
    log.running = [transaction.id]
    log.commit(30n)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(log.confirmed).toEqual([])
    log.running = []
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
    const log = new ScriptedLog()
    const { known, reports } = await startSession(log)
    await eventuallyEqual(() => reports.at(-1)?.caches.length, 1)
    const epoch = known.catalogue.caches
    const before = reports.length
    log.isChanged = true
    await eventually(() => reports.slice(before).some(({ caches }) => caches.length === 0))
    await eventuallyEqual(() => reports.at(-1)?.caches.length, 1)
    expect([log.versions.get(tableKey(place)), known.catalogue.caches]).toEqual(['second', epoch])
  })

  it('resigns when it is stopped, and closes the log', async () => {
    const log = new ScriptedLog()
    const { ended, reports, stop } = await startFollowing(log)
    stop()
    expect((await ended)?.message).toContain('it was stopped')
    expect([reports.at(-1)?.state, log.isOver]).toEqual(['resigned', true])
  })
})

describe('a session', () => {
  it('follows a new log once the transactions have ended that began before it', async () => {
    const log = Object.assign(new ScriptedLog(), { oldest: 99n })
    const { reports } = await startSession(log)
    await eventually(() => log.asked > 1)
    expect(reports.at(-1)?.state).toBe('opening')
    log.oldest = 100n
    await eventuallyEqual(() => reports.at(-1)?.state, 'following')
  })

  it('confirms a change once a replica has it', async () => {
    const log = new ScriptedLog()
    const replica = { asked: [] as bigint[], at: 25n }
    const replicaHas = async (position: bigint): Promise<void> => {
      replica.asked.push(position)
      while (replica.at < position) await new Promise(setImmediate)
    }
    log.leadership = { ...log.leadership, hasReplica: true, replicaHas }
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
    const log = new ScriptedLog()
    await startFollowing(log)
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
    const log = new ScriptedLog()
    const { lags, noted } = await startFollowing(log)
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

  it('holds up a log that has more changes than it works off', async () => {
    const log = new ScriptedLog()
    await startFollowing(log)
    for (let i = 0; i < 20_000; i++) log.listener.onChange(insert, transaction)
    expect(log.flow).toEqual(['pause'])
    log.listener.onCommit(30n, transaction)
    await eventually(() => log.confirmed.includes(30n))
    expect(log.flow).toEqual(['pause', 'resume'])
  })

  it('says whether its log is that of a standby, and how far behind that is', async () => {
    const log = new ScriptedLog()
    const { reports } = await startFollowing(log)
    expect(reports.at(-1)).toMatchObject({ isStandby: false, standbyLagMs: null })
    const other = new ScriptedLog()
    other.leadership = { ...other.leadership, isStandby: true, behindMs: 70 }
    const standby = await startFollowing(other)
    expect(standby.reports.at(-1)).toMatchObject({ isStandby: true, standbyLagMs: 70 })
  })

  it('ends when its log does, for the same reason', async () => {
    const log = new ScriptedLog()
    const { ended } = await startFollowing(log)
    log.ending.resolve(new Error('the slot is gone'))
    expect([(await ended)?.message, log.isOver]).toEqual(['the slot is gone', true])
  })

  it('ends when the store is not the one for which it was elected', async () => {
    const { ended } = await startSession(new ScriptedLog(), undefined, { storeId: 'another' })
    expect((await ended)?.message).toContain('the store has lost what it held')
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
    const { ended, noted } = await startSession(new ScriptedLog(), undefined, { onReport })
    let message: string | undefined
    void ended.then((error) => (message = error?.message))
    await eventually(() => message !== undefined || noted.includes('following'))
    expect(message?.includes('does not take its reports') ?? false).toBe(isOver)
  })
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
    log.commit(30n)
    await eventually(() => log.confirmed.includes(30n))
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

  it.each([
    ['no bookmark', undefined],
    ['a damaged one', '{"position":"abc","tables":{}}'],
    ['one without tables', '{"position":"30"}'],
  ])('empties the caches when the store has %s', async (_, value) => {
    const store = new MemoryStore()
    const before = await followed(store)
    const key = { key: 'mc:{follow}:log:system:slot', guard: 'mc:{follow}:log:system:slot:l' }
    await store.releaseFences([key], '', 0, 0)
    if (value !== undefined) {
      const request = { token: 'test', leaseMs: 1_000, onlyAbsent: false, onlyUnmarked: false }
      const [lease] = await store.leaseMany([key], request)
      await store.fillMany([{ ...key, token: lease!.token!, value, ttlMs: 60_000 }])
    }
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
        order.push(`noted ${(JSON.parse(value) as { position: string }).position}`)
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
    log.commit(35n)
    await eventually(() => log.confirmed.includes(35n))
    expect(new Set(reports.map(({ state }) => state))).toEqual(new Set(['opening']))
    log.listener.onAlive(40n, Date.now())
    await eventuallyEqual(() => reports.at(-1)?.state, 'following')
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
