import { date, field, object } from '../../../../test/support/wire-plans.js'
import { compileCloner, compileManyCloner } from './compiled-cloner.js'
import { compileFreezer } from './compiled-freezer.js'

describe('copies of a row', () => {
  const plan = { ...object(field('v', date)), nullable: true }

  it('are as many as are wanted, and share nothing', () => {
    const row = { v: new Date(5) }
    for (const count of [0, 1, 3]) {
      const copies = compileManyCloner(plan)(row, count)
      expect(copies).toEqual(Array.from({ length: count }, () => row))
      expect(new Set([row, ...copies]).size).toBe(count + 1)
    }
  })

  it('are null in place of a row that is null', () => {
    expect(compileManyCloner(plan)(null, 2)).toEqual([null, null])
    expect([compileCloner(plan)(null), compileFreezer(plan)(null)]).toEqual([null, null])
  })
})
