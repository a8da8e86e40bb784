import { itemsOf, type NestedGroup, rowsPerCall } from './nested-groups.js'
import { SourceCall } from './source-call.js'

const call = (size: number): SourceCall =>
  new SourceCall(
    'Lot',
    {},
    Array.from({ length: size }, (_, rowId) => ({ rowId })),
  )

describe('groups of nested loads', () => {
  it('are of one caller and of one call around it', () => {
    const groups: NestedGroup<string>[] = []
    const [caller, other, again] = [call(1), call(1), call(2)]
    itemsOf(groups, caller, again).push('a')
    itemsOf(groups, caller, undefined).push('b')
    itemsOf(groups, other, again).push('c')
    itemsOf(groups, undefined, undefined).push('d')
    itemsOf(groups, caller, again).push('e')
    expect(groups).toEqual([
      { caller, again, items: ['a', 'e'] },
      { caller, again: undefined, items: ['b'] },
      { caller: other, again, items: ['c'] },
      { caller: undefined, again: undefined, items: ['d'] },
    ])
  })

  it.each([
    ['as many as the source takes', undefined, 9, 100],
    ['as many as the source takes, if they are fewer than those of the call around them', call(3), 2, 100],
    ['one by one, if they are as many', call(3), 3, 1],
    ['one by one, if they are more', call(3), 4, 1],
  ])('are loaded %s', (_, again, count, most) => {
    const items = Array<string>(count).fill('a')
    expect(rowsPerCall({ caller: undefined, again, items }, 100)).toBe(most)
  })
})
