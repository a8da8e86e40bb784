import { jest } from '@jest/globals'
import { type } from 'arktype'
import { eventually, turns } from '../../../../test/support/eventually.js'
import { manualClock } from '../../../../test/support/manual-clock.js'
import { defineModelCache } from '../cache/policy/definition.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { MemoryStore } from '../protocol/index.js'
import { createLoadSource } from '../source/load-source.js'
import { FlakyStore } from '../testing/flaky-store.js'
import { createTestCache } from '../testing/test-cache.js'
import { warmCountsOf } from './warm-counts.js'
import { Warmer } from './warmer.js'

interface Lot {
  id: number
}
const definition = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'number' }),
  id: 'id',
  ttl: '10m',
})

const processes: { readonly cache: ReadThroughCache<Lot, number>; readonly store: FlakyStore }[] = []

/** A process with a cache of the lots 1 to 9. */
function openProcess({ perSecond = 1_000 } = {}) {
  const store = new FlakyStore(new MemoryStore())
  const loads: (readonly number[])[] = []
  const ending = new AbortController()
  const opened = {
    store,
    loads,
    ending,
    /** Called by each load. */
    onLoad: async (): Promise<void> => {},
    observed: [] as (readonly [cache: string, result: string, count: number])[],
    onObserved: (): void => {},
  }
  const source = createLoadSource<Lot, number>(async (_, ids) => {
    loads.push(ids)
    await opened.onLoad()
    return ids.filter((id) => id < 10).map((id) => ({ id }))
  }, undefined)
  const { cache } = createTestCache(definition, [], { store, source })
  const warmer = new Warmer({
    caches: () => new Map([['Lot', cache as never]]),
    perSecond,
    observe: (...result) => {
      opened.observed.push(result)
      opened.onObserved()
    },
    signal: ending.signal,
  })
  processes.push({ cache, store })
  return Object.assign(opened, { cache, warmer })
}

const hints = (...ids: readonly (number | string)[]) => ids.map((id) => ({ cache: 'Lot', id: `${id}` }))

afterEach(async () => {
  jest.restoreAllMocks()
  for (const { cache, store } of processes.splice(0)) {
    store.recover()
    await cache.close()
  }
})

it('loads the rows that are not stored, each once, and counts what became of them', async () => {
  const { cache, loads, observed, warmer } = openProcess()
  await cache.get(1)
  await cache.drain()
  loads.length = 0
  const replayed = await warmer.replay([
    ...hints(1, 2, 3, 3, 77, 'x'),
    { cache: 'Bid', id: '1' },
    { cache: 'Bid', id: '1' },
  ])
  expect(replayed).toEqual(warmCountsOf({ stored: 2, present: 1, not_found: 1, skipped: 2 }))
  expect(loads).toEqual([[2, 3, 77]])
  expect(observed).toEqual([
    ['Lot', 'stored', 2],
    ['Lot', 'present', 1],
    ['Lot', 'not_found', 1],
    ['Lot', 'skipped', 1],
  ])
})

it('loads nothing that is stored, also if the database has no such row', async () => {
  const { loads, observed, warmer } = openProcess()
  await warmer.replay(hints(1, 77))
  observed.length = 0
  expect(await warmer.replay(hints(1, 77))).toEqual(warmCountsOf({ present: 2 }))
  expect(loads).toEqual([[1, 77]])
  expect(observed).toEqual([['Lot', 'present', 2]])
})

it('counts rows that the database does not return', async () => {
  const opened = openProcess()
  opened.onLoad = () => Promise.reject(new Error('the database is down'))
  expect(await opened.warmer.replay(hints(1, 'x'))).toEqual(warmCountsOf({ failed: 1, skipped: 1 }))
})

it('loads no more rows at a time than in a second', async () => {
  const clock = manualClock()
  const opened = openProcess({ perSecond: 2 })
  opened.onObserved = () => clock.pass(1_000)
  expect(await opened.warmer.replay(hints(1, 2, 3, 4, 5))).toEqual(warmCountsOf({ stored: 5 }))
  expect(opened.loads).toEqual([[1, 2], [3, 4], [5]])
})

