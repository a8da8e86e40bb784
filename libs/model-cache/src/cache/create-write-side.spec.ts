import { jest } from '@jest/globals'
import { eventually } from '../../../../test/support/eventually.js'
import { StoreError } from '../errors.js'
import {
  AtRest,
  type CacheDescription,
  createKeySpace,
  type GuardedKey,
  MemoryStore,
  type Messages,
  ModelCacheWrites,
  type NamespaceDatabase,
  type RegisterChange,
  type RegisterScope,
  type RowId,
} from '../protocol/index.js'
import type { CatalogueCheck } from '../protocol/backend/store.js'
import { entryOf } from '../protocol/registry/cache-description.js'
import type { CachePolicy, ModelContext, Telemetry } from './context.js'
import { createWriteSide } from './create-write-side.js'
import type { FollowState } from './gap.js'
import { cacheSettings } from './policy/cache-settings.js'
import { History } from './telemetry/history.js'

interface Lot {
  readonly id: string
}
const id = [{ name: 'id', kind: 'string' }] as const
const description: CacheDescription = {
  name: 'Lot',
  model: 'Lot',
  id,
  buckets: 1,
  dependsOn: [],
  lookups: [],
  tables: undefined,
}

/** A store that a test sends the messages of other processes through. */
class Listened extends MemoryStore {
  readonly listeners = new Map<string, (message: string) => void>()
  readonly messages: Messages = {
    publish: async (channel, message) => this.listeners.get(channel)?.(message),
    subscribe: async (channel, listener) => void this.listeners.set(channel, listener),
    unsubscribe: async (channel) => void this.listeners.delete(channel),
  }
}

/** A store whose servers a test checks. */
class Checked extends MemoryStore {
  check!: (check: CatalogueCheck) => void

  watchCatalogue(_key: string, listener: (check: CatalogueCheck) => void): () => void {
    this.check = listener
    return () => {}
  }
}

interface Options {
  readonly atRest?: AtRest
  readonly database?: object
  readonly follow?: FollowState
  readonly writes?: ModelCacheWrites
}

function open(store = new MemoryStore(), options: Options = {}) {
  const keys = createKeySpace<Lot, string>({ ...description, namespace: 'mc', fingerprint: 'print' })
  const counts: unknown[][] = []
  const logged: string[] = []
  const history = new History()
  const policy = { ttlMs: 7_000_000, staleForMs: 300_000, notFoundTtlMs: 30_000 } as CachePolicy
  const telemetry = {
    observer: {
      fences: () => {},
      newSchemas: (count: number) => counts.push(['new schemas', count]),
      unknownWrites: (reason: string) => counts.push(['unknown', reason]),
    },
    history,
    log: {
      warn: (message: string) => void logged.push(`warn ${message}`),
      info: (message: string) => void logged.push(`info ${message}`),
    },
  } as unknown as Telemetry<string>
  const side = createWriteSide<Lot, string>({
    description,
    model: { name: 'Lot', codec: { fingerprint: 'print' }, keys } as unknown as ModelContext<Lot, string>,
    store,
    atRest: options.atRest,
    policy,
    telemetry,
    settings: cacheSettings({ consistency: { fenceMs: 50_000, replicaLagMs: 9_000, leaseMs: 4_000 } }),
    writes: options.writes,
    database: options.database as NamespaceDatabase | undefined,
    follow: options.follow,
  })
  const forgotten: (readonly RowId[] | RegisterScope)[] = []
  side.memory.add({ forget: (rows) => forgotten.push(rows), forgetAll: (scope) => forgotten.push(scope) })
  return { ...side, keys, history, forgotten, counts, logged }
}

describe('the messages of other processes', () => {
  it('name rows that this process forgets, and their writer', async () => {
    const store = new Listened()
    const { backplane, forgotten, history, keys } = open(store)
    backplane!.start()
    await eventually(() => backplane!.isUp)
    forgotten.length = 0
    const receive = store.listeners.get(keys.channel)!
    receive('other;1;["a","b"]')
    receive('other;2;~["c"]')
    expect(['a', 'c'].map((row) => history.of(row).write?.by)).toEqual(['another process', 'log'])
    receive('other;3;-')
    receive('other;4;*')
    expect(forgotten).toEqual([['a', 'b'], ['c'], 'existence', 'all'])
    await backplane!.stop()
  })

  it('are encrypted by writes that first learn of the keys by a cache, for caches of other processes', async () => {
    const store = new Listened()
    const { field, text } = entryOf({ ...description, name: 'Bid', model: 'Bid' }, 'print')
    await store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false, put: new Map([[field, text]]) })
    const fence = jest.spyOn(store, 'fenceMany')
    const writes = new ModelCacheWrites()
    open(store, { writes, atRest: AtRest.of({ keys: [{ id: 'a', key: Buffer.alloc(32, 1) }] }) })
    await writes.prepare()
    const unit = writes.begin()
    unit.markWritten('Bid', [{ id: 'ada@example.com' }])
    await unit.fence()
    expect(fence.mock.calls[0]![1].announcement!.message).not.toContain('ada')
    await unit.end()
  })

  it('do not exist in a store of one process', () => {
    const { backplane, coherence } = open()
    expect([backplane, coherence.backplane]).toEqual([undefined, undefined])
  })
})

