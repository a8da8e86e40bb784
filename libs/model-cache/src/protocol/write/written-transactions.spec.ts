import { describedLots } from '../../../../../test/support/described-lots.js'
import { setTimeout as delay } from 'node:timers/promises'
import { MemoryStore } from '../backend/memory-store.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import type { AnsweringCache } from '../../source/read-caches.js'
import { entryOf } from '../registry/cache-description.js'
import { modelKeys } from '../format/key-space.js'
import { AnsweringCaches, ModelCacheWrites, outsideTransactions } from './model-cache-writes.js'

const lots = describedLots({ dependsOn: ['Sale'] })

function open() {
  const store = new FlakyStore(new MemoryStore())
  const logged: string[] = []
  const writes = new ModelCacheWrites({
    store,
    namespace: 'test',
    warn: () => logged.push('warn'),
    info: () => logged.push('info'),
  })
  const describeCache = async (description = lots) => {
    const { field, text } = entryOf(description, 'print')
    await store.askCatalogue('test:{catalogue}', {
      known: '',
      isWriter: false,
      put: new Map([[field, text]]),
    })
  }
  const epochs = async (name = 'Lot') =>
    (await store.getMany([modelKeys('test', name).registerKey]))[0]?.split(';').slice(0, 2)
  return { store, writes, logged, describeCache, epochs }
}

describe('a write of a process without caches', () => {
  it.each(['markAllWritten', 'markEverything'] as const)(
    'to unknown rows (%s) replaces the epoch',
    async (mark) => {
      const { writes, describeCache, epochs } = open()
      await describeCache()
      await writes.prepare()
      const unit = writes.begin()
      if (mark === 'markAllWritten') unit.markAllWritten('Lot', 'raw')
      else unit.markEverything('raw')
      expect(unit.isFenced).toBe(false)
      await unit.fence()
      expect(unit.isFenced).toBe(true)
      const fenced = await epochs()
      await unit.end()
      expect((await epochs())![0]).not.toBe(fenced![0])
      await writes.close()
    },
  )

  it('that creates rows replaces the existence epoch, and all of a cache that depends on the model', async () => {
    const { writes, describeCache, epochs } = open()
    await describeCache()
    await writes.prepare()
    const first = writes.begin()
    first.markCreated('Lot', 'created')
    await first.fence()
    await first.end()
    const before = (await epochs())!
    const second = writes.begin()
    second.markCreated('Lot', 'created')
    await second.fence()
    await second.end()
    const after = (await epochs())!
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false])
    const third = writes.begin()
    third.markCreated('Sale', 'created')
    await third.fence()
    await third.end()
    expect((await epochs())![0]).not.toBe(after[0])
    await writes.close()
  })

  it.each([
    ['rows whose id it knows', [{ id: 'a' }], false],
    ['rows without their id', [{}], false],
    ['rows whose id is of another kind', [{ id: 7 }], true],
  ])('to %s keeps or replaces the epoch', async (_, rows, replaces) => {
    const { writes, describeCache, epochs, store } = open()
    await describeCache()
    await writes.prepare()
    const unit = writes.begin()
    unit.markWritten('Lot', rows)
    await unit.fence()
    await unit.end()
    expect((await epochs()) !== undefined).toBe(replaces)
    expect(store.calls.fenceMany).toBe('id' in rows[0]! && !replaces ? 1 : 0)
    await writes.close()
  })

  it('to a model that a cache depends on replaces the epoch of the cache', async () => {
    const { writes, describeCache, epochs } = open()
    await describeCache()
    await writes.prepare()
    const unit = writes.begin()
    unit.markWritten('Sale', [{ id: 'a' }])
    await unit.fence()
    await unit.end()
    expect(await epochs()).toBeDefined()
    await writes.close()
  })

  it('does not ask the store if it has written nothing', async () => {
    const { writes, store } = open()
    const unit = writes.begin()
    await unit.fence()
    await unit.end()
    expect(store.calls.askCatalogue).toBe(0)
    await writes.close()
  })

  it('that could not read the catalogue empties what it has missed later', async () => {
    const { writes, describeCache, epochs, store, logged } = open()
    await writes.prepare()
    const unit = writes.begin()
    unit.noteWrite()
    await describeCache()
    store.fail('askCatalogue')
    await unit.fence()
    await unit.end()
    // The first one is of a namespace without caches.
    expect([await epochs(), logged]).toEqual([undefined, ['warn', 'warn']])
    store.recover()
    await writes.close()
    expect([typeof (await epochs())![0], logged]).toEqual(['string', ['warn', 'warn', 'info']])
  })
})

describe('a transaction', () => {
  it('is that of its caller until it is over', async () => {
    const { writes } = open()
    const unit = writes.begin()
    const client = {}
    const scope = await writes.within(unit, client, async () => {
      expect(writes.reads.isInTransaction).toBe(true)
      expect([writes.current()?.client, writes.current()?.isOver]).toEqual([client, false])
      return writes.current()
    })
    expect([writes.current(), writes.reads.isInTransaction, scope?.isOver]).toEqual([undefined, false, true])
  })

  it('is not that of work that outlives it', async () => {
    const { writes } = open()
    const unit = writes.begin()
    let late: Promise<unknown> | undefined
    await writes.within(unit, {}, async () => {
      late = delay(1).then(() => writes.current())
    })
    await unit.end()
    expect(await late).toBeUndefined()
  })

  it('may run within one of another coordinator, and is left with it', async () => {
    const [writes, others] = [new ModelCacheWrites(), new ModelCacheWrites()]
    const clients = () => [writes, others].map((each) => each.current()?.client)
    const within = (each: ModelCacheWrites, client: string, work: () => Promise<unknown>) =>
      each.within(each.begin(), { client }, work)
    const found = await within(writes, 'own', () =>
      within(others, 'other', async () => [clients(), outsideTransactions(clients)]),
    )
    expect(found).toEqual([
      [{ client: 'own' }, { client: 'other' }],
      [undefined, undefined],
    ])
  })
})

it('writes are those of one namespace of a store, whose caches are known once', () => {
  const writes = new ModelCacheWrites()
  const store = new MemoryStore()
  const known = writes.cachesIn({ store })
  expect(writes.cachesIn({ store, namespace: 'mc' })).toBe(known)
  const message = 'has the `writes` of caches of another namespace or store'
  expect(() => writes.cachesIn({ store, namespace: 'other' })).toThrow(message)
  expect(() => writes.cachesIn({ store: new MemoryStore() })).toThrow(message)
  expect([writes.idFieldsOf('Lot'), writes.lookupsOf('Lot')]).toEqual([[], []])
})

it('caches that answer queries replace those of their name, and count their changes', () => {
  const caches = new AnsweringCaches(() => false)
  const [first, second] = [{ name: 'Lot' }, { name: 'Lot' }] as [AnsweringCache, AnsweringCache]
  caches.add(first)
  caches.add(second)
  caches.remove(first)
  expect([[...caches.all()], caches.version]).toEqual([[second], 2])
  caches.remove(second)
  expect([[...caches.all()], caches.version, caches.isInTransaction]).toEqual([[], 3, false])
})
