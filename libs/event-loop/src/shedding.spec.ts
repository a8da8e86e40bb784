import { Shedding } from './shedding.js'

describe('shedding', () => {
  it('refuses nothing below its threshold, a rising share above it, and never everything', () => {
    const shedding = new Shedding()
    expect([0, 0.3, 0.5].map((pressure) => shedding.shareAt(pressure))).toEqual([0, 0, 0])
    const rising = [0.51, 0.6, 0.8, 1].map((pressure) => shedding.shareAt(pressure))
    expect(rising).toEqual(rising.toSorted((a, b) => a - b))
    expect(rising[0]).toBeLessThan(0.05)
    expect(rising[3]).toBe(0.9)
    expect(shedding.retryAfterSeconds).toBe(1)
  })

  it('uses the thresholds of the application', () => {
    const shedding = new Shedding({ from: 0, to: 0.5, atMost: 1, retryAfterSeconds: 5 })
    expect([0, 0.25, 0.5, 1].map((pressure) => shedding.shareAt(pressure))).toEqual([0, 0.5, 1, 1])
    expect(shedding.retryAfterSeconds).toBe(5)
  })

  it('is over at half of its threshold', () => {
    const shedding = new Shedding({ from: 0.5 })
    expect([0, 0.25, 0.26, 0.5, 1].map((pressure) => shedding.isOverAt(pressure))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  it.each([
    [{ from: -0.1 }, 'option "shedding.from" is -0.1;'],
    [{ to: 1.1 }, 'option "shedding.to" is 1.1;'],
    [{ atMost: 1.1 }, 'option "shedding.atMost" is 1.1;'],
    [{ retryAfterSeconds: 0 }, 'option "shedding.retryAfterSeconds" is 0;'],
    [{ retryAfterSeconds: -1 }, 'option "shedding.retryAfterSeconds" is -1;'],
    [{ from: 1 }, 'option "shedding.from" is 1; expected a pressure, from 0 to less than 1'],
    [{ from: 0.5, to: 0.5 }, 'option "shedding.to" is 0.5; expected a pressure above `from`, 1 at most'],
    [{ atMost: 0 }, 'option "shedding.atMost" is 0; expected a share, above 0 and up to 1'],
    [
      { retryAfterSeconds: 0.5 },
      'option "shedding.retryAfterSeconds" is 0.5; expected a whole number of seconds, 1 or more',
    ],
  ])('refuses %j', (options, message) => {
    expect(() => new Shedding(options)).toThrow(message)
  })
})
