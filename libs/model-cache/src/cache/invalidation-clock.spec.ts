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
  it('tells a row that was read before one that has been delivered, or before a restart', () => {
    const order = new DeliveryOrder()
    const orders = [2, 1, 2, 3].map((atMs) => order.advance('a', atMs))
    expect(orders).toEqual(['after', 'before', 'after', 'after'])
    order.restart()
    expect(order.advance('a', 4)).toBe('before')
    expect(order.advance('b', performance.now())).toBe('after')
  })

  it('tells a row whose read had begun before one was read that has been delivered, or before a restart', () => {
    const order = new DeliveryOrder()
    order.advance('a', 2)
    expect([order.advance('a', 3, 1), order.advance('a', 3, 1), order.advance('a', 4, 3)]).toEqual([
      'beside',
      'after',
      'after',
    ])
    order.restart()
    expect(order.advance('a', performance.now(), 5)).toBe('beside')
  })

  it('tells most rows apart', () => {
    const order = new DeliveryOrder()
    order.advance('another', 2)
    expect(ids.filter((id) => order.advance(id, 1) === 'before').length).toBeLessThan(5)
  })
})
