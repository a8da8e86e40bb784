import { suites } from '../suites.ts'
import { parseCompare } from './compare.ts'

describe('the options of compare', () => {
  it('default to the steady suites, five rounds and 10 %', () => {
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
    [[], 'compare needs a revision'],
    [['main', 'strom'], 'There is no suite "strom", only codec'],
    [['main', '--rounds', '1'], '--rounds 1: expected a whole number from 2 on.'],
    [['main', '--threshold', 'much'], '--threshold much: expected percent, from 0 on.'],
  ])('are refused when they are wrong: %j', (args, message) => {
    expect(() => parseCompare(args)).toThrow(message)
  })
})
