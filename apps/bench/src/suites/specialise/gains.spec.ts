import { gainOf, winnerOf } from './gains.ts'

describe('gainOf', () => {
  it('is the processor time that the first variant saves within each round', () => {
    expect(gainOf([80, 900, 7], [100, 1_000, 10])).toEqual({ median: 0.2, min: 0.1, max: 0.3 })
  })
})

describe('winnerOf', () => {
  const noise = { median: 0, min: -0.03, max: 0.02 }
  const winner = (median: number, min: number, max: number) =>
    winnerOf([{ name: 'one' }, { name: 'other' }], { median, min, max }, noise)

  it('is the variant that takes less', () => {
    expect(winner(0.05, 0.04, 0.06)).toBe('one')
    expect(winner(-0.05, -0.06, -0.01)).toBe('other')
  })

  it.each([
    ['within the noise', 0.03, 0.02, 0.04],
    ['after a single round', 0.2, 0.2, 0.2],
    ['when rounds disagree', 0.2, -0.01, 0.4],
  ])('is none %s', (_, median, min, max) => expect(winner(median, min, max)).toBeUndefined())
})
