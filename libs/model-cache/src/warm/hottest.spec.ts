import { Hottest } from './stored-hints.js'

const hint = (id: string) => ({ cache: 'Lot', id })

function offered(most: number, heats: readonly number[], idOf = (i: number): string => `${i}`) {
  const hottest = new Hottest(most)
  const sizes = heats.map((heat, i) => {
    hottest.offer(hint(idOf(i)), heat)
    return hottest.size
  })
  return { hottest, sizes, ids: hottest.take().map(({ id }) => id) }
}

it('returns the hottest first', () => {
  expect(offered(3, [5, 9, 1, 7, 3]).ids).toEqual(['1', '3', '0'])
  expect(offered(2, [-2, -3, -1]).ids).toEqual(['2', '0'])
})

it('returns all if they are fewer than wanted', () => {
  expect(offered(3, [1, 2]).ids).toEqual(['1', '0'])
  expect(offered(3, []).ids).toEqual([])
})

it.each([
  ['twice as many as are wanted', [9, 8, 7, 6], [1, 2, 3, 4]],
  ['none that is colder than those, or as cold', [9, 8, 7, 6, 5, 6, 1], [1, 2, 3, 4, 4, 4, 4]],
  ['those that are hotter, until the next time', [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 4, 5, 4]],
  ['enough of many that are alike', [5, 5, 5, 5, 5, 5], [1, 2, 3, 4, 4, 4]],
  ['all that are alike', [1, 5, 5, 5, 9, 5, 9, 9], [1, 2, 3, 4, 5, 5, 6, 7]],
])('keeps %s', (_, heats, sizes) => expect(offered(2, heats).sizes).toEqual(sizes))

it('returns a row once, and enough others, if it has a key for each of two schema versions', () => {
  const rowOf = (i: number): string => `${Math.floor(i / 2)}`
  expect(offered(2, [9, 9, 5, 5], rowOf).ids).toEqual(['0', '1'])
  expect(offered(2, [1, 1, 5, 5, 3, 3, 9, 9], rowOf).ids).toEqual(['3', '1'])
})

it('distinguishes rows with the same id of different caches', () => {
  const hottest = new Hottest(2)
  hottest.offer({ cache: 'Lot', id: '1' }, 1)
  hottest.offer({ cache: 'Bid', id: '1' }, 2)
  expect(hottest.take()).toEqual([
    { cache: 'Bid', id: '1' },
    { cache: 'Lot', id: '1' },
  ])
})