describe('what this process holds', () => {
  it('is forgotten when the database turns out to be another one', () => {
    const listeners: (() => void)[] = []
    const source = { describe: async () => undefined }
    const database = { mark: 'm', source, onChange: (listener: () => void) => listeners.push(listener) }
    const { forgotten } = open(new MemoryStore(), { database })
    expect([listeners.length, forgotten]).toEqual([1, []])
    listeners[0]!()
    expect(forgotten).toEqual(['all'])
  })

  it('is forgotten when the catalogue has lost the cache, so that writers did not know it', async () => {
    const store = new Checked()
    const { forgotten, register } = open(store)
    await register.join()
    store.check({ finding: 'old', epoch: 'another' })
    expect(forgotten).toEqual(['all'])
  })

  it('is forgotten when changes are followed again, as nobody has invalidated it', () => {
    const listeners: (() => void)[] = []
    const onResume = (listener: () => void): (() => void) => {
      listeners.push(listener)
      return () => {}
    }
    const { forgotten } = open(new MemoryStore(), { follow: { isFollowed: () => false, onResume } })
    expect([listeners.length, forgotten]).toEqual([1, []])
    listeners[0]!()
    expect(forgotten).toEqual(['all'])
  })

  it('is no longer known to the catalogue of writes that live on once the cache has ended', async () => {
    const store = new Checked()
    const writes = new ModelCacheWrites()
    const [ended, running] = [open(store, { writes }), open(store, { writes })]
    await Promise.all([ended.register.join(), running.register.join()])
    for (const end of ended.onClose) end()
    store.check({ finding: 'old', epoch: 'another' })
    expect([ended.forgotten, running.forgotten]).toEqual([[], ['all']])
  })

  it('is forgotten when this process writes, and by whom it heard of the write', async () => {
    const { fences, forgotten, history } = open()
    await fences.release(['a'], '')
    await fences.release(['b'], '', 'known', 'log')
    await fences.releaseAll('', 'existence')
    expect(['a', 'b'].map((row) => history.of(row).write?.by)).toEqual(['this process', 'log'])
    expect(forgotten).toEqual([['a'], ['a'], ['b'], ['b'], 'existence', 'existence'])
  })
})

describe('a cache', () => {
  it('is listed for as long as its rows are stored', async () => {
    const store = new MemoryStore()
    const changes: RegisterChange[] = []
    const change = store.change.bind(store)
    store.change = (key, asked) => {
      changes.push(asked)
      return change(key, asked)
    }
    await open(store).register.join()
    // A minute and a half longer than a row stays, which is the time of its lease, the ttl and the time after it.
    expect(changes[0]).toMatchObject({ kind: 'join', lifeMs: 4_000 + 7_300_000 + 90_000, markMs: 4_000 })
  })

  it('has its database compared with those of other processes again when it has ended', () => {
    const source = { describe: async () => undefined }
    const database = { mark: 'm', source, onChange: () => () => {} }
    const { namespaceCaches, onClose } = open(new MemoryStore(), { database })
    const { writer } = namespaceCaches
    writer.look({ own: 1, listed: 1 })
    writer.add(source)
    expect(writer.isDue).toBe(false)
    for (const end of onClose) end()
    writer.add(source)
    expect(writer.isDue).toBe(true)
  })

  it('whose schema is new waits for writers that may not know it, and says so', async () => {
    const store = new MemoryStore()
    await new ModelCacheWrites({ store }).prepare()
    const { counts, logged, register } = open(store)
    const startMs = Date.now()
    expect(await register.read()).toMatchObject({ mayFill: false })
    // As long as a write takes, and its way to the replicas of the database.
    expect(register.joiningForMs).toBeGreaterThan(50_000)
    expect(register.joiningForMs).toBeLessThanOrEqual(59_000)
    await register.read()
    expect(counts).toEqual([['new schemas', 1]])
    expect(logged).toEqual([expect.stringMatching(/^info ModelCache "Lot": .* until .*Z, in \d\d s, /)])
    const [, until = '', seconds] = /until (\S+), in (\d+) s/.exec(logged[0]!)!
    expect(Date.parse(until) - startMs).toBeGreaterThan(50_000)
    expect(Number(seconds)).toBeGreaterThan(50)
    expect(Number(seconds)).toBeLessThanOrEqual(59)
  })

  it('whose schema is known need not wait', async () => {
    const store = new MemoryStore()
    const { counts, logged, register } = open(store)
    const { epoch, mayFill } = await register.read()
    expect([typeof epoch, mayFill, register.joiningForMs]).toEqual(['string', true, 0])
    expect([counts, logged]).toEqual([[], []])
  })

  it('has its own rows removed before the catalogue lists it', async () => {
    const store = new MemoryStore()
    store.askCatalogue = () => Promise.reject(new StoreError('memory', 'no answer'))
    const released: string[] = []
    const releaseFences = store.releaseFences.bind(store)
    store.releaseFences = (keys: readonly GuardedKey[], release) => {
      released.push(...keys.map(({ key }) => key))
      return releaseFences(keys, release)
    }
    const { fences, keys } = open(store)
    await fences.release(['a'], '')
    expect(released).toContain(keys.guardedKeyOf('a', 'print').key)
    await fences.stop()
  })

  it('counts writes whose rows are unknown, by their reason', () => {
    const { counts, namespaceCaches: caches } = open()
    for (const { onAllWritten } of caches.all) onAllWritten('raw')
    expect(counts).toEqual([['unknown', 'raw']])
  })

  it('has its database compared elsewhere, not by the writers of this process', async () => {
    const writes = new ModelCacheWrites()
    const compared: string[] = []
    const databaseOf = (name: string) => ({
      describe: async () => {
        compared.push(name)
        return undefined
      },
    })
    const source = databaseOf('own')
    writes.extended(source)
    const database = { mark: '', source, onChange: () => {} }
    const { namespaceCaches: caches } = open(new MemoryStore(), { database, writes })
    await caches.ask()
    expect(compared).toEqual([])
    writes.extended(databaseOf('another'))
    await caches.ask()
    expect(compared).toEqual(['another'])
  })
})
