import { jest } from '@jest/globals'
import { type } from 'arktype'
import { defineModelCache, type ModelCacheOptions } from './cache/policy/definition.js'
import { createModelCache } from './create-model-cache.js'
import { modelCaches } from './definitions/model-caches.js'
import {
  AtRest,
  MemoryStore,
  ModelCacheWrites,
  NamespaceDatabase,
  sealEnvelope,
  storedForm,
} from './protocol/index.js'
import { createLoadSource } from './source/load-source.js'
import { describeSchemaText } from './source/prisma/schema/describe-schema.js'
import { createTestCache } from './testing/test-cache.js'

const facts = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Lot {
  id    Int    @id
  house String
  secret String? /// @cache(omit)
  tags  Tag[]
  bids  Bid[]
}
model Tag {
  name String @id
  lots Lot[]
}
model Bid {
  id    Int @id
  lotId Int
  lot   Lot @relation(fields: [lotId], references: [id])
}
`)

interface Lot {
  id: number
  house: string
}
const schema = type({ id: 'number', house: 'string' })
const withBids = type({ id: 'number', bids: type({ id: 'number' }).array() })
const define = (options: Partial<ModelCacheOptions<Lot, typeof schema, 'id'>> = {}) =>
  defineModelCache<Lot>()({ model: 'Lot', schema, id: 'id', ttl: '1m', ...options })
// eslint-disable-next-line typescript/no-explicit-any -- without a generated client
const defineByFacts = modelCaches<any>().defineModelCache as (model: string, options: object) => any

describe('a cache', () => {
  it.each([
    ['none', undefined, []],
    ['ttl', 'ttl', []],
    ['models', ['Tag', 'Bid'], ['Tag', 'Bid']],
  ] as const)('is listed with the models that it depends on (%s)', (_, dependsOn, listed) => {
    const { cache } = createTestCache(define({ dependsOn }), [])
    expect(cache.inspected.description).toMatchObject({ dependsOn: listed, tables: undefined })
  })

  it.each([
    ['no lookups', {}, ['id'], []],
    ['a list by a field', { lists: { house: { by: 'house' } } }, ['id', 'house'], []],
    ['a list through a relation', { lists: { tag: { through: 'tags' } } }, ['id'], ['tags']],
  ])('is listed with the tables that writers compare (%s)', (_, lookups, fields, joins) => {
    const { cache } = createTestCache(defineByFacts('Lot', { ttl: '1m', ...lookups }), [], { facts })
    const { tables } = cache.inspected.description
    expect(tables!.models.map(({ model }) => model)).toEqual(['Lot'])
    expect(tables!.models[0]!.columns.map(({ field }) => field)).toEqual(fields)
    expect(tables!.joins.map(({ relation }) => relation)).toEqual(joins)
  })

  it('does not take what is stored by another id for its own', async () => {
    const store = new MemoryStore()
    const followsBy = (id: readonly ['from', 'to'] | readonly ['to', 'from'], rows: object[]) =>
      createTestCache(
        defineModelCache<{ from: string; to: string }>()({
          model: 'Follow',
          schema: type({ from: 'string', to: 'string' }),
          id,
          ttl: '1m',
        }),
        rows as { from: string; to: string }[],
        { store },
      ).cache
    const before = followsBy(['from', 'to'], [])
    expect(await before.get({ from: 'ada', to: 'bo' })).toBeNull()
    await before.drain()
    expect((await before.explain({ from: 'ada', to: 'bo' })).stored).toMatchObject({ isHit: true })
    const row = { from: 'bo', to: 'ada' }
    expect(await followsBy(['to', 'from'], [row]).get(row)).toEqual(row)
  })

  it('answers queries of its model until it is closed', async () => {
    const store = new MemoryStore()
    const writes = new ModelCacheWrites({ store })
    const answering = () => Array.from(writes.reads.all(), ({ name }) => name)
    const { cache } = createTestCache(define(), [], { store, writes })
    const { cache: computed } = createTestCache(
      define({ name: 'Computed', dependsOn: 'ttl', load: () => [] }),
      [],
      { store, writes },
    )
    expect(answering()).toEqual(['Lot'])
    await Promise.all([cache.close(), computed.close()])
    expect(answering()).toEqual([])
  })

  it('is one of another process to writers once it is closed', async () => {
    const store = new MemoryStore()
    const writes = new ModelCacheWrites({ store })
    const { all } = writes.cachesIn({ store })
    const rows = [{ id: 1, house: 'a' }]
    const { cache } = createTestCache(define(), rows, { store, writes })
    const { cache: same } = createTestCache(define(), rows, { store, writes })
    await cache.get(1)
    await cache.close()
    await writes.prepare()
    expect(writes.idFieldsOf('Lot')).toEqual([['id']])
    await same.close()
    expect(writes.idFieldsOf('Lot')).toEqual([['id']])
    expect(writes.cachesIn({ store }).all).not.toEqual(all)
  })

  it('has its store watch the catalogue until it is closed, or the writes that it shares with others are', async () => {
    const listeners = new Set<unknown>()
    const store = Object.assign(new MemoryStore(), {
      watchCatalogue(_key: string, listener: unknown) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    })
    const { cache } = createTestCache(define(), [], { store })
    expect(listeners.size).toBe(1)
    await cache.close()
    expect(listeners.size).toBe(0)
    const writes = new ModelCacheWrites({ store })
    const { cache: sharing } = createTestCache(define(), [], { store, writes })
    await sharing.close()
    expect(listeners.size).toBe(1)
    await writes.close()
    expect(listeners.size).toBe(0)
  })

  it('has its database asked again once it has loaded rows', async () => {
    const store = new MemoryStore()
    const database = new NamespaceDatabase({ store, database: { describe: async () => undefined } })
    const noteUse = jest.spyOn(database, 'noteUse')
    const { cache } = createTestCache(define(), [{ id: 1, house: 'a' }], { store, database })
    expect(noteUse).not.toHaveBeenCalled()
    await cache.get(1)
    expect(noteUse).toHaveBeenCalledTimes(1)
    await cache.close()
  })

  it.each([
    ['whose lag is unknown', {}, 0, 1],
    ['whose lag is known', {}, 500, 0],
    ['beside which there is a client of the primary', { primary: {} }, 0, 0],
    ['which are none', { isFromReplicas: () => false }, 0, 0],
    ['of a source that does not tell', { isFromReplicas: undefined }, 0, 0],
  ])('warns of replicas %s', async (_, change, replicaLagMs, times) => {
    const warnings: string[] = []
    const source = {
      ...createLoadSource<Lot, number>(() => [], undefined),
      isFromReplicas: () => true,
      ...change,
    }
    const warn = (message: string) => void warnings.push(message)
    const { cache } = createTestCache(define(), [], { source, warn, consistency: { replicaLagMs } })
    expect(warnings).toHaveLength(times)
    // No database tells its rows apart.
    expect(await cache.get(1)).toBeNull()
    await cache.close()
  })

  it.each([
    ['relations', { include: { bids: true } }, 'its rows hold data of Bid'],
    ['relations in its schema', { schema: withBids }, 'its rows hold data of Bid'],
    ['fields', { schema: type({ id: 'number', house: 'string' }), select: { id: true } }, 'has "house"'],
    ['fields that are kept out', { schema: type({ id: 'number', secret: 'string' }) }, 'has "secret"'],
    ['models', { dependsOn: ['bid'] }, 'did you mean "Bid"?'],
  ])('refuses a definition by its %s, as the start of Nest does', (_, options, message) => {
    const definition = defineByFacts('Lot', { ttl: '1m', ...options })
    const source = { ...createLoadSource<Lot, number>(() => [], undefined), facts }
    expect(() => createModelCache(definition, { store: new MemoryStore(), source })).toThrow(message)
  })

  it('refuses a lookup if its source finds rows by id only', () => {
    const definition = defineByFacts('Lot', { ttl: '1m', lists: { house: { by: 'house' } } })
    const source = createLoadSource<Lot, number>(() => [], undefined)
    expect(() => createModelCache(definition, { store: new MemoryStore(), source, facts })).toThrow(
      'lookup "house" needs a source with `find`',
    )
  })
})

describe('the form of what is stored', () => {
  const keys = [{ id: 'a', key: Buffer.alloc(32, 1) }]
  const formOf = (atRest: AtRest | undefined, options: object) => {
    const { cache } = createTestCache(defineByFacts('Lot', { ttl: '1m', ...options }), [], { facts, atRest })
    const { description } = cache.inspected
    return { ...description.atRest, lookups: description.lookups.map(({ fingerprint }) => fingerprint) }
  }
  const lists = { house: { by: 'house' } }

  it('is that of the models that its rows hold', () => {
    const bids = AtRest.of({ keys, models: ['Bid'] })
    expect(formOf(bids, {})).toEqual({ lookups: [] })
    const included = { include: { bids: true }, dependsOn: 'ttl' }
    expect(formOf(bids, included)).toMatchObject({ isEncrypted: true, isCompressed: false })
    expect(formOf(bids, { dependsOn: ['Bid'] })).toMatchObject({ isEncrypted: true })
    expect(formOf(bids, { schema: withBids, dependsOn: 'ttl' })).toMatchObject({ isEncrypted: true })
    expect(formOf(undefined, included)).toEqual({ lookups: [] })
  })

  it('has fingerprints of its own, of rows and of entries', async () => {
    const options = [
      [undefined, { lists }],
      [AtRest.of({ keys }), { lists }],
      [AtRest.of({ keys, hashKeys: true }), { lists }],
      [undefined, { lists, compress: { above: '1kB' } }],
      [AtRest.of({ keys }), { lists, compress: { above: 0 } }],
    ] as const
    const entries = options.map(([atRest, each]) => formOf(atRest, each).lookups.join())
    expect(new Set(entries).size).toBe(5)
    const rows = await Promise.all(
      options.map(async ([atRest, each]) => {
        const { cache } = createTestCache(defineByFacts('Lot', { ttl: '1m', ...each }), [], { facts, atRest })
        return (await cache.inspected.status()).fingerprint
      }),
    )
    expect(new Set(rows).size).toBe(5)
    // The threshold says nothing of the form: values tell whether they are compressed.
    expect(formOf(undefined, { lists, compress: { above: '9kB' } }).lookups.join()).toBe(entries[3])
  })
})

describe('an encrypted value that is put back', () => {
  const atRest = AtRest.of({ keys: [{ id: 'a', key: Buffer.alloc(32, 1) }] })
  const form = storedForm({ atRest, models: ['Lot'], compressAboveBytes: undefined })!

  /** Reads the row of a cache whose store has been given an earlier value of it again, which has expired. */
  async function readExpired(options: Partial<ModelCacheOptions<Lot, typeof schema, 'id'>>, agoMs: number) {
    const store = new MemoryStore()
    const rows = [{ id: 1, house: 'old' }]
    const { cache, loads } = createTestCache(define(options), rows, { store, atRest })
    await cache.get(1)
    await cache.drain()
    const { key } = await cache.explain(1)
    const [stored] = await store.getManyBytes([key])
    const envelope = String(await form.values.open(key, stored!))
    const [print, epoch, , ...payload] = envelope.split(';')
    const times = { createdMs: Date.now() - agoMs - 60_000, expiresMs: Date.now() - agoMs }
    const { text } = sealEnvelope(print!, epoch!, times, payload.join(';'))
    await cache.invalidate(1)
    store.getManyBytes = async function (keys) {
      const values = await MemoryStore.prototype.getManyBytes.call(this, keys)
      const expired = (await form.values.close(key, text)) as Buffer
      return values.map((value, i) => (keys[i] === key ? expired : value))
    }
    rows[0]!.house = 'new'
    return { loads, cache, rows }
  }

  it('counts no longer than it lives, also where no option looks at its age', async () => {
    const { cache, loads } = await readExpired({}, 1)
    expect((await cache.get(1))?.house).toBe('new')
    expect(loads).toHaveLength(2)
  })

  it('is served stale no longer than `staleFor` says', async () => {
    const failing = async (agoMs: number) => {
      const { cache, rows } = await readExpired({ staleFor: '1m' }, agoMs)
      Object.defineProperty(rows, 'filter', {
        value: () => {
          throw new Error('no database')
        },
      })
      return cache.get(1)
    }
    expect((await failing(1_000))?.house).toBe('old')
    await expect(failing(61_000)).rejects.toThrow('no database')
  })
})
