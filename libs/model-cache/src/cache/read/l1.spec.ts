import { jest } from '@jest/globals'
import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { hashOf } from '../../protocol/index.js'
import { InvalidationClock } from '../invalidation-clock.js'
import { L1 } from './l1.js'
import { newBatch, newRead } from './read.js'

interface Lot {
  readonly id: string
}

const hotChanges: unknown[][] = []
let evicted = 0
const observer = {
  hotIds: (...change: unknown[]) => void hotChanges.push(change),
  l1Evictions: (count: number) => void (evicted += count),
}

function open({
  ttlMs = 60_000,
  notFoundTtlMs = 60_000,
  maxEntries = 100,
  maxBytes = 1_000_000,
  hotPerSecond = 0,
} = {}) {
  const clock = new InvalidationClock()
  const options = { maxEntries, maxBytes, ttlMs, hotPerSecond: hotPerSecond || undefined }
  const l1 = new L1<Lot>(options, notFoundTtlMs, clock, observer)
  const read = (id: string) => newRead<Lot, string>(id, id, clock.now(), newBatch())
  /** Keeps a row that is read now, or at a time. */
  const keep = (id: string, kept: Lot | null, readAtMs = performance.now(), length = 10) =>
    l1.keep(read(id), readAtMs, kept, length)
  return { clock, keep, l1, read }
}
const row = { id: 'a' }

describe('L1', () => {
  it('has what it keeps: rows, and that rows do not exist', () => {
    const { keep, l1 } = open()
    expect(keep('a', row)).toBe(true)
    expect(keep('b', null)).toBe(true)
    expect(['a', 'b', 'c'].map((id) => l1.get(id))).toEqual([row, null, undefined])
    expect(['a', 'b', 'c'].map((id) => l1.has(id))).toEqual([true, true, false])
  })

  it('has the size of its payloads, and something for each entry', () => {
    const { keep, l1 } = open()
    expect(l1.size).toEqual({ rows: 0, bytes: 0 })
    keep('a', row, undefined, 1_000)
    keep('b', row, undefined, 1_000)
    expect(l1.size.rows).toBe(2)
    expect(l1.size.bytes).toBeGreaterThan(4_000)
    expect(l1.size.bytes).toBeLessThan(8_000)
  })

  it('takes any number of rows for a limit, as long as their bytes have one', () => {
    const { keep, l1 } = open({ maxEntries: Number.MAX_SAFE_INTEGER, maxBytes: 10_000 })
    for (let i = 0; i < 100; i++) keep(`${i}`, row)
    expect(l1.size.rows).toBeGreaterThan(10)
    expect(l1.size.bytes).toBeLessThanOrEqual(10_000)
    expect(open({ maxBytes: 1 }).keep('a', row)).toBe(true)
  })

  it('counts what it drops before its time, and nothing else', () => {
    const { clock, keep, l1, read } = open({ maxEntries: 2 })
    evicted = 0
    for (const id of ['a', 'b', 'c']) keep(id, row)
    expect(evicted).toBe(1)
    keep('c', row)
    l1.forget(['c'])
    l1.keep({ ...read('b'), since: clock.now() - 1 }, performance.now(), row, 10)
    l1.forgetAll('all')
    expect(evicted).toBe(1)
    const bytes = open({ maxBytes: 6_000 })
    for (const id of ['a', 'b', 'c']) bytes.keep(id, row, undefined, 1_000)
    expect(evicted).toBe(2)
  })

  it('replaces no row by one that was read before it', () => {
    const { keep, l1 } = open()
    keep('a', row, 2)
    expect(keep('a', { id: 'a' }, 1)).toBe(false)
    expect(l1.get('a')).toBe(row)
  })

  it('drops a row for a loaded one, unless it was read after the source had answered', () => {
    const { keep, l1 } = open()
    keep('a', row, 3)
    l1.supersede('a', 1, 2)
    expect(l1.get('a')).toBe(row)
    l1.supersede('a', 1, 4)
    expect(l1.get('a')).toBeUndefined()
    expect([keep('a', row, 3), keep('a', row, 5)]).toEqual([false, true])
  })

  it('may keep a loaded row if none was delivered that was read since its request, except of the same call', () => {
    const { keep, l1 } = open()
    const rows = Array.from({ length: 5_000 }, (_, n) => `row ${n}`)
    expect(rows.filter((id) => !l1.supersede(id, 1, 3))).toEqual([])
    keep('a', row, 4)
    expect([l1.supersede('a', 3, 5), l1.supersede('a', 5, 6)]).toEqual([false, true])
    expect(keep('a', row, 6)).toBe(true)
  })

  it('drops a row, and keeps none, if it was invalidated since its request', () => {
    const { clock, keep, l1, read } = open()
    keep('a', row, 1)
    const during = read('a')
    clock.advance('a')
    expect(l1.keep(during, 2, { id: 'a' }, 10)).toBe(false)
    expect(l1.get('a')).toBeUndefined()
    expect(keep('a', row, 3)).toBe(true)
  })

  it('keeps no negative entries without a ttl for them', () => {
    const { keep, l1 } = open({ notFoundTtlMs: 0 })
    keep('a', row, 1)
    expect(keep('a', null, 2)).toBe(false)
    expect(l1.get('a')).toBeUndefined()
    expect(keep('b', row)).toBe(true)
  })

  it.each([
    ['rows', row, { ttlMs: 20, notFoundTtlMs: 60_000 }],
    ['negative entries', null, { ttlMs: 60_000, notFoundTtlMs: 20 }],
    ['negative entries of a longer ttl', null, { ttlMs: 20, notFoundTtlMs: 60_000 }],
  ])('drops %s after their ttl', async (_, kept, ttls) => {
    const { keep, l1 } = open(ttls)
    keep('a', kept)
    await delay(30)
    expect(l1.get('a')).toBeUndefined()
  })

  it.each([
    ['rows', row, { ttlMs: 60_000, notFoundTtlMs: 5 }],
    ['negative entries', null, { ttlMs: 60_000, notFoundTtlMs: 60_000 }],
  ])('has %s until then', async (_, kept, ttls) => {
    const { keep, l1 } = open(ttls)
    keep('a', kept)
    await delay(30)
    expect(l1.get('a')).toBe(kept)
  })

  it.each([
    [0, 54_000],
    [1, 60_000],
  ])('has rows for their ttl, or up to a tenth less (random: %d)', (random, ttl) => {
    const set = jest.spyOn(LRUCache.prototype, 'set')
    jest.spyOn(Math, 'random').mockReturnValue(random)
    try {
      const { keep } = open()
      keep('a', row)
      expect(set.mock.calls.map(([, , options]) => options)).toEqual([expect.objectContaining({ ttl })])
    } finally {
      jest.restoreAllMocks()
    }
  })

  it('knows nothing of reads, as every row is kept', () => {
    expect(open().l1.reads).toBeUndefined()
  })

  it('counts what it replaces and drops, and nothing that it adds', () => {
    const { keep, l1 } = open()
    const steps = [
      () => keep('a', row, 1),
      () => keep('a', { id: 'a' }, 2),
      () => l1.supersede('a', 1, 3),
      () => l1.supersede('a', 1, 4),
      () => keep('a', null),
      () => l1.forgetAll('existence'),
      () => keep('a', row),
      () => l1.forget(['a', 'b']),
      () => keep('a', row),
      () => l1.forgetAll('all'),
    ]
    const changes = steps.map((step) => {
      step()
      return l1.changes
    })
    expect(changes).toEqual([0, 1, 2, 2, 2, 3, 3, 4, 4, 5])
  })

  it('forgets single rows', () => {
    const { keep, l1 } = open()
    for (const id of ['a', 'b', 'c']) keep(id, row)
    l1.forget(['a', 'c'])
    expect(['a', 'b', 'c'].map((id) => l1.has(id))).toEqual([false, true, false])
  })

  it.each([
    ['all', [undefined, undefined]],
    ['existence', [row, undefined]],
  ] as const)('forgets everything, or negative entries alone (%s)', (scope, left) => {
    const { keep, l1 } = open()
    const before = performance.now() - 1
    keep('a', row)
    keep('b', null)
    l1.forgetAll(scope)
    expect(['a', 'b'].map((id) => l1.get(id))).toEqual(left)
    expect([keep('c', row, before), l1.supersede('c', before, performance.now())]).toEqual([false, false])
    expect(keep('c', row)).toBe(true)
  })
})

