import { hotStatusOf, maxHottest } from './hot-status.js'

const hottest = Array.from({ length: maxHottest + 1 }, (_, id) => ({ id, perSecond: 100 - id }))
const has = (rowId: unknown): boolean => rowId === 0
const textOf = (rowId: unknown): string => `lot ${String(rowId)}`

it('names the ids that are read most, and counts all that are hot', () => {
  const status = hotStatusOf({ has, reads: { hottest, perSecond: 1_000 } }, textOf)!
  expect(status).toMatchObject({ readsPerSecond: 1_000, count: 11 })
  expect(status.hottest).toHaveLength(10)
  expect(status.hottest.slice(0, 2)).toEqual([
    { id: 'lot 0', readsPerSecond: 100, isHeld: true },
    { id: 'lot 1', readsPerSecond: 99, isHeld: false },
  ])
})

it('is undefined without L1, and unless L1 keeps hot rows alone', () => {
  expect(hotStatusOf(undefined, textOf)).toBeUndefined()
  expect(hotStatusOf({ has, reads: undefined }, textOf)).toBeUndefined()
})
