import { Floor } from './floor.ts'

describe('Floor', () => {
  it('is the highest revision of those that count before a moment, in whatever order they were added', () => {
    const floor = new Floor()
    floor.add(30, 2)
    floor.add(10, 1)
    floor.add(20, 4)
    floor.add(Infinity, 9)
    expect([5, 10, 11, 21, 31, 1e9].map((moment) => floor.at(moment))).toEqual([0, 0, 1, 4, 4, 4])
  })
})