it('replays one batch after another', async () => {
  const opened = openProcess()
  const gate = Promise.withResolvers<void>()
  opened.onLoad = () => gate.promise
  const replaying = Promise.all([opened.warmer.replay(hints(1)), opened.warmer.replay(hints(2))])
  await eventually(() => opened.loads.length === 1)
  await turns()
  expect(opened.loads).toEqual([[1]])
  gate.resolve()
  expect(await replaying).toEqual([warmCountsOf({ stored: 1 }), warmCountsOf({ stored: 1 })])
  expect(opened.loads).toEqual([[1], [2]])
})

describe('while rows may not be stored', () => {
  it('waits for a minute, and refuses the ids then', async () => {
    const clock = manualClock()
    const { cache, loads, store, warmer } = openProcess()
    store.fail()
    const { status } = cache.inspected
    let asked = 0
    jest.spyOn(cache.inspected, 'status').mockImplementation(() => {
      asked++
      clock.pass(30_000)
      return status.call(cache.inspected)
    })
    expect(await warmer.replay(hints(1, 'x'))).toEqual(warmCountsOf({ refused: 1, skipped: 1 }))
    expect([asked, loads]).toEqual([2, []])
  })

  it('does not wait for ids that are none', async () => {
    const { cache, store, warmer } = openProcess()
    store.fail()
    const status = jest.spyOn(cache.inspected, 'status')
    expect(await warmer.replay(hints('x', 'y'))).toEqual(warmCountsOf({ skipped: 2 }))
    expect(status).not.toHaveBeenCalled()
  })

  it.each([
    ['this process may store none', { mayFill: false }],
    ['no stored row counts', { epoch: null }],
  ])('goes on when they may: first %s', async (_, problem) => {
    const { cache, loads, warmer } = openProcess()
    const status = await cache.inspected.status()
    const asked = jest.spyOn(cache.inspected, 'status').mockResolvedValueOnce({ ...status, ...problem })
    expect(await warmer.replay(hints(1))).toEqual(warmCountsOf({ stored: 1 }))
    expect(asked).toHaveBeenCalledTimes(2)
    expect(loads).toEqual([[1]])
  })

  it('ends with the process, and leaves no timer behind', async () => {
    const { cache, ending, store, warmer } = openProcess()
    store.fail()
    const status = jest.spyOn(cache.inspected, 'status')
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const replaying = warmer.replay(hints(1))
    await eventually(() => status.mock.calls.length > 0)
    await eventually(() => timers() > before)
    const during = timers()
    ending.abort()
    expect(await replaying).toBeUndefined()
    await turns()
    // Those of other specs may have ended as well.
    expect(timers()).toBeLessThan(during)
  })
})

it('loads nothing while the store does not answer', async () => {
  const { cache, loads, store, warmer } = openProcess()
  const { status } = cache.inspected
  jest.spyOn(cache.inspected, 'status').mockImplementation(async () => {
    const answer = await status.call(cache.inspected)
    store.fail('getMany')
    return answer
  })
  expect(await warmer.replay(hints(1, 2, 'x'))).toEqual(warmCountsOf({ failed: 2, skipped: 1 }))
  expect(loads).toEqual([])
})

it('ends with the process, whatever the database does', async () => {
  const opened = openProcess()
  const gate = Promise.withResolvers<void>()
  opened.onLoad = () => gate.promise
  const replaying = opened.warmer.replay(hints(1))
  await eventually(() => opened.loads.length === 1)
  opened.ending.abort()
  expect(await replaying).toBeUndefined()
  gate.resolve()
})

it('loads nothing once the process ends', async () => {
  const { ending, loads, warmer } = openProcess()
  ending.abort()
  expect(await warmer.replay(hints(1))).toBeUndefined()
  await turns()
  expect(loads).toEqual([])
})
