import { RecentlyUsed } from './recently-used.js'

/** What is known of queries by a method and a number. */
function open(most: number) {
  const kept = new RecentlyUsed<number>(most)
  return {
    kept,
    set: (...numbers: readonly number[]) => numbers.forEach((each) => kept.set('findMany', `${each}`, each)),
    get: (...numbers: readonly number[]) => numbers.map((each) => kept.get('findMany', `${each}`)),
  }
}
const none = undefined

it('keeps so many, and as many that were used before these', () => {
  const { get, set } = open(3)
  set(1, 2, 3)
  expect(get(3, 2, 1)).toEqual([3, 2, 1])
  set(4, 5, 6, 6)
  expect(get(1)).toEqual([1])
  expect(get(4, 3, 2, 6)).toEqual([4, none, none, 6])
})

it('keeps what is used, however many others there are', () => {
  const { get, set } = open(3)
  set(0)
  for (let other = 1; other < 100; other++) {
    set(other)
    expect(get(0)).toEqual([0])
  }
  expect(get(97, 94)).toEqual([97, none])
})

it('tells methods from each other, and knows which of them it has anything of', () => {
  const { kept, set } = open(1)
  expect(kept.has('findMany')).toBe(false)
  set(1)
  kept.set(undefined, '1', 2)
  expect([kept.has('findMany'), kept.has(undefined), kept.has('count')]).toEqual([true, true, false])
  expect([kept.get(undefined, '1'), kept.get('count', '1')]).toEqual([2, none])
})

it('deletes what is known of a query, also if it has become older', () => {
  const { get, kept, set } = open(2)
  set(1, 2, 3)
  expect(get(1)).toEqual([1])
  kept.delete('findMany', '1')
  kept.delete('findMany', '2')
  expect(get(1, 2, 3)).toEqual([none, none, 3])
  // A place is free.
  set(4, 5, 6)
  expect(get(3)).toEqual([3])
})