describe('L1 of hot rows', () => {
  const hotPerSecond = 2
  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000 })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it('keeps a row from its first read on that begins while it is hot', () => {
    const { keep, l1 } = open({ hotPerSecond })
    const early = performance.now()
    jest.advanceTimersByTime(1)
    for (let i = 0; i < hotPerSecond; i++) l1.countMiss('a', hashOf('a'))
    expect(l1.get('a')).toBeUndefined()
    // Its order among those that were delivered before is unknown.
    expect(keep('a', { id: 'a' }, early)).toBe(false)
    expect(keep('a', row)).toBe(true)
    expect(l1.get('a')).toBe(row)
    expect(keep('b', { id: 'b' })).toBe(false)
  })

  it('drops a row as soon as it is not hot any more', () => {
    const { keep, l1 } = open({ hotPerSecond })
    for (let i = 0; i < hotPerSecond; i++) l1.countMiss('a', hashOf('a'))
    keep('a', row)
    expect(l1.has('a')).toBe(true)
    jest.advanceTimersByTime(5_000)
    expect([l1.admits('a'), l1.has('a')]).toEqual([false, false])
  })

  it('keeps a row for as long as it is read, and tells when it became hot and when it was not any more', () => {
    hotChanges.length = 0
    const { keep, l1 } = open({ hotPerSecond })
    for (let i = 0; i < hotPerSecond; i++) l1.countMiss('a', hashOf('a'))
    keep('a', row)
    for (let second = 0; second < 10; second++) {
      for (let i = 0; i < hotPerSecond; i++) expect(l1.get('a')).toBe(row)
      jest.advanceTimersByTime(1_000)
    }
    expect(hotChanges).toEqual([['promoted', 1]])
    jest.advanceTimersByTime(5_000)
    expect(hotChanges).toEqual([
      ['promoted', 1],
      ['demoted', 1],
    ])
  })

  it.each([
    ['as many as it has entries', 100, 100],
    ['1,024', 10_000, 1_024],
  ])('has at most %s that are hot', (_, maxEntries, most) => {
    const { l1 } = open({ hotPerSecond, maxEntries })
    for (let id = 0; id < 2_000; id++)
      for (let read = 0; read < 2 * hotPerSecond; read++) l1.countMiss(`${id}`, hashOf(`${id}`))
    expect(l1.reads!.hottest).toHaveLength(most)
  })
})
