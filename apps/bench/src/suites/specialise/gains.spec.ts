import { gainsOf, winnerOf, type Leg, type Round } from './gains.ts'

const leg = (requestsPerSecond: number): Leg => ({
  requestsPerSecond,
  cpuUsPerRequest: 1_000 / requestsPerSecond,
})
const round = (first: number, second: number): Round => [
  [leg(first), leg(first)],
  [leg(second), leg(second)],
]

describe('gains', () => {
  it('compare the variants within each round', () => {
    const { gain } = gainsOf([round(120, 100), round(1_100, 1_000), round(13, 10)])
    expect(gain).toEqual({ median: 0.2, min: 0.1, max: 0.3 })
  })

  it('include the processor time that the first variant saves', () => {
    expect(gainsOf([round(200, 100)]).cpuGain).toEqual({ median: 0.5, min: 0.5, max: 0.5 })
  })
})

describe('winnerOf', () => {
  const noise = { median: 0, min: -0.03, max: 0.02 }
  const winner = (median: number, min: number, max: number) =>
    winnerOf([{ name: 'one' }, { name: 'other' }], { median, min, max }, noise)

  it('is the variant that serves more', () => {
    expect(winner(0.05, 0.04, 0.06)).toBe('one')
    expect(winner(-0.05, -0.06, -0.01)).toBe('other')
  })

  it.each([
    ['within the noise', 0.03, 0.02, 0.04],
    ['after a single round', 0.2, 0.2, 0.2],
    ['when rounds disagree', 0.2, -0.01, 0.4],
  ])('is none %s', (_, median, min, max) => expect(winner(median, min, max)).toBeUndefined())
})
