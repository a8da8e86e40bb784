import { chunksOf } from './chunks.js'

describe('the chunks of a list', () => {
  it.each([
    [0, []],
    [1, [[1]]],
    [2, [[1, 2]]],
    [3, [[1, 2], [3]]],
    [
      4,
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [5, [[1, 2], [3, 4], [5]]],
  ])('have the items in order, two each: %d items', (count, chunks) => {
    const items = Array.from({ length: count }, (_, i) => i + 1)
    expect(chunksOf(items, 2)).toEqual(chunks)
  })

  it('are the list itself if it is short enough', () => {
    const items = [1, 2]
    expect(chunksOf(items, 2)[0]).toBe(items)
  })
})
