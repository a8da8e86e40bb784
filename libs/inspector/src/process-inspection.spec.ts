import { jest } from '@jest/globals'
import { describeSchemaText } from 'model-cache/internal'
import { FlakyStore, MemoryStore } from 'model-cache/testing'
import { lot, openShop, type ShopOptions } from '../../../test/support/inspected-shop.js'
import type { Knowledge, Question } from './local-answers.js'
import type { Answers, Peer, Peers } from './peers.js'
import { OwnFacts } from './process-facts.js'
import { type Permissions, ProcessInspection } from './process-inspection.js'
import { Events } from './events.js'

const self: Peer = { id: 'p1', host: 'web-1', pid: 7 }
const other: Peer = { id: 'p2', host: 'web-2', pid: 8 }
const silent = [{ id: 'p3', host: 'web-3', pid: 9, lastAt: '2026-01-01T00:00:00.000Z' }]
const lots = { name: 'Lot', root: null }
const isoTime = expect.stringMatching(/^\d{4}-.*Z$/)

const all: Permissions = { isShown: () => true, actionsOf: () => ['invalidate', 'invalidateAll'] }

/**
 * Inspects shops, of which the first is the unnamed root.
 *
 * @param answersTo what both processes answer to a question
 */
function open(
  shops: readonly ShopOptions[] = [{}],
  {
    answersTo = () => [null, null],
    permissions = all,
  }: { answersTo?: (question: Question) => readonly unknown[]; permissions?: Permissions } = {},
) {
  const opened = shops.map(openShop)
  const roots = opened.map(({ root }) => root)
  const asked: Question[] = []
  const ask = async (question: Question): Promise<Answers> => {
    asked.push(question)
    const answers = answersTo(question)
    return { answers: [self, other].map((peer, i) => ({ peer, answer: answers[i] })), silent }
  }
  const inspection = new ProcessInspection(roots, { self, ask } as unknown as Peers, permissions)
  const facts = new OwnFacts(self, roots, { utilization: 0, value: 0 }, new Events(), null)
  return { asked, facts, inspection, opened, roots, shop: opened[0]! }
}

const header = { at: isoTime, self: 'p1', silent }

describe('the processes', () => {
  it('are those that answer with facts', async () => {
    const { facts } = open()
    const own = await facts.read()
    const { asked, inspection } = open([{}], { answersTo: () => [own, 'something newer'] })
    const report = await inspection.processes()
    expect(report).toMatchObject({ ...header, processes: [{ id: 'p1' }] })
    expect(report.processes).toHaveLength(1)
    expect(report.processes[0]!.caches[0]).toMatchObject({ name: 'Lot', figures: { recent: null } })
    expect(asked).toEqual([{ about: 'process' }])
  })

  it('are asked once for requests of one moment, and again later', async () => {
    const { asked, inspection } = open()
    await Promise.all([inspection.processes(), inspection.processes(), inspection.history()])
    expect(asked).toEqual([{ about: 'process' }, { about: 'history' }])
    await inspection.processes()
    expect(asked).toHaveLength(3)
  })

  it('have their last minute', async () => {
    const sample = {
      agoMs: 1,
      seconds: 2,
      lagMs: null,
      answered: { tick: 0, l1: 0, store: 0, source: 0 },
      decodeMs: {},
    }
    const { inspection } = open([{}], { answersTo: () => [[sample], 'none'] })
    expect(await inspection.history()).toEqual({
      ...header,
      processes: [
        { id: 'p1', samples: [sample] },
        { id: 'p2', samples: [] },
      ],
    })
  })
})

it('adds the queries of each root that has a schema', async () => {
  const schema = () => describeSchemaText('model Lot { id Int @id }')
  const queries = (answered: number) => ({
    composed: [],
    takesAnyRow: false,
    models: [{ model: 'Lot', answered, omitted: [], bypassed: [] }],
  })
  const answer = (root: string | null, answered: number) => ({ root, queries: queries(answered) })
  const { asked, inspection } = open(
    [{ root: { schema } }, { name: 'billing', root: { schema } }, { name: 'stock' }],
    { answersTo: () => [[answer(null, 1), answer('billing', 2), answer('stock', 4)], [answer(null, 3)]] },
  )
  const { roots, ...rest } = await inspection.queries()
  expect(rest).toEqual(header)
  expect(roots.map(({ models, root, suggestions }) => [root, models, suggestions.answered])).toEqual([
    [null, queries(4).models, 4],
    ['billing', queries(2).models, 2],
  ])
  expect(asked).toEqual([{ about: 'queries' }])
})

