import { slopeOf } from './slope.ts'

describe('slopeOf', () => {
  it('is that of the line, without an error, when all points are on it', () => {
    const slope = slopeOf([
      [0, 1],
      [1, 3],
      [4, 9],
    ])
    expect(slope.perUnit).toBeCloseTo(2)
    expect(slope.error).toBeCloseTo(0)
  })

  it('has an error as large as the points are apart from the line', () => {
    // Of y = 1, 3, 2, 4 over x = 0 … 3: slope 0.8, squares of the residuals 1.8 in sum, squares of x 5.
    const slope = slopeOf([
      [0, 1],
      [1, 3],
      [2, 2],
      [3, 4],
    ])
    expect(slope.perUnit).toBeCloseTo(0.8)
    expect(slope.error).toBeCloseTo(Math.sqrt(1.8 / 2 / 5))
  })

  it('needs three points', () => {
    expect(() => slopeOf([[0, 1]])).toThrow('needs three points, not 1')
  })
})
