import { InvalidIdError } from 'model-cache'
import type { ClientQueries, InspectedRoot, LocalExplanation, RootCache } from 'model-cache/internal'
import { lot, openShop } from '../../../test/support/inspected-shop.js'
import { maxEntryRows } from './entry-comparison.js'
import { findCache, type Knowledge, LocalAnswers, type RowWrite } from './local-answers.js'
import type { OwnFacts, ProcessFacts } from './process-facts.js'
import type { RecentSamples } from './recent-samples.js'
import type { ChartSample, RecentIdReport } from './report.js'

const facts = { id: 'p1' } as ProcessFacts
const samples: ChartSample[] = []

const answersOf = (...roots: InspectedRoot[]) =>
  new LocalAnswers(roots, { read: async () => facts } as OwnFacts, { samples } as unknown as RecentSamples)

const lots = { name: 'Lot', root: null }
const ageOf = (at: string): number => Date.now() - Date.parse(at)

describe('a process answers', () => {
  it('what it says of itself, and its last minute', async () => {
    const answers = answersOf(openShop().root)
    expect(await answers.answer({ about: 'process' })).toBe(facts)
    expect(await answers.answer({ about: 'history' })).toBe(samples)
  })

  it('what became of the queries of clients, for roots whose clients have reads', async () => {
    const queries: ClientQueries = { composed: [], takesAnyRow: false, models: [] }
    const others = { queries: () => [queries] }
    const ofReplica = { ...queries, takesAnyRow: true }
    const answers = answersOf(
      openShop().root,
      openShop({ root: others }).root,
      openShop({ name: 'billing', root: { queries: () => [queries, ofReplica] } }).root,
    )
    expect(await answers.answer({ about: 'queries' })).toEqual([
      { root: null, queries },
      { root: 'billing', queries },
      { root: 'billing', queries: ofReplica },
    ])
  })

  it('nothing of a cache that it does not have', async () => {
    const answers = answersOf(openShop({ name: 'billing' }).root)
    expect(await answers.answer({ about: 'row', ...lots, id: '1' })).toBeNull()
    expect(await answers.answer({ about: 'row', name: 'Bid', root: 'billing', id: '1' })).toBeNull()
  })

  it('which rows and entries it has read and heard writes of, the newest first', async () => {
    const { cache, root } = openShop({ lots: [lot(1), lot(2)] })
    const recent = async () => {
      const ids = (await answersOf(root).answer({ about: 'recent', ...lots })) as RecentIdReport[]
      return ids.map(({ id, lookup, what }) => ({ lookup, id, what }))
    }
    expect(await recent()).toEqual([])
    await cache.getMany([1, 2])
    await cache.list('ofHouse', 'north')
    await cache.drain()
    await cache.invalidate(1)
    expect(await recent()).toEqual([
      { lookup: null, id: '1', what: 'written' },
      { lookup: 'ofHouse', id: 'north', what: 'missed' },
      { lookup: null, id: '2', what: 'missed' },
    ])
    await cache.getMany(Array.from({ length: 20 }, (_, i) => 100 + i))
    expect((await recent()).filter(({ lookup }) => lookup === null)).toHaveLength(10)
  })

  it('what it knows of a row: that it missed it, holds it, and wrote it', async () => {
    const { cache, root } = openShop({ lots: [lot(1), lot(2)] })
    const answers = answersOf(root)
    const known = async (id: string) => (await answers.answer({ about: 'row', ...lots, id })) as Knowledge
    expect(await known('1')).toEqual({
      l1: { isHeld: false, isTrusted: true },
      isInvalidationPending: false,
      lastMiss: null,
      lastWrite: null,
      lastUnknownWrite: null,
    })
    await cache.get(1)
    await cache.drain()
    await cache.get(1)
    expect(await known('1')).toEqual({
      l1: { isHeld: true, isTrusted: true },
      isInvalidationPending: false,
      lastMiss: { at: expect.any(String), reason: 'not_cached' },
      lastWrite: null,
      lastUnknownWrite: null,
    })
    await cache.invalidate([1, 2])
    const { l1, lastMiss, lastWrite } = await known('1')
    expect(l1).toMatchObject({ isHeld: false })
    expect(lastWrite).toEqual({ at: expect.any(String), by: 'this process', rows: ['1', '2'], rowCount: 2 })
    for (const { at } of [lastMiss!, lastWrite!]) {
      expect(ageOf(at)).toBeGreaterThanOrEqual(-1)
      expect(ageOf(at)).toBeLessThan(120_000)
    }
    await cache.invalidateAll()
    expect(await known('1')).toMatchObject({ lastUnknownWrite: { at: expect.any(String), what: 'all' } })
  })

  it('how long ago events were, by the clock of the process', async () => {
    const explanation: LocalExplanation = {
      l1: undefined,
      isInvalidationPending: true,
      lastMiss: { reason: 'expired', agoMs: 60_000 },
      lastWrite: { agoMs: 60_000, by: 'log', rows: [3n], rowCount: 1 },
      lastUnknownWrite: { agoMs: 60_000, what: 'created' },
    }
    const inspected = { explainLocally: () => explanation, textOf: (rowId: unknown) => `#${rowId}` }
    const caches = new Map([['Lot', { inspected } as unknown as RootCache]])
    const { root } = openShop({ root: { caches: () => caches } })
    const known = (await answersOf(root).answer({ about: 'row', ...lots, id: '1' })) as Knowledge
    expect(known).toMatchObject({
      l1: null,
      isInvalidationPending: true,
      lastMiss: { reason: 'expired' },
      lastWrite: { by: 'log', rows: ['#3'], rowCount: 1 },
      lastUnknownWrite: { what: 'created' },
    })
    for (const event of [known.lastMiss, known.lastWrite, known.lastUnknownWrite]) {
      expect(ageOf(event!.at)).toBeGreaterThanOrEqual(60_000)
      expect(ageOf(event!.at)).toBeLessThan(180_000)
    }
  })

  it('what it knows of the entry of a lookup', async () => {
    const { cache, root } = openShop({ lots: [lot(1)] })
    const entry = { about: 'entry', ...lots, lookup: 'ofHouse', key: 'north' } as const
    const answers = answersOf(root)
    expect(await answers.answer(entry)).toMatchObject({ lastMiss: null, lastWrite: null })
    await cache.list('ofHouse', 'north')
    expect(await answers.answer(entry)).toMatchObject({ lastMiss: { reason: 'not_cached' } })
    await expect(answers.answer({ ...entry, lookup: 'ofTown' })).rejects.toThrow('has no lookup "ofTown"')
  })

  it('the last writes to rows that it remembers, of a hundred at most', async () => {
    const { cache, root } = openShop()
    const answers = answersOf(root)
    const writesTo = async (ids: readonly string[]) =>
      (await answers.answer({ about: 'writes', ...lots, ids })) as RowWrite[]
    await cache.invalidate([1, 3])
    const writes = await writesTo(['3', '2', '1'])
    expect(writes).toEqual(['3', '1'].map((id) => ({ id, at: expect.any(String), by: 'this process' })))
    expect(ageOf(writes[0]!.at)).toBeLessThan(120_000)
    const many = Array.from({ length: maxEntryRows }, () => '2')
    expect(await writesTo([...many, '1'])).toEqual([])
    expect(await writesTo([...many.slice(1), '1'])).toHaveLength(1)
    await expect(writesTo(['one'])).rejects.toThrow(InvalidIdError)
  })
})

describe('findCache', () => {
  it('finds a cache by its root and its name', () => {
    const [own, billing] = [openShop(), openShop({ name: 'billing' })]
    const roots = [own.root, billing.root]
    expect(findCache(roots, lots)?.cache).toBe(own.cache)
    expect(findCache(roots, { name: 'Lot', root: 'billing' })?.cache).toBe(billing.cache)
    expect(findCache(roots, { name: 'Lot', root: 'stock' })).toBeUndefined()
    expect(findCache(roots, { name: 'Bid', root: null })).toBeUndefined()
  })
})
