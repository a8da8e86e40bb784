import { channel } from 'node:diagnostics_channel'
import { jest } from '@jest/globals'
import { turns } from '../../../../test/support/eventually.js'
import { createSqliteDemo, unconnectedPostgres } from '../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../test/support/use-opened.js'
import type { ModelCacheDefinition } from '../cache/policy/definition.js'
import { modelCaches } from '../definitions/model-caches.js'
import { MemoryStore, ModelCacheWrites } from '../protocol/index.js'
import { cached } from '../source/prisma/cached.js'
import { extendPrisma } from '../source/prisma/extend-prisma.js'
import { invalidateResults } from '../source/prisma/reads/answer-reads.js'
import { type CacheObserver, silentObserver } from '../cache/telemetry/observer.js'
import type { KeptResults } from '../results/kept-results.js'
import { CacheRegistry, type CacheRegistryOptions, type CacheRegistryParts } from './cache-registry.js'

const define = modelCaches().defineModelCache as unknown as (
  model: string,
  options: object,
) => ModelCacheDefinition<{ id: string; name: string }, string>
const guestCache = define('GuestUser', { ttl: '1m' })
const levelCache = define('GivingLevel', { ttl: '1m' })

const demo = useOpened(createSqliteDemo)
beforeAll(async () => {
  await demo.client().guestUser.create({ data: { id: 'ada', name: 'Ada', email: '' } })
})
/** Those of a test. */
const registries: CacheRegistry[] = []
afterEach(async () => {
  for (const registry of registries.splice(0)) await registry.close()
})

function create(options: CacheRegistryOptions = {}, parts: CacheRegistryParts = {}) {
  const warned: string[] = []
  const store = new MemoryStore()
  const warn = (message: string): void => void warned.push(message)
  const registry = new CacheRegistry({ store, warn, ...options }, parts)
  registries.push(registry)
  return { registry, store, warned }
}

/** Notes the model of each load. */
function noting(loads: string[]): CacheObserver {
  const forModel: CacheObserver['forModel'] = (model, lookup) => ({
    ...silentObserver.forModel(model, lookup),
    load: () => void loads.push(model),
  })
  return { ...silentObserver, forModel }
}

