import { eventually, eventuallyEqual } from '../../../../test/support/eventually.js'
import { consistencySettings, NamespaceCaches, MemoryStore, type Store } from '../protocol/index.js'
import type { LogListener, Leadership, OpenLog } from './database-log.js'
import { FollowSession } from './follow-session.js'
import { FollowWatch, type FollowerReport } from './follow-watch.js'
import { tableKey } from './followed-tables.js'
import type { LoggedChange, LoggedTable } from './logged-change.js'

const place = { schema: 'public', name: 'Post' }
const table: LoggedTable = {
  oid: 1,
  ...place,
  isWhole: false,
  columns: [{ name: 'id', isKey: true, type: 20 }],
}
const insert: LoggedChange = { kind: 'insert', table, row: new Map([['id', '1']]) }
const transaction = { id: 7, committedAtMs: Date.now() }

/** A log whose changes a test sends, of a database in which no transaction is running. */
class ScriptedLog {
  readonly confirmed: bigint[] = []
  listener!: LogListener
  versions: ReadonlyMap<string, string> = new Map([[tableKey(place), 'first']])
  /** What {@link OpenLog.hasChanged} finds. */
  isChanged = false
  durable: string | undefined
  isNew = true
  resumesAt = 10n
  end = 20n
  running: readonly number[] = []
  /** How often {@link Leadership.transactions} were asked for. */
  asked = 0
  isOver = false

  readonly leadership: Leadership = {
    database: 'postgresql/1/shop',
    open: async ({ listener }) => {
      this.listener = listener
      return this.#open
    },
    end: async () => this.end,
    transactions: async () => {
      this.asked++
      return { oldest: 100n, has: (id) => this.running.includes(id) }
    },
    newTransaction: async () => 100n,
    bytesBetween: (from, to) => Number(to - from),
    hasReplica: false,
    replicaHas: async () => {},
    lost: new Promise(() => {}),
    resign: async () => {},
  }

  get #open(): OpenLog {
    const versions = (): ReadonlyMap<string, string> => this.versions
    return {
      isNew: this.isNew,
      durable: this.durable,
      resumesAt: this.resumesAt,
      end: this.end,
      get versions() {
        return versions()
      },
      problems: [],
      placeOf: () => '',
      confirm: (position) => void this.confirmed.push(position),
      ask() {},
      pause() {},
      resume() {},
      hasChanged: async () => this.isChanged,
      follow: async () => {
        this.versions = new Map([[tableKey(place), 'second']])
        this.isChanged = false
        return []
      },
      ended: new Promise(() => {}),
      close: async () => void (this.isOver = true),
    }
  }

  commit(position: bigint): void {
    this.listener.onChange(insert, transaction)
    this.listener.onCommit(position, transaction)
  }
}

const stopping: AbortController[] = []
afterEach(() => {
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

async function startSession(log: ScriptedLog, store: Store = new MemoryStore()) {
  const known = await describePosts(store, 'Post')
  const reports: FollowerReport[] = []
  const lags: number[] = []
  const watch = new FollowWatch({ namespace, messages: undefined, maxLagMs: 10_000 })
  watch.publish = async (report) => void reports.push(report)
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
      observer: { events() {}, lagSeconds: (seconds) => void lags.push(seconds), takeovers() {} },
      log: silent,
    },
    log.leadership,
    known.catalogue.epoch!,
    stop.signal,
    { onFollowing() {}, onProblems() {} },
  )
  const ended = session.run().catch((error: unknown) => error as Error)
  return { ended, known, lags, reports, stop: () => stop.abort() }
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
