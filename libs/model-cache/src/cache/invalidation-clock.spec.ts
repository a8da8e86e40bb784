import { DeliveryOrder, InvalidationClock } from './invalidation-clock.js'

const ids = Array.from({ length: 50 }, (_, i) => `lot ${i}`)

describe('the invalidation clock', () => {
  it('knows which rows have been invalidated since a time', () => {
    const clock = new InvalidationClock()
    const before = clock.now()
    clock.advance('a')
    const between = clock.now()
    clock.advance('b')
    expect([before, between, clock.now()].map((since) => clock.isCurrent('a', since))).toEqual([
      false,
      true,
      true,
    ])
    expect([before, between, clock.now()].map((since) => clock.isCurrent('b', since))).toEqual([
      false,
      false,
      true,
    ])
    expect(clock.isCurrent('c', before)).toBe(true)
  })

  it('has no row current that was read before all were invalidated', () => {
    const clock = new InvalidationClock()
    const before = clock.now()
    clock.advanceAll()
    const after = clock.now()
    clock.advance('a')
    expect(clock.isCurrent('b', before)).toBe(false)
    expect(clock.isCurrent('b', after)).toBe(true)
  })

  it('tells most rows apart', () => {
    const clock = new InvalidationClock()
    const since = clock.now()
    clock.advance('another')
    expect(ids.filter((id) => !clock.isCurrent(id, since)).length).toBeLessThan(5)
  })
})

describe('the order of deliveries', () => {
  it('refuses a row that was requested before one that has been delivered, and before a restart', () => {
    const order = new DeliveryOrder()
    expect([2, 1, 2, 3].map((atMs) => order.advance('a', atMs))).toEqual([true, false, true, true])
    order.restart()
    expect(order.advance('a', 4)).toBe(false)
    expect(order.advance('b', performance.now())).toBe(true)
  })

  it('tells most rows apart', () => {
    const order = new DeliveryOrder()
    order.advance('another', 2)
    expect(ids.filter((id) => !order.advance(id, 1)).length).toBeLessThan(5)
  })
})
