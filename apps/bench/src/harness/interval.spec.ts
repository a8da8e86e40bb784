import { intervalOf, intervalOfRates, intervalsOf, marginOf } from './interval.ts'

describe('marginOf', () => {
  it("is that of Student's t", () => expect(marginOf([1, 2, 3])).toBeCloseTo(4.303 / Math.sqrt(3), 3))

  it('refuses a single round', () => {
    expect(() => marginOf([1])).toThrow('A confidence interval needs two rounds, not 1.')
  })
})

describe('intervalOf', () => {
  it('lies around the median', () => {
    expect(intervalOf([1, 1, 1])).toEqual({ low: 1, high: 1, rounds: 3 })
    const { high, low } = intervalOf([1, 1.2, 2])!
    expect((low + high) / 2).toBeCloseTo(1.2)
  })

  it('lies between two of many rounds, whatever one of them is', () => {
    const rounds = [1000, ...Array.from({ length: 30 }, (_, i) => 1 + i)]
    expect(intervalOf(rounds)).toEqual({ low: 10, high: 22, rounds: 31 })
    expect(intervalOf([3, 1, 2, 6, 5, 4])).toEqual({ low: 1, high: 6, rounds: 6 })
  })

  it('is none of a single round', () => expect(intervalOf([1])).toBeUndefined())
})

describe('intervalOfRates', () => {
  it('is wide for few events, and narrow for many', () => {
    expect(intervalOfRates({ times: 2, of: 6_079 }, { times: 3, of: 24_663 })).toEqual({
      low: 0.5718,
      high: 14.69,
    })
    const { high, low } = intervalOfRates({ times: 2_000, of: 10_000 }, { times: 1_000, of: 10_000 })
    expect([low, high].map((bound) => bound.toFixed(1))).toEqual(['1.9', '2.2'])
  })

  it('has bounds where nothing happened', () => {
    expect(intervalOfRates({ times: 0, of: 100 }, { times: 0, of: 100 })).toEqual({
      low: 0.01984,
      high: 50.4,
    })
  })
})

describe('intervalsOf', () => {
  it('compares the parts round by round, and leaves out what was not measured', () => {
    expect(
      intervalsOf({
        twice: [
          [2, 20],
          [1, 10],
        ],
        once: [[1], [1]],
        missing: undefined,
      }),
    ).toEqual({
      twice: { low: 2, high: 2, rounds: 2 },
    })
  })
})
