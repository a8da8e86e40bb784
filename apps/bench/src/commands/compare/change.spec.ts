import { changeOf, isWorse, type Pair } from './change.ts'

const twice = (...pair: Pair): Pair[] => [pair, pair]

describe('the change of a figure', () => {
  it('is the mean difference as a part of the base, with its interval by Student’s t', () => {
    const { base, head, change, low, high } = changeOf([
      [100, 110],
      [100, 112],
      [100, 114],
      [100, 116],
    ])
    expect([base, head]).toEqual([100, 113])
    expect(change).toBeCloseTo(0.13)
    // The standard error is 1.291, and t of three degrees of freedom is 3.182.
    expect(low).toBeCloseTo(0.13 - 0.04108, 4)
    expect(high).toBeCloseTo(0.13 + 0.04108, 4)
  })

  it('ignores a disturbance of both revisions of a round', () => {
    const { low, high } = changeOf([
      [100, 110],
      [900, 910],
      [200, 210],
    ])
    expect(low).toBeCloseTo(high)
  })

  it('is none where both are zero, and infinite where only the base is', () => {
    expect(changeOf(twice(0, 0))).toEqual({ base: 0, head: 0, change: 0, low: 0, high: 0 })
    expect(changeOf(twice(0, 1)).change).toBe(Infinity)
  })

  it('needs two rounds', () => {
    expect(() => changeOf([[1, 2]])).toThrow('A confidence interval needs two rounds, not 1.')
  })

  it('is worse beyond the threshold, with its whole interval on the wrong side', () => {
    const change = { base: 100, head: 120, change: 0.2, low: 0.05, high: 0.35 }
    expect(isWorse(change, 'lower', 0.1)).toBe(true)
    expect(isWorse(change, 'higher', 0.1)).toBe(false)
    expect(isWorse(change, 'lower', 0.25)).toBe(false)
    expect(isWorse({ ...change, low: -0.01 }, 'lower', 0.1)).toBe(false)
    const fall = { base: 100, head: 80, change: -0.2, low: -0.3, high: -0.1 }
    expect(isWorse(fall, 'higher', 0.1)).toBe(true)
    expect(isWorse({ ...fall, high: 0.01 }, 'higher', 0.1)).toBe(false)
  })
})
