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
  /** A read that is requested now, or at a time. */
  const read = (id: string, requestedAtMs = performance.now()) =>
    newRead<Lot, string>(id, id, clock.now(), { ...newBatch(), requestedAtMs })
  return { clock, l1, read }
}
const row = { id: 'a' }

describe('L1', () => {
  it('has what it keeps: rows, and that rows do not exist', () => {
    const { l1, read } = open()
    expect(l1.keep(read('a'), row, 10)).toBe(true)
    expect(l1.keep(read('b'), null, 10)).toBe(true)
    expect(['a', 'b', 'c'].map((id) => l1.get(id))).toEqual([row, null, undefined])
    expect(['a', 'b', 'c'].map((id) => l1.has(id))).toEqual([true, true, false])
  })

  it('has the size of its payloads, and something for each entry', () => {
    const { l1, read } = open()
    expect(l1.size).toEqual({ rows: 0, bytes: 0 })
    l1.keep(read('a'), row, 1_000)
    l1.keep(read('b'), row, 1_000)
    expect(l1.size.rows).toBe(2)
    expect(l1.size.bytes).toBeGreaterThan(4_000)
    expect(l1.size.bytes).toBeLessThan(8_000)
  })

  it('counts what it drops before its time, and nothing else', () => {
    const { clock, l1, read } = open({ maxEntries: 2 })
    evicted = 0
    for (const id of ['a', 'b', 'c']) l1.keep(read(id), row, 10)
    expect(evicted).toBe(1)
    l1.keep(read('c'), row, 10)
    l1.forget(['c'])
    l1.keep({ ...read('b'), since: clock.now() - 1 }, row, 10)
    l1.forgetAll('all')
    expect(evicted).toBe(1)
    const bytes = open({ maxBytes: 6_000 })
    for (const id of ['a', 'b', 'c']) bytes.l1.keep(bytes.read(id), row, 1_000)
    expect(evicted).toBe(2)
  })

  it('replaces no row by one that was requested before it', () => {
    const { l1, read } = open()
    const [early, late] = [read('a', 1), read('a', 2)]
    l1.keep(late, row, 10)
    expect(l1.keep(early, { id: 'a' }, 10)).toBe(false)
    expect(l1.get('a')).toBe(row)
  })

  it('drops a row that is superseded, unless that one was requested after it', () => {
    const { l1, read } = open()
    const [early, late, last] = [read('a', 1), read('a', 2), read('a', 3)]
    l1.keep(late, row, 10)
    l1.supersede(early)
    expect(l1.get('a')).toBe(row)
    l1.supersede(last)
    expect(l1.get('a')).toBeUndefined()
    expect(l1.keep(late, row, 10)).toBe(false)
  })

  it('drops a row, and keeps none, if it was invalidated since its request', () => {
    const { clock, l1, read } = open()
    l1.keep(read('a', 1), row, 10)
    const during = read('a', 2)
    clock.advance('a')
    expect(l1.keep(during, { id: 'a' }, 10)).toBe(false)
    expect(l1.get('a')).toBeUndefined()
    expect(l1.keep(read('a', 3), row, 10)).toBe(true)
  })

  it('keeps no negative entries without a ttl for them', () => {
    const { l1, read } = open({ notFoundTtlMs: 0 })
    l1.keep(read('a', 1), row, 10)
    expect(l1.keep(read('a', 2), null, 10)).toBe(false)
    expect(l1.get('a')).toBeUndefined()
    expect(l1.keep(read('b'), row, 10)).toBe(true)
  })

  it.each([
    ['rows', row, { ttlMs: 20, notFoundTtlMs: 60_000 }],
    ['negative entries', null, { ttlMs: 60_000, notFoundTtlMs: 20 }],
    ['negative entries of a longer ttl', null, { ttlMs: 20, notFoundTtlMs: 60_000 }],
  ])('drops %s after their ttl', async (_, kept, ttls) => {
    const { l1, read } = open(ttls)
    l1.keep(read('a'), kept, 10)
    await delay(30)
    expect(l1.get('a')).toBeUndefined()
  })

  it.each([
    ['rows', row, { ttlMs: 60_000, notFoundTtlMs: 5 }],
    ['negative entries', null, { ttlMs: 60_000, notFoundTtlMs: 60_000 }],
  ])('has %s until then', async (_, kept, ttls) => {
    const { l1, read } = open(ttls)
    l1.keep(read('a'), kept, 10)
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
      const { l1, read } = open()
      l1.keep(read('a'), row, 10)
      expect(set.mock.calls.map(([, , options]) => options)).toEqual([expect.objectContaining({ ttl })])
    } finally {
      jest.restoreAllMocks()
    }
  })

  it('knows nothing of reads, as every row is kept', () => {
    expect(open().l1.reads).toBeUndefined()
  })

  it('forgets single rows', () => {
    const { l1, read } = open()
    for (const id of ['a', 'b', 'c']) l1.keep(read(id), row, 10)
    l1.forget(['a', 'c'])
    expect(['a', 'b', 'c'].map((id) => l1.has(id))).toEqual([false, true, false])
  })

  it.each([
    ['all', [undefined, undefined]],
    ['existence', [row, undefined]],
  ] as const)('forgets everything, or negative entries alone (%s)', (scope, left) => {
    const { l1, read } = open()
    const before = read('c', performance.now() - 1)
    l1.keep(read('a'), row, 10)
    l1.keep(read('b'), null, 10)
    l1.forgetAll(scope)
    expect(['a', 'b'].map((id) => l1.get(id))).toEqual(left)
    expect(l1.keep(before, row, 10)).toBe(false)
    expect(l1.keep(read('c'), row, 10)).toBe(true)
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

  it('keeps a row from its first read on that is requested while it is hot', () => {
    const { l1, read } = open({ hotPerSecond })
    const early = read('a')
    jest.advanceTimersByTime(1)
    for (let i = 0; i < hotPerSecond; i++) l1.countMiss('a', hashOf('a'))
    expect(l1.get('a')).toBeUndefined()
    // Its order among those that were delivered before is unknown.
    expect(l1.keep(early, { id: 'a' }, 10)).toBe(false)
    expect(l1.keep(read('a'), row, 10)).toBe(true)
    expect(l1.get('a')).toBe(row)
    expect(l1.keep(read('b'), { id: 'b' }, 10)).toBe(false)
  })

  it('drops a row as soon as it is not hot any more', () => {
    const { l1, read } = open({ hotPerSecond })
    for (let i = 0; i < hotPerSecond; i++) l1.countMiss('a', hashOf('a'))
    l1.keep(read('a'), row, 10)
    expect(l1.has('a')).toBe(true)
    jest.advanceTimersByTime(5_000)
    expect([l1.admits('a'), l1.has('a')]).toEqual([false, false])
  })

  it('keeps a row for as long as it is read, and tells when it became hot and when it was not any more', () => {
    hotChanges.length = 0
    const { l1, read } = open({ hotPerSecond })
    for (let i = 0; i < hotPerSecond; i++) l1.countMiss('a', hashOf('a'))
    l1.keep(read('a'), row, 10)
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
