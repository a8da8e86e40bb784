import { jest } from '@jest/globals'
import { type } from 'arktype'
import { turns } from '../../../../../test/support/eventually.js'
import { recordedEvents } from '../../../../../test/support/recorded-events.js'
import type { CreateModelCacheOptions } from '../../create-model-cache.js'
import { createTestCache } from '../../testing/test-cache.js'
import { type CacheOptions, defineModelCache } from '../policy/definition.js'

interface Lot {
  id: number
  owner: string
  place: number
}
const lot = (id: number, fields: Partial<Lot> = {}): Lot => ({ id, owner: 'ada', place: id, ...fields })

function open(
  rows: Lot[],
  options: Partial<CacheOptions> = {},
  overrides: Partial<CreateModelCacheOptions<Lot, number>> = {},
) {
  const definition = defineModelCache<Lot>()({
    model: 'Lot',
    schema: type({ id: 'number', owner: 'string', place: 'number' }),
    id: 'id',
    ttl: '10m',
    lists: { ofOwner: { by: 'owner', maxRows: 2 } },
    ...options,
  })
  const events = recordedEvents()
  const created = createTestCache(definition, rows, { observer: events.observer, ...overrides })
  const { cache } = created
  const list = (): Promise<Lot[]> => cache.list('ofOwner', 'ada')
  const fill = async (): Promise<void> => {
    await list()
    await cache.drain()
  }
  return { ...created, events, fill, list }
}

it('stores no list that is too long, and counts it', async () => {
  const { events, fill, finds } = open([lot(1), lot(2), lot(3)])
  await fill()
  expect(events.of('fills', 'ofOwner')).toEqual([['too_long', 1]])
  await fill()
  expect(finds).toHaveLength(2)
})

it('bounds what empty lists take in the store, not what others do', async () => {
  const rows: Lot[] = []
  const { events, fill, finds } = open(rows, {}, { maxNotFoundBytes: 0 })
  for (const _ of ['the list is not stored', 'nor is it later']) await fill()
  expect(finds).toHaveLength(2)
  expect(events.of('fills', 'ofOwner')).toEqual([
    ['too_many', 1],
    ['too_many', 1],
  ])
  rows.push(lot(1))
  for (const _ of ['the list is stored', 'and read from the store']) await fill()
  expect(finds).toHaveLength(3)
})

it.each(['at', ['owner', 'at']].flatMap((id) => [1, NaN].map((ms) => [id, ms] as const)))(
  'keeps the ids of a list in memory when a caller changes its row: %j, %d',
  async (id, ms) => {
    const slots = () => [0, 1].map((at) => ({ at: new Date(at), owner: 'ada' }))
    const definition = defineModelCache<{ at: Date; owner: string }>()({
      model: 'Slot',
      schema: type({ at: 'Date', owner: 'string' }),
      id: id as never,
      ttl: '10m',
      l1: { ttl: '1m' },
      lists: { ofOwner: { by: 'owner', orderBy: { at: 'asc' } } },
    })
    const { cache } = createTestCache(definition, slots())
    const [first] = await cache.list('ofOwner', 'ada')
    first!.at.setTime(ms)
    await cache.drain()
    expect(await cache.list('ofOwner', 'ada')).toEqual(slots())
  },
)

it('lists rows whose id has several fields', async () => {
  interface Place {
    hall: string
    place: number
    owner: string
  }
  const definition = defineModelCache<Place>()({
    model: 'Place',
    schema: type({ hall: 'string', place: 'number', owner: 'string' }),
    id: ['hall', 'place'],
    ttl: '10m',
    lists: { ofOwner: { by: 'owner' } },
  })
  const rows = [1, 2].map((place) => ({ hall: 'a', place, owner: 'ada' }))
  const { cache, finds, loads } = createTestCache(definition, rows)
  for (const _ of ['source', 'store']) {
    expect(await cache.list('ofOwner', 'ada')).toEqual(rows)
    await cache.drain()
  }
  expect([finds.length, loads]).toEqual([1, []])
  const { stored } = await cache.inspected.keyOf('ofOwner', 'ada').lookup.examine('ada')
  expect(stored).toMatchObject({ row: { ids: rows.map(({ hall, place }) => ({ hall, place })) } })
})

describe('the audit of a list', () => {
  beforeEach(() => {
    // Reads go on by themselves; only the timers of audits are the test's.
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  const fenceMs = 1_000

  /** Lists that a read has found in the store, and whose audits wait. */
  async function openStored(rows: Lot[]) {
    const opened = open(rows, {}, { audit: { rate: 1 }, consistency: { fenceMs } })
    const { cache, events, fill, list, loads } = opened
    await fill()
    await list()
    await cache.drain()
    const audits = async (): Promise<readonly (readonly unknown[])[]> => {
      await jest.advanceTimersByTimeAsync(3 * fenceMs)
      await turns()
      return events.of('audits', 'ofOwner')
    }
    loads.length = 0
    return { ...opened, audits }
  }

  it('is the same as that of the source', async () => {
    const { audits } = await openStored([lot(1)])
    expect(await audits()).toEqual([['fresh']])
  })

  it.each([
    ['left it', lot(2, { owner: 'bob' })],
    ['was deleted', undefined],
  ])('says nothing if reads refuse it, as one of its rows %s', async (_, changed) => {
    const { audits, rows } = await openStored([lot(1), lot(2)])
    rows.splice(1, 1, ...(changed ? [changed] : []))
    expect(await audits()).toEqual([['changed']])
  })

  it.each([[[lot(1)]], [[]]])('is stale if it lacks a row: %j', async (stored) => {
    const { audits, loads, rows } = await openStored([...stored])
    rows.push(lot(3))
    expect(await audits()).toEqual([['stale']])
    expect(loads.every((ids) => ids.length > 0)).toBe(true)
  })

  it('is given up when the cache ends', async () => {
    const { audits, cache } = await openStored([lot(1)])
    await cache.close()
    expect(await audits()).toEqual([])
  })
})