it('finds the recent ids of a cache in all processes, each once, the newest first', async () => {
  const seen = (id: string, second: number, lookup: string | null = null) => {
    const at = `2026-11-23T02:00:${String(second).padStart(2, '0')}.000Z`
    return { lookup, id, at, what: 'missed' }
  }
  const many = Array.from({ length: 10 }, (_, i) => seen(`l${i}`, 40 - i, 'ofHouse'))
  const { asked, inspection } = open([{}], {
    answersTo: () => [
      [seen('a', 5), seen('b', 3)],
      [seen('b', 9), seen('a', 1, 'bySlug'), ...many, seen('l10', 20, 'ofHouse')],
    ],
  })
  const { ids, ...rest } = await inspection.recent({ name: 'Lot', root: null })
  expect(rest).toEqual({ ...header, cache: { name: 'Lot', root: null } })
  expect(ids).toEqual([...many, seen('b', 9), seen('a', 5), seen('a', 1, 'bySlug')])
  expect(asked).toEqual([{ about: 'recent', name: 'Lot', root: null }])
  await expect(inspection.recent({ name: 'Bid', root: null })).rejects.toThrow('no cache "Bid"')
})

describe('the caches', () => {
  it('are those of all roots, by root and name, and foreign ones as of now', async () => {
    const store = new MemoryStore()
    const shops = [{ name: 'stock' }, { lotsName: 'Zone', store }, { name: 'billing', lotsName: 'Item' }]
    const permissions: Permissions = {
      ...all,
      actionsOf: ({ name, root }) => (name === 'Seat' && root === null ? ['invalidate'] : []),
    }
    const { inspection } = open(shops, { permissions })
    // Another application of the same namespace.
    await openShop({ store, lotsName: 'Foreign' }).cache.get(1)
    const report = await inspection.caches()
    expect(report).toMatchObject(header)
    expect(report.caches.map(({ actions, name, root }) => [root, name, actions])).toEqual([
      [null, 'Seat', ['invalidate']],
      [null, 'Zone', []],
      ['billing', 'Item', []],
      ['billing', 'Seat', []],
      ['stock', 'Lot', []],
      ['stock', 'Seat', []],
    ])
    expect(report.foreign).toContainEqual({ root: null, name: 'Foreign', model: 'Lot' })
  })

  it('are there while the store is not', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { inspection } = open([{ store }])
    store.fail()
    expect((await inspection.caches()).caches).toHaveLength(2)
  })

  it('have the figures of the processes that answer', async () => {
    const { facts, shop } = open()
    shop.observer.forModel('Lot').reads('store', 'hit', 3)
    const own = await facts.read()
    const { inspection } = open([{}], { answersTo: () => [own, own] })
    expect((await inspection.caches()).caches[0]).toMatchObject({ figures: { sinceStart: { reads: 6 } } })
  })
})

const knowledge: Knowledge = {
  l1: null,
  isInvalidationPending: false,
  lastMiss: null,
  lastWrite: null,
  lastUnknownWrite: null,
}

