import { cpuGainOf, gainOf, typical, winnerOf, type Leg, type Round } from './summarise.ts'

const leg = (requestsPerSecond: number): Leg => ({
  requestsPerSecond,
  cpuUsPerRequest: 1_000 / requestsPerSecond,
})
const round = (first: number, second: number): Round => [
  [leg(first), leg(first)],
  [leg(second), leg(second)],
]
const variants = [
  { name: 'one', requestsPerSecond: 0, cpuUsPerRequest: 0 },
  { name: 'other', requestsPerSecond: 0, cpuUsPerRequest: 0 },
] as const

describe('gains', () => {
  it('compare the variants of a round with each other, and no others', () => {
    expect(gainOf([round(120, 100), round(1_100, 1_000), round(13, 10)])).toEqual({
      median: 0.2,
      min: 0.1,
      max: 0.3,
    })
  })

  it('are what the first variant saves, of processor time', () => {
    expect(cpuGainOf([round(200, 100)])).toEqual({ median: 0.5, min: 0.5, max: 0.5 })
  })

  it('stand beside figures that are medians of rounds', () => {
    const rounds = [round(100, 1), round(300, 2), round(200, 3)]
    expect(typical(rounds, 0, 'requestsPerSecond')).toBe(200)
    expect(typical(rounds, 1, 'requestsPerSecond')).toBe(2)
  })
})

describe('winnerOf', () => {
  const noise = { median: 0, min: -0.03, max: 0.02 }
  const winner = (median: number, min: number, max: number) =>
    winnerOf({ variants }, { median, min, max }, noise)

  it('names who serves more', () => {
    expect(winner(0.05, 0.04, 0.06)).toBe('one')
    expect(winner(-0.05, -0.06, -0.01)).toBe('other')
  })

  it('names nobody within the noise', () => {
    expect(winner(0.03, 0.02, 0.04)).toBeUndefined()
  })

  it('names nobody after a single round', () => {
    expect(winner(0.2, 0.2, 0.2)).toBeUndefined()
  })

  it('names nobody when rounds disagree', () => {
    expect(winner(0.2, -0.01, 0.4)).toBeUndefined()
  })
})
