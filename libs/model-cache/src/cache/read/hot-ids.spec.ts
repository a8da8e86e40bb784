import { jest } from '@jest/globals'
import { hashOf } from '../../protocol/index.js'
import { HotIds } from './hot-ids.js'

let hotIds: HotIds
beforeEach(() => {
  jest.useFakeTimers()
  hotIds = open()
})
afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

const perSecond = 10
const changes: string[] = []
function open(most = 3): HotIds {
  changes.length = 0
  return new HotIds({ perSecond, most, onChange: (change, id) => void changes.push(`${change} ${id}`) })
}

function read(id: string, times = 1): void {
  for (let i = 0; i < times; i++) if (!hotIds.countHot(id)) hotIds.countOther(id, hashOf(id))
}

const endSecond = () => jest.advanceTimersByTime(1_000)
/** Ends a window that a blocked event loop has made twice as long. */
const endBlockedSecond = () => {
  const endMs = performance.now() + 2_000
  const now = jest.spyOn(performance, 'now').mockReturnValue(endMs)
  endSecond()
  now.mockRestore()
}
const names = () => hotIds.reads.hottest.map(({ id }) => id)

it('has an id from the read on that makes it hot', () => {
  read('a', perSecond - 1)
  expect(hotIds.has('a')).toBe(false)
  read('a')
  expect(hotIds.has('a')).toBe(true)
  expect(hotIds.has('b')).toBe(false)
})

it('has no id whose reads are spread over seconds', () => {
  for (let second = 0; second < 20; second++) {
    read('a', perSecond - 1)
    endSecond()
  }
  expect(hotIds.reads.hottest).toEqual([])
  expect(changes).toEqual([])
})

it('promotes no id that is hot', () => {
  read('a', perSecond)
  for (let i = 0; i < 5 * perSecond; i++) {
    hotIds.countHot('a')
    hotIds.countOther('a', hashOf('a'))
  }
  endSecond()
  expect(changes).toEqual(['promoted a'])
})

it('counts a read of an id that is hot once, also where its row is missing', () => {
  read('a', perSecond)
  for (let i = 0; i < perSecond; i++) {
    hotIds.countHot('a')
    hotIds.countOther('a', hashOf('a'))
  }
  endSecond()
  expect(hotIds.reads.perSecond).toBe(2 * perSecond)
})

it('knows how often ids are read, most first', () => {
  for (let second = 0; second < 10; second++) {
    read('a', 20)
    read('b', 100)
    for (let id = 0; id < 5; id++) read(`other ${id}`)
    endSecond()
  }
  const [b, a] = hotIds.reads.hottest
  expect([b!.id, a!.id]).toEqual(['b', 'a'])
  expect(b!.perSecond).toBeCloseTo(100, 0)
  expect(a!.perSecond).toBeCloseTo(20, 0)
  expect(hotIds.reads.perSecond).toBeCloseTo(125, 0)
})

it('forgets by decay what is not read any more, and then rests', () => {
  read('a', 40)
  endSecond()
  for (let second = 0; second < 10; second++) endSecond()
  expect(hotIds.reads.hottest).toEqual([])
  expect(changes).toEqual(['promoted a', 'demoted a'])
  expect(jest.getTimerCount()).toBe(0)
})

it('keeps an id hot that is read half as often', () => {
  read('a', perSecond)
  for (let second = 0; second < 10; second++) {
    endSecond()
    read('a', perSecond / 2 + 1)
  }
  expect(names()).toEqual(['a'])
})

it('promotes nothing of a scan, which pushes out nothing that is hot', () => {
  read('hot', perSecond)
  for (let id = 0; id < 1_000_000; id++) read(`${id}`)
  endSecond()
  expect(names()).toEqual(['hot'])
  expect(changes).toEqual(['promoted hot'])
})

it('promotes of what a crawler reads again and again no more than may be hot, and nothing in the place of what is read more', () => {
  for (let second = 0; second < 3; second++) {
    read('a', 40)
    read('b', 40)
    for (let id = 0; id < 5_000; id++) read(`crawled ${second} ${id}`, perSecond)
    expect(hotIds.reads.hottest).toHaveLength(3)
    endSecond()
    expect(names().slice(0, 2).toSorted()).toEqual(['a', 'b'])
    expect(hotIds.reads.hottest).toHaveLength(3)
  }
})