describe('a row', () => {
  it('is shown with its layers, what processes know, and the comparison', async () => {
    const { asked, inspection, shop } = open([{ lots: [lot(1)] }], {
      answersTo: () => [knowledge, 'nothing'],
    })
    const missing = await inspection.row(lots, '1')
    expect(missing).toMatchObject({
      stored: { isHit: false, reason: 'not_cached' },
      comparison: { outcome: 'notStored' },
    })
    await shop.cache.get(1)
    await shop.cache.drain()
    shop.lots[0]!.name = 'new'
    const { key } = await shop.cache.explain(1)
    const report = await inspection.row(lots, '1')
    expect(report).toMatchObject({
      at: isoTime,
      id: '1',
      cache: lots,
      key: shop.cache.inspected.storeKeyOf('1'),
      epoch: expect.any(String),
      mayFill: true,
      stored: { isHit: true, storedAt: isoTime, expiresAt: isoTime, bytes: expect.any(Number) },
      guard: expect.any(String),
      holders: [],
      processes: [{ ...knowledge, process: 'p1', host: 'web-1', pid: 7 }],
      silent,
      comparison: { outcome: 'different', exists: true, error: null },
    })
    expect(key).toContain(report.key)
    expect(report.processes).toHaveLength(1)
    expect(report.comparison.fields.filter(({ isDifferent }) => isDifferent)).toMatchObject([
      { name: 'name', stored: { text: 'lot 1' }, source: { text: 'new' } },
    ])
    expect(asked[0]).toEqual({ about: 'row', ...lots, id: '1' })
  })

  it('has no values that must not be shown, but its id', async () => {
    const permissions: Permissions = {
      ...all,
      isShown: ({ name }, field) => name === 'Lot' && field === 'slug',
    }
    const { inspection } = open([{ lots: [lot(1)] }], { permissions })
    const kinds = async (cache: string, id: string) => {
      const { comparison } = await inspection.row({ name: cache, root: null }, id)
      return Object.fromEntries(comparison.fields.map(({ name, source }) => [name, source.kind]))
    }
    expect(await kinds('Lot', '1')).toEqual({ id: 'text', slug: 'text', house: 'masked', name: 'masked' })
    expect(await kinds('Seat', '{"row":"a","place":1}')).toEqual({ row: 'text', place: 'text' })
  })

  it('says that the store does not answer', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { inspection } = open([{ store }])
    store.fail()
    expect(await inspection.row(lots, '1')).toEqual({
      at: isoTime,
      id: '1',
      cache: lots,
      key: expect.any(String),
      epoch: null,
      mayFill: false,
      stored: { isHit: null, error: expect.stringContaining('fails on request') },
      guard: 'unknown',
      holders: [],
      processes: [],
      silent,
      comparison: { outcome: 'failed', exists: null, error: 'StoreError (E_STORE)', fields: [] },
    })
  })

  it('fails with an error that is not of the store', async () => {
    const { inspection, shop } = open()
    jest.spyOn(shop.cache.inspected, 'examine').mockRejectedValue(new TypeError('a defect'))
    await expect(inspection.row(lots, '1')).rejects.toThrow(new TypeError('a defect'))
  })
})

describe('an entry', () => {
  const entry = (inspection: ProcessInspection) => inspection.entry(lots, 'ofHouse', 'north')

  it('is shown with the ids that it names, and the latest writes to its rows', async () => {
    const times = [10, 30, 20].map((minute) => `2026-01-01T00:${minute}:00.000Z`)
    const [first, last, between] = times as [string, string, string]
    const { asked, inspection, shop } = open([{ lots: [lot(1), lot(2)] }], {
      answersTo: ({ about }) =>
        about === 'entry'
          ? [knowledge, knowledge]
          : [
              [
                { id: '1', at: first, by: 'log' },
                { id: '1', at: last, by: 'this process' },
              ],
              [{ id: '1', at: between, by: 'another process' }],
            ],
    })
    expect(await entry(inspection)).toMatchObject({
      ids: null,
      stored: { isHit: false },
      comparison: { outcome: 'notStored' },
    })
    await shop.cache.list('ofHouse', 'north')
    await shop.cache.drain()
    const report = await entry(inspection)
    expect(report).toMatchObject({
      lookup: 'ofHouse',
      lookupKey: 'north',
      ids: ['1', '2'],
      key: expect.stringContaining('ofHouse'),
      stored: { isHit: true },
      processes: [{ process: 'p1' }, { process: 'p2' }],
      comparison: {
        outcome: 'same',
        rows: [
          { id: '1', lastWrite: { at: last, by: 'this process', process: 'p1' } },
          { id: '2', lastWrite: null },
        ],
      },
    })
    expect(report.comparison.rows[0]!.lastWrite).toEqual({ at: last, by: 'this process', process: 'p1' })
    expect(asked.slice(-2)).toEqual([
      { about: 'entry', ...lots, lookup: 'ofHouse', key: 'north' },
      { about: 'writes', ...lots, ids: ['1', '2'] },
    ])
  })

  it('has no ids if it is empty, and nobody is asked for writes', async () => {
    const { asked, inspection, shop } = open()
    await shop.cache.getBy('bySlug', 'lot-9')
    await shop.cache.drain()
    const report = await inspection.entry(lots, 'bySlug', 'lot-9')
    expect(report).toMatchObject({ stored: { isHit: true }, ids: null, comparison: { rows: [] } })
    expect(asked).toEqual([{ about: 'entry', ...lots, lookup: 'bySlug', key: 'lot-9' }])
  })

  it('has none while the store does not answer', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { inspection } = open([{ store }])
    store.fail()
    expect(await entry(inspection)).toMatchObject({
      ids: null,
      stored: { isHit: null },
      comparison: {
        outcome: 'failed',
        error: 'StoreError (E_STORE)',
        storedRows: null,
        sourceRows: null,
        rows: [],
      },
    })
  })
})

