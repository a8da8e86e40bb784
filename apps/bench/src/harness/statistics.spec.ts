import { growthOf, median, quantile, slopeOf, spread } from './statistics.ts'

describe('median and quantile', () => {
  it('are values of the sorted list, interpolated', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 2, 100])).toBe(3)
    expect(
      quantile(
        Array.from({ length: 101 }, (_, value) => value),
        0.99,
      ),
    ).toBe(99)
    expect(quantile([10, 20], 0.75)).toBe(17.5)
  })

  it('need values', () => expect(() => median([])).toThrow('no values'))
})

it('spread is half the distance between the quartiles as a part of the median', () => {
  expect(spread([80, 90, 100, 110, 120])).toBe(0.1)
  expect(spread([90, 95, 100, 105, 9000])).toBeLessThan(0.06)
})

describe('slopeOf', () => {
  it('returns the line with the least squares, and its error', () => {
    const exact = slopeOf([1, 3, 9].map((y, i) => [[0, 1, 4][i]!, y] as const))
    expect(exact.perUnit).toBeCloseTo(2)
    expect(exact.error).toBeCloseTo(0)
    // Of y = 1, 3, 2, 4 over x = 0 … 3: slope 0.8, squares of the residuals 1.8 in sum, squares of x 5.
    const rough = slopeOf([1, 3, 2, 4].map((y, x) => [x, y] as const))
    expect(rough.perUnit).toBeCloseTo(0.8)
    expect(rough.error).toBeCloseTo(Math.sqrt(1.8 / 2 / 5))
  })

  it('needs three points', () => expect(() => slopeOf([[0, 1]])).toThrow('needs three points, not 1'))
})

describe('growthOf', () => {
  const of = (points: readonly number[], law: (x: number) => number) =>
    growthOf(points.map((x) => [x, law(x)] as const))

  it('returns the exponent of a power law', () => {
    expect(of([1, 10, 1_000], (x) => 7 * x ** 1.5).exponent).toBeCloseTo(1.5)
    expect(of([1, 2, 3], () => 5).exponent).toBeCloseTo(0)
  })

  it('tells the end from the whole, where more and more share a fixed cost', () => {
    const growth = of([1, 10, 100, 1_000, 10_000], (x) => 100 / x + 7)
    expect(growth.exponent).toBeLessThan(-0.2)
    expect(growth.atEnd).toBeGreaterThan(-0.01)
    expect(growth.error).toBeGreaterThan(0.01)
  })

  it('needs points above 0', () => expect(() => of([0, 2, 3], (x) => x)).toThrow('not (0, 0)'))
})
