import { inTurn } from './in-turn.ts'

describe('inTurn', () => {
  it.each([['ab'], ['abc'], ['abcd']])(
    'has all of %s in every round, and each in each place twice',
    (names) => {
      const things = [...names]
      const rounds = Array.from({ length: 2 * things.length }, (_, round) => inTurn(things, round))
      for (const order of rounds) expect(order.toSorted()).toEqual(things)
      for (const place of things.keys()) {
        expect(rounds.map((order) => order[place]).toSorted()).toEqual([...things, ...things].toSorted())
      }
    },
  )

  it('goes forwards and backwards', () => {
    expect(inTurn(['a', 'b', 'c'], 0)).toEqual(['a', 'b', 'c'])
    expect(inTurn(['a', 'b', 'c'], 1)).toEqual(['c', 'b', 'a'])
    expect(inTurn(['a', 'b', 'c'], 2)).toEqual(['b', 'c', 'a'])
  })
})