describe('a request that cannot be answered', () => {
  it('is one for a cache that does not exist', async () => {
    const { inspection } = open([{}, { name: 'billing', lotsName: 'Item' }])
    const row = (name: string, root: string | null) => inspection.row({ name, root }, '1')
    await expect(row('Bid', null)).rejects.toMatchObject({
      code: 'unknown_cache',
      status: 404,
      message: 'This application has no cache "Bid"; it has Lot, Seat.',
    })
    await expect(row('Lot', 'billing')).rejects.toThrow(
      'This application has no cache "Lot" in the root "billing"; it has Item, Seat.',
    )
    await expect(row('Lot', 'stock')).rejects.toThrow(
      'This application has no cache "Lot" in the root "stock"; it has none.',
    )
  })

  it('is one for an id, a key or a lookup that cannot be', async () => {
    const { inspection } = open()
    await expect(inspection.row(lots, 'one')).rejects.toMatchObject({ code: 'invalid_id', status: 400 })
    await expect(inspection.entry(lots, 'ofTown', 'a')).rejects.toMatchObject({
      code: 'unknown_lookup',
      status: 404,
    })
    await expect(inspection.invalidate(lots, { id: 'one' })).rejects.toMatchObject({ code: 'invalid_id' })
    await expect(inspection.invalidate(lots, { lookup: 'ofTown', key: 'a' })).rejects.toMatchObject({
      code: 'unknown_lookup',
    })
  })
})

describe('an invalidation', () => {
  const stored = async ({ cache }: ReturnType<typeof openShop>) => {
    for (const id of [1, 2]) await cache.get(id)
    await cache.list('ofHouse', 'north')
    await cache.drain()
    return async () => [
      (await cache.explain(1)).stored.isHit,
      (await cache.explain(2)).stored.isHit,
      (await cache.explain('ofHouse', 'north')).stored.isHit,
    ]
  }

  it.each([
    [{ id: '1' }, [false, true, true]],
    [{ lookup: 'ofHouse', key: 'north' }, [true, true, false]],
    [{ all: true }, [false, false, false]],
  ] as const)('of %j ends nothing else', async (target, left) => {
    const { inspection, shop } = open([{ lots: [lot(1), lot(2)] }])
    const hits = await stored(shop)
    expect(await hits()).toEqual([true, true, true])
    expect(await inspection.invalidate(lots, target)).toEqual({
      at: isoTime,
      cache: lots,
      target,
      isPending: false,
    })
    expect(await hits()).toEqual(left)
  })

  it.each([[{ id: '1' }], [{ lookup: 'ofHouse', key: 'north' }], [{ all: true }]] as const)(
    'of %j is pending while the store does not take it',
    async (target) => {
      const store = new FlakyStore(new MemoryStore())
      const { inspection } = open([{ store }])
      store.fail()
      expect(await inspection.invalidate(lots, target)).toMatchObject({ isPending: true })
    },
  )

  it('is refused unless the cache allows it', async () => {
    const permissions: Permissions = {
      ...all,
      actionsOf: ({ name }) => (name === 'Lot' ? ['invalidate'] : ['invalidateAll']),
    }
    const { inspection } = open([{}], { permissions })
    await inspection.invalidate(lots, { id: '1' })
    await expect(inspection.invalidate(lots, { all: true })).rejects.toMatchObject({
      code: 'action_not_allowed',
      status: 403,
      message: 'The option `actions` of the inspector does not allow "invalidateAll" for the cache "Lot".',
    })
    const seats = { name: 'Seat', root: null }
    await inspection.invalidate(seats, { all: true })
    await expect(inspection.invalidate(seats, { id: '{"row":"a","place":1}' })).rejects.toThrow(
      '"invalidate"',
    )
  })

  it('tells an unavailable store from a defect', async () => {
    const store = new FlakyStore(new MemoryStore())
    const { inspection, shop } = open([{ store }])
    const fail = (error: Error) => jest.spyOn(shop.cache, 'invalidateAll').mockRejectedValueOnce(error)
    store.fail()
    const unavailable = await store.ping().catch((error: unknown) => error as Error)
    fail(unavailable as Error)
    await expect(inspection.invalidate(lots, { all: true })).rejects.toMatchObject({
      code: 'store_unavailable',
      status: 503,
    })
    fail(new TypeError('a defect'))
    await expect(inspection.invalidate(lots, { all: true })).rejects.toThrow(new TypeError('a defect'))
  })
})
