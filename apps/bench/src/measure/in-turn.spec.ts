import { inTurn } from './in-turn.ts'

describe('inTurn', () => {
  it('has all of them in every round, and each first at times', () => {
    const things = ['a', 'b', 'c']
    const rounds = [0, 1, 2, 3, 4, 5].map((round) => inTurn(things, round))
    for (const order of rounds) expect(order.toSorted()).toEqual(things)
    expect(new Set(rounds.map(([first]) => first))).toEqual(new Set(things))
    expect(inTurn(things, 0)).toEqual(['a', 'b', 'c'])
    expect(inTurn(things, 1)).toEqual(['a', 'c', 'b'])
  })
})
