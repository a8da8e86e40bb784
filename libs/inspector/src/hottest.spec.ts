import { type HotStatus, maxHottest } from './hot-status.js'
import { hottestOf } from './hottest.js'

const hot = (
  readsPerSecond: number,
  ...hottest: [id: string, rate: number, isHeld?: boolean][]
): HotStatus => ({
  readsPerSecond,
  count: hottest.length,
  hottest: hottest.map(([id, rate, isHeld = false]) => ({ id, readsPerSecond: rate, isHeld })),
})

describe('the hottest ids', () => {
  it('are those of all processes together, most reads first', () => {
    expect(hottestOf([null, hot(60, ['a', 20, true], ['b', 30]), undefined, hot(40, ['a', 30])])).toEqual([
      { id: 'a', readsPerSecond: 50, share: 0.5, processes: 2, heldBy: 1 },
      { id: 'b', readsPerSecond: 30, share: 0.3, processes: 1, heldBy: 0 },
    ])
  })

  it('are unknown if no process has l1.hot', () => {
    expect(hottestOf([null, undefined])).toBeNull()
    expect(hottestOf([hot(0)])).toEqual([])
  })

  it('have no share within the first second, and never more than all of it', () => {
    expect(hottestOf([hot(0, ['a', 5])])).toMatchObject([{ share: 0 }])
    expect(hottestOf([hot(4, ['a', 5])])).toMatchObject([{ share: 1 }])
  })

  it('are ten at most, the coldest left out', () => {
    const ids = Array.from({ length: maxHottest + 2 }, (_, i): [string, number] => [`${i}`, i])
    const found = hottestOf([hot(100, ...ids.slice(0, 6)), hot(100, ...ids.slice(6))])!
    expect(found.map(({ id }) => id)).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2'])
  })
})
