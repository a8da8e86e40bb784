import type { InspectedRoot } from 'model-cache/internal'
import { openShop } from '../../../test/support/inspected-shop.js'
import { cacheReportOf, foreignCaches, processReportOf } from './caches-report.js'
import type { CountsOverTime } from './counts-history.js'
import type { ProcessFacts } from './process-facts.js'

type CacheFacts = ProcessFacts['caches'][number]

const counted = (sinceStart: number, recent?: number): CountsOverTime => ({
  sinceStart: { answered: { store: sinceStart } },
  lastHour: { answered: { store: 10 * sinceStart } },
  last5Minutes: { answered: { store: 100 * sinceStart } },
  recent: recent === undefined ? null : { answered: { store: recent } },
})

const hot = (id: string, readsPerSecond: number) => ({
  readsPerSecond,
  count: 1,
  hottest: [{ id, readsPerSecond, isHeld: true }],
})

const cacheFacts = (change: Partial<CacheFacts> = {}): CacheFacts => ({
  name: 'Lot',
  root: null,
  fingerprint: 'f1',
  fingerprints: ['f1'],
  epoch: '1',
  mayFill: true,
  mayFillInMs: 0,
  pendingInvalidations: 0,
  unproven: null,
  l1: null,
  hot: null,
  isFollowed: null,
  coverage: null,
  figures: counted(1),
  lookups: [],
  ...change,
})

const factsOf = (id: string, sinceStart: number, recent: number, ...caches: CacheFacts[]) =>
  ({
    id,
    host: 'web-1',
    seconds: { sinceStart, lastHour: sinceStart / 2, last5Minutes: sinceStart / 3, recent },
    caches,
    listed: [null, 'billing'].map((root) => ({
      root,
      names: caches.filter((cache) => cache.root === root).map(({ name }) => name),
    })),
  }) as unknown as ProcessFacts

const lots = { name: 'Lot', root: null }
const reportOf = (processes: readonly ProcessFacts[], cache: { name: string; root: string | null } = lots) =>
  cacheReportOf(cache, openShop().caches.get('Lot')!, processes, ['invalidate'])

describe('the report of a process', () => {
  it('has figures in place of counts', () => {
    const lookups = [
      { name: 'ofHouse', hot: null, figures: counted(7, 5) },
      { name: 'bySlug', hot: null, figures: counted(0) },
    ]
    const facts = factsOf(
      'p1',
      60,
      4,
      cacheFacts({ figures: counted(3, 2), lookups }),
      cacheFacts({ name: 'Bid' }),
    )
    const { caches, ...report } = processReportOf(facts)
    expect(report).toEqual({ id: 'p1', host: 'web-1' })
    expect(caches).toMatchObject([
      {
        name: 'Lot',
        figures: { sinceStart: { seconds: 60, reads: 3 }, recent: { seconds: 4, reads: 2 } },
        lookups: [
          { name: 'ofHouse', figures: { sinceStart: { reads: 7 }, recent: { reads: 5 } } },
          { name: 'bySlug', figures: { sinceStart: { reads: 0 }, recent: null } },
        ],
      },
      { name: 'Bid', figures: { sinceStart: { seconds: 60, reads: 1 }, recent: null } },
    ])
  })
})

