import { jest } from '@jest/globals'
import { counterIn, histogramIn } from '@model-cache/event-loop/internal'
import { entryIdOf, type FollowerReport, type FollowReports, type QueryCoverage } from 'model-cache/internal'
import { lot, openShop, type ShopOptions } from '../../../test/support/inspected-shop.js'
import type { Events } from './events.js'
import { OwnFacts } from './process-facts.js'
import { factsIn } from './well-formed.js'

const self = { id: 'p1', host: 'web-1', pid: 7 }
const events = {
  blocks: [{ at: '', holder: 'none', ms: 1, stack: [] }],
  storeChanges: [],
} as unknown as Events

const open = (...shops: ShopOptions[]) => {
  const opened = shops.map(openShop)
  const roots = opened.map(({ root }) => root)
  return { facts: new OwnFacts(self, roots, { utilization: 0.5, value: 0.25 }, events, 'staging'), opened }
}

const watch = (report: Partial<FollowerReport> | undefined, isFollowed = false) =>
  ({ report, isFollowed: () => isFollowed }) as unknown as FollowReports

describe('the facts of a process', () => {
  afterEach(() => jest.restoreAllMocks())

  it('are well-formed, and have what it is and what it remembers', async () => {
    jest.spyOn(process, 'uptime').mockReturnValue(60)
    const { facts } = open(
      { root: { warnings: () => ['one'] } },
      { name: 'billing', root: { warnings: () => ['two'] } },
    )
    const own = await facts.read()
    expect(factsIn(JSON.parse(JSON.stringify(own)))).toHaveLength(1)
    expect(own).toMatchObject({
      ...self,
      version: expect.stringMatching(/^\d+\./),
      environment: 'staging',
      seconds: { sinceStart: 60, lastHour: 60, last5Minutes: 60, recent: 0 },
      rssBytes: expect.any(Number),
      eventLoop: { lagMs: null, utilization: 0.5, pressure: 0.25, blocks: events.blocks, shed: {} },
      storeChanges: events.storeChanges,
      follow: [],
      warnings: ['one', 'two'],
    })
    const age = Date.now() - Date.parse(own.startedAt)
    expect(age).toBeGreaterThanOrEqual(60_000)
    expect(age).toBeLessThan(180_000)
  })

  it('have the store of each root, with its servers that are bypassed', async () => {
    const database = () => 'database "shop" (PostgreSQL)'
    const { facts, opened } = open({ root: { database } }, { name: 'billing', root: { mode: 'strict' } })
    opened[0]!.observer.storeChanged('reads', 'down', 'timeout')
    opened[1]!.observer.storeChanged('writes', 'down', 'timeout')
    opened[1]!.observer.storeChanged('writes', 'down', 'timeout')
    expect((await facts.read()).stores).toEqual([
      {
        root: null,
        kind: 'memory',
        namespace: 'mc',
        address: null,
        database: 'database "shop" (PostgreSQL)',
        mode: 'available',
        openCircuits: { reads: 1, writes: 0 },
      },
      {
        root: 'billing',
        kind: 'memory',
        namespace: 'mc',
        address: null,
        database: null,
        mode: 'strict',
        openCircuits: { reads: 0, writes: 2 },
      },
    ])
  })

  it('have the follower of each root that is followed', async () => {
    const report = { state: 'following', lagMs: 5, lagBytes: 6, isStandby: true, standbyLagMs: 7 } as const
    const { facts, opened } = open(
      { root: { follow: watch(undefined) } },
      { name: 'billing', root: { follow: watch(report) } },
      { name: 'stock' },
    )
    const counter = (name: string, ...labelNames: string[]) =>
      counterIn(opened[1]!.registry, { name: `shop_model_cache_follow_${name}`, help: name, labelNames })
    counter('events_total', 'kind', 'root').series('update', 'billing').add(3)
    counter('takeovers_total', 'root').series('billing').add(2)
    expect((await facts.read()).follow).toEqual([
      {
        root: null,
        state: 'nobody',
        lagMs: null,
        lagBytes: null,
        isStandby: false,
        standbyLagMs: null,
        events: {},
        takeovers: 0,
      },
      { root: 'billing', ...report, events: { update: 3 }, takeovers: 2 },
    ])
  })

  it('have the lag of the event loop since the last look, by the metrics of the unnamed root', async () => {
    let nowMs = 0
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const { facts, opened } = open({ name: 'billing' }, {})
    const [billing, own] = opened
    const name = 'shop_event_loop_lag_seconds'
    const lag = histogramIn(own!.registry, [0.01, 0.1], { name, help: 'lag' }).series()
    histogramIn(billing!.registry, [0.01, 0.1], { name, help: 'lag' }).series().observe(0.05, 99)
    counterIn(own!.registry, {
      name: 'shop_event_loop_shed_requests_total',
      help: 'shed',
      labelNames: ['handler'],
    })
      .series('Lots.all')
      .add(4)
    lag.observe(0.005, 1_000)
    expect((await facts.read()).eventLoop).toMatchObject({ lagMs: null, shed: { 'Lots.all': 4 } })
    lag.observe(0.05, 2)
    nowMs += 2_000
    expect((await facts.read()).eventLoop.lagMs).toEqual({
      p50: expect.closeTo(55, 6),
      p99: expect.closeTo(99.1, 6),
    })
    nowMs += 2_000
    const { eventLoop, seconds } = await facts.read()
    expect([eventLoop.lagMs, seconds.recent]).toEqual([null, 4])
  })

  it('have the blocks of the event loop by holder, the longest total first', async () => {
    const { facts, opened } = open({})
    const blocks = histogramIn(opened[0]!.registry, [0.1, 1], {
      name: 'shop_event_loop_block_seconds',
      help: 'blocks',
      labelNames: ['holder'],
    })
    blocks.series('Lots.all').observe(0.25, 2)
    blocks.series('Lots.report').observe(4)
    blocks.series('Lots.one')
    const totals = [
      { holder: 'Lots.report', blocks: 1, ms: 4_000 },
      { holder: 'Lots.all', blocks: 2, ms: 500 },
    ]
    const { eventLoop } = await facts.read()
    expect(eventLoop.blockTotals).toEqual({ lastHour: totals, last5Minutes: totals })
  })

  it('have the caches of each root, with their counts', async () => {
    const coverage: QueryCoverage = { mode: 'answer', canAnswer: true, missing: [] }
    const { facts, opened } = open(
      { lots: [lot(1)] },
      { name: 'billing', root: { follow: watch(undefined, true) } },
    )
    const [own, billing] = opened
    const lots = own!.caches.get('Lot')!
    own!.caches.set('Lot', { ...lots, coverage: () => coverage })
    await own!.cache.get(1)
    await own!.cache.list('ofHouse', 'north')
    await own!.cache.drain()
    billing!.observer.forModel('Lot').reads('l1', 'hit', 5)
    const { caches } = await facts.read()
    expect(caches.map(({ name, root }) => [name, root])).toEqual([
      ['Lot', null],
      ['Seat', null],
      ['Lot', 'billing'],
      ['Seat', 'billing'],
    ])
    const { fingerprint } = await own!.cache.explain(1)
    const loaded = expect.objectContaining({ answered: expect.objectContaining({ source: 1 }) })
    expect(caches[0]).toEqual({
      name: 'Lot',
      root: null,
      fingerprint,
      fingerprints: [fingerprint],
      epoch: expect.any(String),
      mayFill: true,
      mayFillInMs: 0,
      pendingInvalidations: 0,
      unproven: null,
      l1: { rows: expect.any(Number), bytes: expect.any(Number), isTrusted: true },
      hot: null,
      isFollowed: null,
      coverage,
      figures: { sinceStart: loaded, lastHour: loaded, last5Minutes: loaded, recent: null },
      lookups: [
        {
          name: 'bySlug',
          hot: null,
          figures: {
            sinceStart: expect.anything(),
            lastHour: expect.anything(),
            last5Minutes: expect.anything(),
            recent: null,
          },
        },
        {
          name: 'ofHouse',
          hot: null,
          figures: { sinceStart: loaded, lastHour: loaded, last5Minutes: loaded, recent: null },
        },
      ],
    })
    expect(caches[1]).toMatchObject({ l1: null, coverage: null, lookups: [] })
    expect(caches[2]).toMatchObject({ isFollowed: true, figures: { sinceStart: { answered: { l1: 5 } } } })
  })

  it('have what is hot, of rows and of lookups', async () => {
    const { facts, opened } = open({})
    const { inspected } = opened[0]!.caches.get('Lot')!
    const { lookup } = inspected.keyOf('ofHouse', 'north')
    const reads = (id: unknown) => ({ perSecond: 2, hottest: [{ id, perSecond: 1 }] }) as never
    jest.spyOn(inspected.l1!, 'reads', 'get').mockReturnValue(reads(7))
    jest.spyOn(lookup.l1!, 'reads', 'get').mockReturnValue(reads(entryIdOf('ofHouse', 'north')))
    const hot = (id: string) => ({
      readsPerSecond: 2,
      count: 1,
      hottest: [{ id, readsPerSecond: 1, isHeld: false }],
    })
    const [lots] = (await facts.read()).caches
    expect(lots).toMatchObject({ hot: hot('7'), lookups: [{ hot: null }, { hot: hot('north') }] })
  })
})