it('finds an id that becomes hot during a scan', () => {
  // Of its two hundred reads, those of others that share its counter take some ten.
  for (let id = 0; id < 10_000; id++) {
    read(`scanned ${id}`)
    if (id % 50 === 0) read('hot')
  }
  expect(names()).toEqual(['hot'])
})

it('has a bounded number of ids, of which those that are read more replace others', () => {
  hotIds = open(2)
  const second = () => {
    read('a', 30)
    read('b', 20)
    read('c', 40)
    endSecond()
  }
  read('a', perSecond)
  read('b', perSecond)
  for (let i = 0; i < 5; i++) {
    second()
    expect(hotIds.reads.hottest).toHaveLength(2)
  }
  expect(names()).toEqual(['c', 'a'])
  expect(changes).toEqual(['promoted a', 'promoted b', 'demoted b', 'promoted c'])
})

it('finds ids that share a counter', () => {
  hotIds = open(1_000)
  for (let second = 0; second < 5; second++) {
    for (let i = 0; i < perSecond; i++) for (let id = 0; id < 500; id++) read(`hot ${id}`)
    endSecond()
  }
  expect(hotIds.reads.hottest).toHaveLength(500)
})

it('counts an id again that has been hot', () => {
  for (let round = 0; round < 3; round++) {
    read('a', perSecond)
    expect(hotIds.has('a')).toBe(true)
    for (let second = 0; second < 5; second++) endSecond()
    expect(hotIds.has('a')).toBe(false)
    // Its counter of before serves another id now.
    for (let id = 0; id < 2_000; id++) read(`other ${id}`)
    endSecond()
  }
})

/** Has each window divide ids among the same counters: of the few ids below each has its own. */
const keepCounters = () => jest.spyOn(Math, 'random').mockReturnValue(0.3)

it('counts an id by one window alone, also where that has the counter of the one before', () => {
  keepCounters()
  for (let second = 0; second < 3; second++) {
    read('a', perSecond - 1)
    endSecond()
  }
  expect(changes).toEqual([])
})

it('keeps an id hot down to half of the reads that make it hot', () => {
  read('a', perSecond)
  const rates = Array.from({ length: 3 }, () => {
    endSecond()
    return hotIds.reads.hottest.map(({ perSecond: rate }) => rate)
  })
  expect(rates).toEqual([[perSecond], [perSecond / 2], []])
})

it('knows rates by the time that a window took', () => {
  keepCounters()
  read('a', perSecond)
  endSecond()
  read('a', 4 * perSecond)
  read('b', perSecond - 2)
  endBlockedSecond()
  expect(hotIds.reads).toEqual({
    // A second with 10 reads, and two with 48.
    perSecond: 17,
    hottest: [{ id: 'a', perSecond: 15 }],
  })
  hotIds = open()
  read('a', perSecond - 1)
  endBlockedSecond()
  expect(hotIds.reads.perSecond).toBe((perSecond - 1) / 2)
})

it('knows of all reads by decay', () => {
  read('a', 100)
  endSecond()
  expect(hotIds.reads.perSecond).toBe(100)
  endSecond()
  expect(hotIds.reads.perSecond).toBe(50)
})

describe('an id that is read often enough while no more may be hot', () => {
  beforeEach(() => void keepCounters())

  it('replaces none that is read as often', () => {
    hotIds = open(1)
    read('a', perSecond)
    read('b', perSecond)
    endSecond()
    expect(names()).toEqual(['a'])
  })

  it('replaces one, and one that is read less often replaces none then', () => {
    hotIds = open(1)
    read('a', perSecond)
    read('b', 3 * perSecond)
    read('c', 4 * perSecond)
    endSecond()
    expect(names()).toEqual(['c'])
  })

  it('takes the place of one that is not hot any more, and none besides', () => {
    hotIds = open(2)
    read('a', perSecond)
    read('b', perSecond)
    for (let second = 0; second < 2; second++) {
      endSecond()
      read('b', perSecond)
    }
    read('c', 4 * perSecond)
    endSecond()
    expect(names()).toEqual(['c', 'b'])
  })

  it('does not become hot if its window took so long that it was not', () => {
    hotIds = open(1)
    read('a', perSecond)
    endSecond()
    endSecond()
    read('b', perSecond)
    endBlockedSecond()
    expect(names()).toEqual([])
    expect(changes).toEqual(['promoted a', 'demoted a'])
  })
})
