import { type } from 'arktype'
import { observing } from '../../../../../test/support/observing.js'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'

interface Seat {
  row: number
  place: string
  at: Date
}
const definition = (rows: 'copies' | 'shared', l1?: { ttl: '1m' }) =>
  defineModelCache<Seat>()({
    model: 'Seat',
    schema: type({ row: 'number', place: 'string', at: 'Date' }),
    id: ['row', 'place'],
    ttl: '10m',
    rows,
    ...(l1 && { l1 }),
  })
const seat = (row: number): Seat => ({ row, place: 'a', at: new Date(row) })
const idOf = (row: number) => ({ row, place: 'a' })

/** Counts what happens in ticks. */
function recorder() {
  const events: unknown[] = []
  const observer = observing({
    reads: (layer, outcome, count) => layer !== 'store' && events.push(`${layer} ${outcome} ${count}`),
    batchKeys: (keys) => events.push(`keys ${keys}`),
    readSeconds: (_, ids, outcome) => events.push(`tick ${outcome} ${ids}`),
  })
  return { events, observer }
}

describe('callers of one row', () => {
  it.each(['copies', 'shared'] as const)('all get it, however many there are (%s)', async (rows) => {
    const { events, observer } = recorder()
    const { cache, loads } = createTestCache(definition(rows), [seat(1), seat(2)], { observer })
    const asked = Array.from({ length: 50 }, (_, i) => cache.get(idOf(i % 3)))
    const given = await Promise.all(asked)
    given.forEach((row, i) => expect(row).toEqual(i % 3 === 0 ? null : seat(i % 3)))
    const distinct = new Set(given.filter((row) => row !== null))
    expect(distinct.size).toBe(rows === 'copies' ? 33 : 2)
    expect(loads).toHaveLength(1)
    await cache.drain()
    expect(events).toEqual([
      'keys 3',
      'tick coalesced 47',
      'source not_found 1',
      'source hit 2',
      'tick miss 3',
    ])
  })

  it.each(['copies', 'shared'] as const)('all get the error of its load (%s)', async (rows) => {
    const { events, observer } = recorder()
    const source = { load: () => Promise.reject(new Error('no database')), mayBlameOneId: () => false }
    const { cache } = createTestCache(definition(rows), [], { source, observer })
    const asked = [...Array.from({ length: 40 }, () => cache.get(idOf(1))), cache.getMany([idOf(1), idOf(2)])]
    const outcomes = await Promise.allSettled<unknown>(asked)
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'no database' } })
    }
    await cache.drain()
    expect(events).toEqual(['keys 2', 'tick coalesced 40', 'source error 2', 'tick miss 2'])
  })

  it('are counted as one tick for each turn', async () => {
    const { events, observer } = recorder()
    const { cache } = createTestCache(definition('copies'), [seat(1)], { observer })
    for (const _ of ['source', 'store']) {
      await Promise.all([cache.get(idOf(1)), cache.getMany([idOf(1), idOf(1)])])
      await cache.drain()
    }
    const tick = ['keys 1', 'tick coalesced 2']
    expect(events).toEqual([...tick, 'source hit 1', 'tick miss 1', ...tick, 'tick hit 1'])
  })

  it('get copies of their own from L1', async () => {
    const { events, observer } = recorder()
    const { cache } = createTestCache(definition('copies', { ttl: '1m' }), [seat(1)], { observer })
    await cache.get(idOf(1))
    await cache.drain()
    const given = await cache.getMany([idOf(1), idOf(1), idOf(2)])
    expect(given).toEqual([seat(1), seat(1), null])
    expect(given[0]!.at).not.toBe(given[1]!.at)
    await cache.drain()
    expect(events.slice(-6)).toEqual([
      'keys 2',
      'tick coalesced 1',
      'l1 hit 1',
      'l1 miss 1',
      'source not_found 1',
      'tick miss 2',
    ])
    expect(events.slice(0, -6)).toEqual(['keys 1', 'l1 miss 1', 'source hit 1', 'tick miss 1'])
  })

  it('have their reads drained', async () => {
    const { cache, loads } = createTestCache(definition('copies'), [seat(1)])
    const reading = cache.get(idOf(1))
    await cache.drain()
    expect(loads).toHaveLength(1)
    expect(await reading).toEqual(seat(1))
  })
})
