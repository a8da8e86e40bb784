import { growthOf } from './fit.ts'

describe('growthOf', () => {
  it('is the exponent of a power law, without an error', () => {
    const growth = growthOf([1, 10, 1_000].map((x) => [x, 7 * x ** 1.5] as const))
    expect(growth.exponent).toBeCloseTo(1.5)
    expect(growth.error).toBeCloseTo(0)
    expect(growth.atEnd).toBeCloseTo(1.5)
  })

  it('is 0 for what does not grow', () => {
    expect(growthOf([1, 2, 3].map((x) => [x, 5] as const)).exponent).toBeCloseTo(0)
  })

  it('tells the end from the whole, where a fixed cost is shared by more and more', () => {
    const growth = growthOf([1, 10, 100, 1_000, 10_000].map((x) => [x, 100 / x + 7] as const))
    expect(growth.exponent).toBeLessThan(-0.2)
    expect(growth.atEnd).toBeGreaterThan(-0.01)
    expect(growth.error).toBeGreaterThan(0.01)
  })

  it('needs three points, all above 0', () => {
    expect(() =>
      growthOf([
        [1, 1],
        [2, 2],
      ]),
    ).toThrow('three points, not 2')
    expect(() =>
      growthOf([
        [0, 1],
        [2, 2],
        [3, 3],
      ]),
    ).toThrow('not (0, 1)')
  })
})
