import { jest } from '@jest/globals'
import { HotIds } from './hot-ids.js'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

const perSecond = 10
const changes: [promoted: number, demoted: number][] = []
function open(most = 3): HotIds {
  changes.length = 0
  return new HotIds({
    perSecond,
    most,
    onChange: (promoted, demoted) => void changes.push([promoted, demoted]),
  })
}

function read(hotIds: HotIds, id: string, times: number): void {
  for (let i = 0; i < times; i++) hotIds.count(id)
}

const endSecond = () => jest.advanceTimersByTime(1_000)
const names = (hotIds: HotIds) => hotIds.hottest().map(({ id }) => id)

it('admits an id from the read on that makes it hot', () => {
  const hotIds = open()
  read(hotIds, 'a', perSecond - 1)
  expect(hotIds.admits('a')).toBe(false)
  hotIds.count('a')
  expect(hotIds.admits('a')).toBe(true)
  expect(hotIds.admits('b')).toBe(false)
})

it('admits no id whose reads are spread over seconds', () => {
  const hotIds = open()
  for (let second = 0; second < 20; second++) {
    read(hotIds, 'a', perSecond - 1)
    endSecond()
  }
  expect(hotIds.hottest()).toEqual([])
  expect(changes).toEqual([])
})

it('knows how often ids are read, most first', () => {
  const hotIds = open()
  for (let second = 0; second < 10; second++) {
    read(hotIds, 'a', 20)
    read(hotIds, 'b', 100)
    endSecond()
  }
  const [b, a] = hotIds.hottest()
  expect([b!.id, a!.id]).toEqual(['b', 'a'])
  expect(b!.perSecond).toBeCloseTo(100, 0)
  expect(a!.perSecond).toBeCloseTo(20, 0)
})

it('forgets by decay what is not read any more, and then rests', () => {
  const hotIds = open()
  read(hotIds, 'a', 40)
  endSecond()
  for (let second = 0; second < 10; second++) endSecond()
  expect(hotIds.hottest()).toEqual([])
  expect(changes).toEqual([
    [1, 0],
    [0, 1],
  ])
  expect(jest.getTimerCount()).toBe(0)
})

it('keeps an id hot that is read half as often', () => {
  const hotIds = open()
  read(hotIds, 'a', perSecond)
  for (let second = 0; second < 10; second++) {
    endSecond()
    read(hotIds, 'a', perSecond / 2 + 1)
  }
  expect(names(hotIds)).toEqual(['a'])
})

it('promotes nothing of a scan, which pushes out nothing that is hot', () => {
  const hotIds = open()
  read(hotIds, 'hot', perSecond)
  for (let id = 0; id < 100_000; id++) hotIds.count(`scanned ${id}`)
  endSecond()
  expect(names(hotIds)).toEqual(['hot'])
  expect(changes).toEqual([[1, 0]])
})

it('finds an id that becomes hot during a scan', () => {
  const hotIds = open()
  // A counter loses one for 1,024 reads of others: some ten of these two hundred.
  for (let id = 0; id < 10_000; id++) {
    hotIds.count(`scanned ${id}`)
    if (id % 50 === 0) hotIds.count('hot')
  }
  expect(names(hotIds)).toEqual(['hot'])
})

it('admits a bounded number of ids, of which those that are read more replace others', () => {
  const hotIds = open(2)
  const second = () => {
    read(hotIds, 'a', 30)
    read(hotIds, 'b', 20)
    read(hotIds, 'c', 40)
    endSecond()
  }
  read(hotIds, 'a', perSecond)
  read(hotIds, 'b', perSecond)
  for (let i = 0; i < 5; i++) {
    second()
    expect(hotIds.hottest()).toHaveLength(2)
  }
  expect(names(hotIds)).toEqual(['c', 'a'])
  expect(changes).toEqual([[3, 1]])
})

it('counts an id again that has been hot', () => {
  const hotIds = open()
  for (let round = 0; round < 3; round++) {
    read(hotIds, 'a', perSecond)
    expect(hotIds.admits('a')).toBe(true)
    for (let second = 0; second < 5; second++) endSecond()
    expect(hotIds.admits('a')).toBe(false)
    // Its counter of before serves another id now.
    for (let id = 0; id < 2_000; id++) hotIds.count(`other ${id}`)
    endSecond()
  }
})