describe('a registry of caches', () => {
  it('has caches that are registered before and after its start, each once', async () => {
    const { registry, warned } = create()
    const prisma = extendPrisma(demo.client(), registry.writes)
    const guests = await registry.register(guestCache)
    await expect(guests.get('ada')).rejects.toMatchObject({ code: 'E_NOT_STARTED' })
    await registry.start(prisma)
    const levels = await registry.register(levelCache)
    expect(await levels.getMany([])).toEqual([])
    expect(await registry.register(guestCache)).toBe(guests)
    expect(await guests.get('ada')).toMatchObject({ name: 'Ada' })
    await prisma.guestUser.update({ where: { id: 'ada' }, data: { name: 'Ada L.' } })
    expect(await guests.get('ada')).toMatchObject({ name: 'Ada L.' })
    expect(registry.database).toContain('SQLite')
    expect(warned).toEqual([])
  })

  it('answers the queries of its client', async () => {
    const { registry } = create()
    const prisma = extendPrisma(demo.client(), registry.writes, { reads: 'all' })
    await registry.register(guestCache)
    await registry.start(prisma)
    const loads: unknown[] = []
    const onLoad = (event: unknown): void => void loads.push(event)
    channel('model-cache:load').subscribe(onLoad)
    for (const _ of [1, 2]) await prisma.guestUser.findUnique({ where: { id: 'ada' } })
    channel('model-cache:load').unsubscribe(onLoad)
    expect(loads).toEqual([expect.objectContaining({ model: 'GuestUser', ids: 1 })])
  })

  it.each([
    ['that has no `reads`', () => demo.client()],
    ['that it does not have', () => undefined],
  ])('ends results of other processes for a client beside one %s', async (_, clientOf) => {
    const { registry: keeping, store } = create()
    const reads = { results: { GuestUser: '1h' } }
    const prisma = extendPrisma(demo.client(), keeping.writes, { reads })
    await keeping.start(prisma)
    const guests = (): Promise<number> => prisma.guestUser.count()
    const before = await guests()
    await (keeping.writes.reads.results as KeptResults).drain()
    const { id } = await demo.client().guestUser.create({ data: { name: 'Bea', email: '' } })
    expect(await guests()).toBe(before)
    const { registry } = create({ store })
    const beside = extendPrisma(demo.client(), registry.writes, { reads: 'all' })
    await registry.start(clientOf())
    await invalidateResults(beside, ['GuestUser'])
    expect(await guests()).toBe(before + 1)
    await demo.client().guestUser.delete({ where: { id } })
  })

  it('forgets a cache that cannot be registered after the start', async () => {
    const { registry } = create()
    await registry.start(extendPrisma(demo.client(), registry.writes))
    const unknown = define('Unknown', { ttl: '1m' })
    const registering = await Promise.allSettled([registry.register(unknown), registry.register(unknown)])
    const refused = { status: 'rejected', reason: { code: 'E_UNKNOWN_MODEL' } }
    expect(registering).toMatchObject([refused, refused])
    expect(registry.caches).toEqual([])
  })

  it('binds a cache that is registered during its start', async () => {
    const { registry } = create()
    await registry.register(levelCache)
    const starting = registry.start(extendPrisma(demo.client(), registry.writes))
    const guests = await registry.register(guestCache)
    expect(await guests.getMany([])).toEqual([])
    await starting
  })

  it('refuses a start without the client that its caches need', async () => {
    const { registry } = create()
    await registry.register(guestCache)
    await expect(registry.start(undefined)).rejects.toMatchObject({ code: 'E_UNDERIVED_SCHEMA' })
  })

  it('has an observer, beside what it publishes', async () => {
    const loads: string[] = []
    const { registry } = create({ observer: noting(loads) })
    const guests = await registry.register(guestCache)
    await registry.start(extendPrisma(demo.client(), registry.writes))
    await guests.get('ada')
    expect(loads).toEqual(['GuestUser'])
  })

  it('logs that its store is unavailable, also if the observer throws', async () => {
    const storeChanged = (): never => {
      throw new Error('no registry')
    }
    const { registry, warned } = create({
      store: undefined as never,
      valkey: { url: 'valkey://127.0.0.1:1' },
      observer: { ...silentObserver, storeChanged },
    })
    await registry.start(undefined)
    expect(warned).toContainEqual(expect.stringContaining('is unavailable for'))
  })

  it('refuses two definitions of one name', async () => {
    const { registry } = create()
    await registry.register(guestCache)
    const other = define('GuestUser', { ttl: '2m' })
    await expect(registry.register(other)).rejects.toMatchObject({ code: 'E_DUPLICATE_DEFINITION' })
  })

  it('refuses a cache that needs a follower', async () => {
    const { registry } = create()
    await registry.register(define('GuestUser', { ttl: '1m', follow: 'required' }))
    const starting = registry.start(extendPrisma(demo.client(), registry.writes))
    await expect(starting).rejects.toThrow('option "follow of ModelCache "GuestUser""')
  })

  it('connects the store that it creates, in memory without `valkey`, and no other', async () => {
    const { registry, warned } = create({ store: undefined as never, memory: { maxEntries: 7 } })
    expect(registry.store).toBeInstanceOf(MemoryStore)
    expect(warned).toEqual([expect.stringContaining('ModelCache: there is no option `valkey`')])
    const connected: string[] = []
    const note = (name: 'connect' | 'close') => async () => void connected.push(name)
    const noted = Object.assign(new MemoryStore(), { connect: note('connect'), close: note('close') })
    const { registry: own } = create({ store: undefined as never }, { store: noted })
    await own.start(undefined)
    await own.close()
    expect(connected).toEqual(['connect', 'close'])
    const { registry: given } = create({ store: noted })
    await given.start(undefined)
    await given.close()
    expect(connected).toHaveLength(2)
  })

  it('closes what it has opened if it is closed during its start', async () => {
    const calls: string[] = []
    const note = (name: 'connect' | 'close') => async () => void calls.push(name)
    const store = Object.assign(new MemoryStore(), { connect: note('connect'), close: note('close') })
    const { registry } = create({ store: undefined as never }, { store })
    await registry.register(guestCache)
    const starting = registry.start(extendPrisma(demo.client(), registry.writes))
    await registry.close()
    await starting
    expect(calls).toEqual(['connect', 'close'])
  })

  it('uses the store no more once it has been closed, also if a cache was being bound', async () => {
    const { registry, store } = create()
    await registry.start(extendPrisma(demo.client(), registry.writes))
    const registering = registry.register(guestCache)
    await registry.close()
    const ask = jest.spyOn(store, 'askCatalogue')
    await registering
    expect(ask).not.toHaveBeenCalled()
  })

  it('closes caches and results at the same time, and has the database answer queries from then on', async () => {
    const loading = Promise.withResolvers<void>()
    const { registry, store } = create({}, { runLoad: (_, load) => loading.promise.then(load) })
    const reads = { results: { GuestUser: '1m' } }
    const prisma = extendPrisma(demo.client(), registry.writes, { reads })
    const guests = await registry.register(guestCache)
    await registry.start(prisma)
    const results = registry.writes.reads.results as KeptResults
    const closeResults = jest.spyOn(results, 'close')
    const before = await prisma.guestUser.count()
    await results.drain()
    const { id } = await demo.client().guestUser.create({ data: { name: 'Bea', email: '' } })
    expect(await prisma.guestUser.count()).toBe(before)
    const read = guests.get('ada')
    const closing = registry.close()
    await turns()
    expect(closeResults).toHaveBeenCalled()
    expect(await prisma.guestUser.count()).toBe(before + 1)
    await cached(prisma, { ttl: '1m', tags: ['late'] }).guestUser.count()
    loading.resolve()
    expect(await read).toMatchObject({ id: 'ada' })
    await closing
    expect(registry.writes.reads.results).toBeUndefined()
    // Nobody would take a register from the catalogue that comes after that.
    expect(registry.writes.cachesIn({ store }).catalogue.own).toEqual([])
    await demo.client().guestUser.delete({ where: { id } })
  })

  it('ends results of other processes while its caches wait for what they load', async () => {
    const { registry: keeping, store } = create()
    const reads = { results: { GuestUser: '1h' } }
    const other = extendPrisma(demo.client(), keeping.writes, { reads })
    await keeping.start(other)
    const before = await other.guestUser.count()
    await (keeping.writes.reads.results as KeptResults).drain()
    const loading = Promise.withResolvers<void>()
    const { registry } = create({ store }, { runLoad: (_, load) => loading.promise.then(load) })
    const prisma = extendPrisma(demo.client(), registry.writes, { reads })
    const guests = await registry.register(guestCache)
    await registry.start(prisma)
    const read = guests.get('ada')
    const closing = registry.close()
    await turns()
    const { id } = await demo.client().guestUser.create({ data: { name: 'Bea', email: '' } })
    expect(await other.guestUser.count()).toBe(before)
    await invalidateResults(prisma, ['GuestUser'])
    expect(await other.guestUser.count()).toBe(before + 1)
    loading.resolve()
    await Promise.all([read, closing])
    await demo.client().guestUser.delete({ where: { id } })
  })

  it('warns once of a client that is not extended, also without caches', async () => {
    const { registry, warned } = create()
    await registry.start(demo.client())
    await registry.register(guestCache)
    expect(warned).toEqual([expect.stringMatching(/^ModelCache: The Prisma client is not extended, .*\.$/)])
    expect(registry.losses).toHaveLength(1)
  })

  it('refuses a start beside another copy of the package', async () => {
    const { registry } = create()
    const other = {
      name: 'model-cache',
      version: '0.0.1',
      at: 'at file:///app/node_modules/model-cache/b.js',
    }
    const loaded = (globalThis as { [key: symbol]: unknown })[Symbol.for('model-cache.packages')] as object[]
    loaded.push(other)
    try {
      await expect(registry.start(undefined)).rejects.toMatchObject({ code: 'E_DUPLICATE_PACKAGE' })
    } finally {
      loaded.splice(loaded.indexOf(other), 1)
    }
  })

  it('leaves it to the Nest module which client its caches have', async () => {
    const { registry, warned } = create({}, { clientOf: () => undefined })
    await registry.start(demo.client())
    expect([warned, registry.losses, registry.database]).toEqual([[], [], undefined])
  })

  it('holds fences for a standby, if the client of the primary is extended as well', async () => {
    const writes = new ModelCacheWrites()
    const held: unknown[] = []
    writes.holdFor = (standby) => void held.push(standby)
    const [primary, standby] = [false, true].map((replica) =>
      extendPrisma(unconnectedPostgres(), writes, { replica }),
    )
    const { registry } = create({}, { writes })
    await expect(registry.start(standby, demo.client())).rejects.toThrow('option "primary" is')
    expect(held).toEqual([])
    await registry.start(standby, primary)
    expect(held).toHaveLength(1)
  })
})
