import { median, quantile, spread } from './statistics.ts'

describe('median', () => {
  it('is the middle value, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it('lies between the two middle values when their number is even', () => {
    expect(median([4, 1, 2, 100])).toBe(3)
  })

  it('refuses to make one up', () => {
    expect(() => median([])).toThrow('no values')
  })
})

describe('spread', () => {
  it('says how far the middle half of the values reaches, as a part of the median', () => {
    expect(spread([80, 90, 100, 110, 120])).toBe(0.1)
  })

  it('does not mind a few wild values', () => {
    expect(spread([90, 95, 100, 105, 9000])).toBeLessThan(0.06)
  })
})

describe('quantile', () => {
  it('is the value below which that part of the values lies, interpolated', () => {
    const values = Array.from({ length: 101 }, (_, value) => value)
    expect(quantile(values, 0.99)).toBe(99)
    expect(quantile([10, 20], 0.75)).toBe(17.5)
  })
})
