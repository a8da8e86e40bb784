import { suites } from '../suites.ts'
import { parseCompare } from './compare.ts'

describe('the options of compare', () => {
  it('are the steady suites, five rounds and 10 % unless others are named', () => {
    const steady = suites.filter(({ isSteady }) => isSteady).map(({ name }) => name)
    expect(steady).toContain('codec')
    expect(parseCompare(['main'])).toEqual({
      base: 'main',
      names: steady,
      only: [],
      build: true,
      rounds: 5,
      threshold: 0.1,
    })
    expect(
      parseCompare(['v1', 'storm', 'write', '--rounds', '9', '--threshold', '2.5', '--only', 'raw']),
    ).toEqual({
      base: 'v1',
      names: ['storm', 'write'],
      only: ['raw'],
      build: true,
      rounds: 9,
      threshold: 0.025,
    })
  })

  it.each([
    [[], 'compare takes the revision to compare with'],
    [['main', 'strom'], 'There is no suite "strom", only codec'],
    [['main', '--rounds', '1'], '--rounds 1: it takes a whole number of rounds, from 2 on.'],
    [['main', '--threshold', 'much'], '--threshold much: it takes percent, from 0 on.'],
  ])('are refused with what was expected: %j', (args, message) => {
    expect(() => parseCompare(args)).toThrow(message)
  })
})
