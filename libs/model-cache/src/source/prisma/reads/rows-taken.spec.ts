import { rowsTaken } from './rows-taken.js'

it.each<[unknown, number | undefined]>([
  [0, 0],
  [20, 20],
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 31, Infinity],
  [2 ** 32 - 1, Infinity],
  [Number.MAX_SAFE_INTEGER, Infinity],
  [2 ** 32, undefined],
  [2 ** 32 + 5, undefined],
  [2 ** 40, undefined],
  [2 ** 53, undefined],
  [-1, undefined],
  [0.5, undefined],
  ['20', undefined],
  [null, undefined],
])('take: %p lets %p rows through', (take, expected) => {
  expect(rowsTaken(take)).toBe(expected)
})
