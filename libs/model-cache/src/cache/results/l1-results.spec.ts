import { InvalidationClock, type ResultTime } from '../invalidation-clock.js'
import { L1Results } from './l1-results.js'
import type { StoredResult } from './stored-result.js'

const minute = { fingerprint: 'f', ttlMs: 60_000 }
const result = (value: unknown): StoredResult => ({ digest: 'd', value, text: 'stored' })

function open({ maxBytes = 1e6, maxEntries = 10 } = {}) {
  let evicted = 0
  const l1 = new L1Results(
    { maxBytes, maxEntries, ttlMs: 0, hotPerSecond: undefined },
    { hotIds: () => {}, l1Evictions: (count) => void (evicted += count) },
  )
  const clock = new InvalidationClock()
  const time = {
    now: () => clock.now(),
    isCurrent: () => true,
    isHeld: (id: string, since: number) => clock.isCurrent(id, since),
  } as ResultTime
  const request = (rowId: string) => ({ rowId, since: clock.now() })
  return { l1, clock, time, request, evicted: () => evicted }
}

describe('results in memory', () => {
  it('are given until what they were read from has been written', () => {
    const { clock, l1, request, time } = open()
    const results = l1.of(time, minute)
    expect(results.get('a')).toBeUndefined()
    expect(results.admits('a')).toBe(true)
    expect(results.keep(request('a'), performance.now(), result(1), 10)).toBe(true)
    results.keep(request('b'), performance.now(), result(2), 10)
    // What is stored of a result is not kept beside it.
    expect(results.get('a')).toEqual({ digest: 'd', value: 1, text: undefined })
    clock.advance('a')
    expect([results.get('a'), results.get('b')?.value]).toEqual([undefined, 2])
    clock.advanceAll()
    expect(results.get('b')).toBeUndefined()
  })

  it('are not kept if that was written since the request, nor if a later one was delivered', () => {
    const { clock, l1, request, time } = open()
    const results = l1.of(time, minute)
    results.keep(request('a'), 1, result(1), 10)
    const before = request('a')
    clock.advance('a')
    expect([results.keep(before, 2, result(1), 10), results.get('a')]).toEqual([false, undefined])
    expect([3, 5, 4].map((at) => results.keep(request('a'), at, result(at), 10))).toEqual([true, true, false])
    expect(results.get('a')?.value).toBe(5)
    results.supersede('a', 4, 4)
    expect(results.get('a')?.value).toBe(5)
    results.supersede('a', 6, 6)
    expect(results.get('a')).toBeUndefined()
    expect(results.keep(request('a'), 7, null, 10)).toBe(false)
  })

  it('are of queries with the same options and models, and live as long as these say', async () => {
    const { l1, request, time } = open()
    l1.of(time, minute).keep(request('a'), performance.now(), result(1), 10)
    const brief = l1.of(time, { fingerprint: 'g', ttlMs: 1 })
    expect(brief.get('a')).toBeUndefined()
    brief.keep(request('a'), performance.now(), result(2), 10)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([brief.get('a'), l1.of(time, minute).get('a')?.value]).toEqual([undefined, 1])
  })

  it.each([
    ['many', { maxEntries: 2 }],
    ['large', { maxBytes: 2_000 }],
  ])('make room for others if they are too %s', (_, limits) => {
    const { evicted, l1, request, time } = open(limits)
    const results = l1.of(time, minute)
    for (const id of ['a', 'b', 'c']) results.keep(request(id), performance.now(), result(id), 200)
    expect([evicted(), results.get('a'), results.get('c')?.value]).toEqual([1, undefined, 'c'])
  })
})