describe('the report of a cache', () => {
  it('says what it is, where no process answers', () => {
    const nothing = expect.objectContaining({ seconds: 0, reads: 0 })
    const none = { sinceStart: nothing, lastHour: nothing, last5Minutes: nothing, recent: null }
    expect(reportOf([])).toEqual({
      ...lots,
      model: 'Lot',
      idFields: [{ name: 'id', kind: 'number' }],
      options: expect.objectContaining({ ttlMs: 60_000, l1: expect.objectContaining({ ttlMs: 60_000 }) }),
      atRest: null,
      fingerprints: [],
      figures: none,
      hottest: null,
      lookups: [
        {
          name: 'bySlug',
          kind: 'unique',
          keyFields: [{ kind: 'string', name: 'slug' }],
          definition: { through: null, where: null, orderBy: [], limit: null, maxRows: null },
          figures: none,
          hottest: null,
        },
        {
          name: 'ofHouse',
          kind: 'list',
          keyFields: [{ kind: 'string', name: 'house' }],
          definition: { through: null, where: null, orderBy: ['id asc'], limit: null, maxRows: 1_000 },
          figures: none,
          hottest: null,
        },
      ],
      actions: ['invalidate'],
    })
  })

  it('adds what processes have counted, and takes the longest of their times', () => {
    const lookup = (figures: CountsOverTime) => ({ name: 'ofHouse', hot: hot('north', 3), figures })
    const other = { name: 'bySlug', hot: hot('lot-1', 9), figures: counted(1_000, 1_000) }
    const report = reportOf([
      factsOf('p1', 60, 4, cacheFacts({ name: 'Bid', figures: counted(1_000) })),
      factsOf(
        'p2',
        50,
        6,
        cacheFacts({ figures: counted(1, 1), hot: hot('a', 1), lookups: [other, lookup(counted(4, 2))] }),
      ),
      factsOf(
        'p3',
        40,
        5,
        cacheFacts({ figures: counted(2, 1), hot: hot('a', 3), lookups: [lookup(counted(5))] }),
      ),
      factsOf('p4', 30, 9, cacheFacts({ figures: counted(3) })),
      factsOf('p5', 99, 9, cacheFacts({ root: 'billing', figures: counted(1_000, 1_000) })),
    ])
    expect(report.figures).toMatchObject({
      sinceStart: { seconds: 50, reads: 6 },
      lastHour: { seconds: 25, reads: 60 },
      last5Minutes: { seconds: 50 / 3, reads: 600 },
      recent: { seconds: 6, reads: 2 },
    })
    expect(report.hottest).toMatchObject([{ id: 'a', readsPerSecond: 4, processes: 2 }])
    expect(report.lookups).toMatchObject([
      { name: 'bySlug', figures: { sinceStart: { reads: 1_000 } }, hottest: [{ id: 'lot-1', processes: 1 }] },
      {
        name: 'ofHouse',
        figures: { sinceStart: { seconds: 50, reads: 9 }, recent: { seconds: 6, reads: 2 } },
        hottest: [{ id: 'north', readsPerSecond: 6, processes: 2 }],
      },
    ])
  })

  it('is of its own root', () => {
    const processes = [
      factsOf('p1', 60, 4, cacheFacts(), cacheFacts({ root: 'billing', figures: counted(7) })),
    ]
    expect(reportOf(processes, { name: 'Lot', root: 'billing' }).figures.sinceStart.reads).toBe(7)
  })

  it('has the versions of its schema, with the processes that run them', () => {
    const { fingerprints } = reportOf([
      factsOf('p1', 60, 4, cacheFacts({ fingerprint: 'f1', fingerprints: ['f1', 'f2', 'f0'] })),
      factsOf('p2', 60, 4, cacheFacts({ fingerprint: 'f2', fingerprints: ['f2', 'f1'] })),
      factsOf('p3', 60, 4, cacheFacts({ fingerprint: 'f1' })),
    ])
    expect(fingerprints).toEqual([
      { fingerprint: 'f1', processes: ['p1', 'p3'] },
      { fingerprint: 'f2', processes: ['p2'] },
      { fingerprint: 'f0', processes: [] },
    ])
  })
})

describe('foreign caches', () => {
  it('are those of the catalogue of a root that no process has', () => {
    const catalogue = (...caches: object[]) => ({ catalogue: { caches } }) as unknown as InspectedRoot
    const own = catalogue(
      { name: 'Lot', affectedBy: [{ model: 'Lot' }] },
      { name: 'Bid', affectedBy: [{ model: 'Offer' }, { model: 'Lot' }] },
      // Of two versions.
      { name: 'Bid', affectedBy: [{ model: 'Offer' }] },
      { name: 'Computed', affectedBy: [] },
      { name: 'Unknown' },
    )
    const billing = { ...catalogue({ name: 'Lot' }, { name: 'Bid' }), name: 'billing' }
    const processes = [
      factsOf('p1', 60, 4, cacheFacts(), cacheFacts({ name: 'Bid', root: 'billing' })),
      factsOf('p2', 60, 4),
    ]
    expect(foreignCaches([own, billing], processes)).toEqual([
      { root: null, name: 'Bid', model: 'Offer' },
      { root: null, name: 'Computed', model: null },
      { root: null, name: 'Unknown', model: null },
      { root: 'billing', name: 'Lot', model: null },
    ])
  })
})
