import { setTimeout as delay } from 'node:timers/promises'
import { eventually, turns } from '../../../../test/support/eventually.js'
import { type CacheObserver, silentObserver } from '../cache/telemetry/observer.js'
import { MemoryStore, ModelCacheWrites, type NamespaceDatabase } from '../protocol/index.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import { writerSchemaOf } from '../source/tables.js'
import type { WriteUnit } from '../source/write-coordinator.js'
import { FlakyStore } from '../testing/flaky-store.js'
import { KeptResults, type KeptResultsOptions } from './kept-results.js'

const facts = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  model Item {
    id     Int     @id
    labels Label[]
  }
  model Label {
    id    Int    @id
    items Item[]
  }
  model lasting {
    id Int @id
  }
  model Price {
    id Int @id
  }
`)

const all = new Map([
  ['Item', { ttl: '1h' }],
  ['Label', { ttl: '1h' }],
])

function open(writes = new ModelCacheWrites(), options: Partial<KeptResultsOptions> = {}): KeptResults {
  return new KeptResults({ models: all, facts, store: new MemoryStore(), writes, ...options })
}

it('end with their process although a query hangs', async () => {
  const results = open()
  const query = Promise.withResolvers<unknown>()
  const run = (): Promise<unknown> => query.promise
  const answer = results.answer({ text: 'all', model: 'Item', models: new Set(['Item']), run })
  await turns()
  await results.close(1)
  query.resolve([])
  expect(await answer).toEqual([])
})

it('leave no listener with what outlives them', async () => {
  let listeners = 0
  const listen = () => {
    listeners++
    return () => void listeners--
  }
  const source = { describe: async () => undefined }
  const database = { mark: '', source, onChange: listen, onTables: listen }
  const results = open(undefined, { database: database as unknown as NamespaceDatabase })
  expect(listeners).toBeGreaterThan(0)
  await results.close()
  expect(listeners).toBe(0)
})

it('count no write that ends them as one to unknown rows, unless it names none', async () => {
  const writes = new ModelCacheWrites()
  const counts: string[] = []
  const observer: CacheObserver = {
    ...silentObserver,
    forModel: (name, lookup) => ({
      ...silentObserver.forModel(name, lookup),
      unknownWrites: (reason) => counts.push(`${name} ${lookup} ${reason}`),
    }),
  }
  const models = new Map([['Item', { ttl: '1h', by: 'id' }]])
  const results = open(writes, { models, observer })
  await results.answer({ text: 'all', model: 'Item', models: new Set(['Item']), run: async () => [] })
  const write = async (mark: (unit: WriteUnit) => void): Promise<void> => {
    const unit = writes.forSchema(writerSchemaOf(facts)).begin()
    mark(unit)
    await unit.fence()
    await unit.end()
  }
  await write((unit) => unit.markWritten('Item', [{ id: 1 }]))
  expect(counts).toEqual([])
  await write((unit) => unit.markAllWritten('Item', 'raw'))
  // The register of the model, and that of the field.
  expect(counts).toEqual(['Item results raw', 'Item results raw'])
  await results.close()
})

const ways = [
  ['their models', (results: KeptResults) => results.invalidate(['Item'])],
  ['their tags', (results: KeptResults) => results.invalidateTags(['a'])],
] as const

it.each(ways)('end with the transaction in which %s are invalidated', async (_, invalidate) => {
  const writes = new ModelCacheWrites()
  const results = open(writes)
  let committed = 'before'
  const run = async (): Promise<unknown> => committed
  const options = { ttl: '1m', tags: ['a'] }
  const ask = () => results.answer({ text: 'all', model: 'Item', models: new Set(['Item']), options, run })
  await ask()
  await results.drain()
  const transaction = writes.begin()
  await writes.within(transaction, {}, () => invalidate(results))
  // Another one reads before the commit, and would keep that.
  expect(await ask()).toBe('before')
  await results.drain()
  await transaction.fence()
  committed = 'after'
  await transaction.end()
  expect(await ask()).toBe('after')
})

it.each(ways)(
  'end at once if %s are invalidated in a transaction of another database',
  async (_, invalidate) => {
    const writes = new ModelCacheWrites()
    const own = {}
    const results = open(writes, { isFrom: (client) => client === own })
    let version = 'before'
    const run = async (): Promise<unknown> => version
    const options = { ttl: '1m', tags: ['a'] }
    const ask = () => results.answer({ text: 'all', model: 'Item', models: new Set(['Item']), options, run })
    await ask()
    await results.drain()
    version = 'after'
    const transaction = writes.begin()
    await writes.within(transaction, {}, () => invalidate(results))
    expect(await ask()).toBe('after')
    await transaction.end()
  },
)

it('are given from memory only where the same models are read', async () => {
  const l1 = { ttl: '1m' }
  const models = new Map(['Item', 'Label', 'Price'].map((name) => [name, { ttl: '1h', l1 }]))
  const results = open(undefined, { models })
  let committed = 'before'
  const run = async (): Promise<unknown> => committed
  // A raw query reads what its callers say.
  const ask = (...names: string[]) =>
    results.answer({ text: 'raw', model: 'Item', models: new Set(names), options: { ttl: '1m' }, run })
  await ask('Item', 'Label')
  await results.drain()
  committed = 'after'
  expect(await ask('Item', 'Label')).toBe('before')
  expect(await ask('Item', 'Price')).toBe('after')
  expect(await ask('Item', 'Label', 'Price')).toBe('after')
  expect(await ask('Item', 'Label')).toBe('before')
})

it('end with a row of a join table, which another schema may have as a model', async () => {
  const writes = new ModelCacheWrites()
  const results = open(writes)
  let connected = 'none'
  const run = async (): Promise<unknown> => connected
  const ask = () => results.answer({ text: 'labels', model: 'Item', models: new Set(['Item', 'Label']), run })
  await ask()
  await results.drain()
  connected = 'one'
  expect(await ask()).toBe('none')
  const others = describeSchemaText(`
    datasource db {
      provider = "postgresql"
    }
    model ItemLabel {
      A Int
      B Int
      @@id([A, B])
      @@map("_ItemToLabel")
    }
  `)
  const write = writes.forSchema(writerSchemaOf(others)).begin()
  write.markWritten('ItemLabel', [{ A: 1, B: 1 }])
  await write.fence()
  await write.end()
  expect(await ask()).toBe('one')
})

it('past their ttl are not given in the place of an answer of the database, which ends them', async () => {
  const results = open()
  const gone = new Error('no such row')
  const away = new Error('no database')
  let error: Error | undefined
  const run = async (): Promise<unknown> => {
    if (error) throw error
    return 'a row'
  }
  const options = { ttl: '20ms', staleFor: '1h', mayBeStale: true }
  const isAnswer = (found: unknown): boolean => found === gone
  const query = { text: 'one', model: 'Item', models: new Set(['Item']), options, run, isAnswer }
  const ask = async (found?: Error): Promise<unknown> => {
    error = found
    await delay(40)
    const answer = await results.answer(query)!.catch((reason: unknown) => reason)
    await results.drain()
    return answer
  }
  expect([await ask(), await ask(away), await ask(gone), await ask(away)]).toEqual([
    'a row',
    'a row',
    gone,
    away,
  ])
})

it('that may be stale do not end with a model that is named as their register is', async () => {
  const writes = new ModelCacheWrites()
  const results = open(writes)
  let committed = 'before'
  const run = async (): Promise<unknown> => committed
  const ask = (model: string, mayBeStale: boolean) =>
    results.answer({ text: model, model, models: new Set([model]), options: { ttl: '1m', mayBeStale }, run })
  const asked = () => Promise.all([ask('Item', true), ask('lasting', false)])
  await asked()
  await results.drain()
  committed = 'written'
  const write = writes.begin()
  write.markWritten('lasting', [{ id: 1 }])
  await write.fence()
  await write.end()
  expect(await asked()).toEqual(['before', 'written'])
  await results.drain()
  committed = 'invalidated'
  await results.invalidate(['lasting'])
  expect(await asked()).toEqual(['before', 'invalidated'])
  await results.invalidate()
  expect(await asked()).toEqual(['invalidated', 'invalidated'])
})

it('end once the store answers a process that does not know them', async () => {
  const store = new MemoryStore()
  const results = open(undefined, { store })
  let committed = 'before'
  const run = async (): Promise<unknown> => committed
  const ask = () => results.answer({ text: 'all', model: 'Item', models: new Set(['Item']), run })
  await ask()
  await results.drain()
  committed = 'after'
  expect(await ask()).toBe('before')
  const flaky = new FlakyStore(store)
  const others = open(undefined, { models: new Map(), store: flaky })
  flaky.fail()
  await others.invalidate()
  flaky.recover()
  await eventually(async () => (await ask()) === 'after')
})
