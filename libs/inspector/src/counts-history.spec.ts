import { jest } from '@jest/globals'
import { openShop } from '../../../test/support/inspected-shop.js'
import { CountsHistory, countsOverTime } from './counts-history.js'

function open() {
  let nowMs = 10_000
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const [own, billing] = [openShop(), openShop({ name: 'billing' })]
  const history = new CountsHistory([own.root, billing.root])
  const lots = own.observer.forModel('Lot')
  /** Reads rows, and looks after so many milliseconds. */
  const lookAfter = async (ms: number, reads = 0) => {
    nowMs += ms
    lots.reads('store', 'hit', reads)
    return history.look()
  }
  return { lookAfter, history, own, billing }
}

const readsIn = (counts: Awaited<ReturnType<CountsHistory['look']>>) => {
  const { recent, sinceStart } = countsOverTime(counts, 0, 'Lot')
  return [sinceStart.answered?.store, recent?.answered?.store]
}

describe('counts over time', () => {
  afterEach(() => jest.restoreAllMocks())

  it('are those since the start at the first look', async () => {
    const { lookAfter } = open()
    const counts = await lookAfter(0, 5)
    expect(counts).toMatchObject({ recentSeconds: 0, before: undefined, previous: undefined })
    expect(counts.roots).toHaveLength(2)
    expect(countsOverTime(counts, 0, 'Lot')).toMatchObject({
      sinceStart: { answered: { store: 5 } },
      recent: null,
    })
    expect(countsOverTime(counts, 0, 'Bid')).toEqual({
      sinceStart: {},
      lastHour: {},
      last5Minutes: {},
      recent: null,
    })
  })

  it('are those of each root', async () => {
    const { billing, lookAfter } = open()
    billing.observer.forModel('Lot').reads('l1', 'hit', 7)
    const counts = await lookAfter(0, 5)
    expect(countsOverTime(counts, 0, 'Lot').sinceStart.answered).toEqual({ store: 5 })
    expect(countsOverTime(counts, 1, 'Lot').sinceStart.answered).toEqual({ l1: 7, store: 0 })
  })

  it('are recent since the earliest look of the last six seconds', async () => {
    const { lookAfter } = open()
    const first = await lookAfter(0, 1)
    const second = await lookAfter(2_000, 2)
    expect([second.recentSeconds, ...readsIn(second)]).toEqual([2, 3, 2])
    const third = await lookAfter(4_000, 4)
    expect([third.recentSeconds, ...readsIn(third)]).toEqual([6, 7, 6])
    expect(third.before).toBe(first.roots)
    expect(third.previous).toBe(second.roots)
    const fourth = await lookAfter(1_000, 8)
    expect([fourth.recentSeconds, ...readsIn(fourth)]).toEqual([5, 15, 12])
    const much = await lookAfter(6_001, 16)
    expect([much.recentSeconds, ...readsIn(much)]).toEqual([0, 31, undefined])
  })

  it('are read once for looks at about the same time', async () => {
    const { history, lookAfter, own } = open()
    const read = jest.spyOn(own.registry, 'getSingleMetric')
    const first = await lookAfter(0, 1)
    const once = read.mock.calls.length
    const second = await lookAfter(399, 2)
    expect(second.roots).toBe(first.roots)
    expect(second.previous).toBeUndefined()
    expect(read).toHaveBeenCalledTimes(once)
    const third = await lookAfter(1, 0)
    expect(readsIn(third)).toEqual([3, 2])
    expect(read).toHaveBeenCalledTimes(2 * once)
    // Two that look together share what is read.
    const [one, other] = await Promise.all([lookAfter(400), history.look()])
    expect(one.roots).toBe(other.roots)
    expect(read).toHaveBeenCalledTimes(3 * once)
    expect(one.recentSeconds).toBe(0.8)
  })

  it('are those of the last five minutes and of the last hour, by what was kept', async () => {
    const { history, lookAfter } = open()
    jest.spyOn(process, 'uptime').mockReturnValue(7)
    const windowsIn = async (reads = 0) => {
      const counts = await lookAfter(1_000, reads)
      const { last5Minutes, lastHour } = countsOverTime(counts, 0, 'Lot')
      const { growth } = counts
      return [
        [growth.last5Minutes.seconds, last5Minutes.answered?.store],
        [growth.lastHour.seconds, lastHour.answered?.store],
      ]
    }
    // A young process has counted all of them.
    expect(await windowsIn(1)).toEqual([
      [7, 1],
      [7, 1],
    ])
    await history.keep()
    await lookAfter(300_000 - 1_000, 2)
    expect(await windowsIn(4)).toEqual([
      [300, 6],
      [7, 7],
    ])
    await history.keep()
    await lookAfter(3_300_000 - 1_000, 8)
    expect(await windowsIn()).toEqual([
      [3_300, 8],
      [3_600, 14],
    ])
    // Nothing was counted since.
    await history.keep()
    await lookAfter(300_000)
    expect(await windowsIn()).toEqual([
      [301, undefined],
      [3_601, 8],
    ])
  })

  it('are read again after a metric has failed', async () => {
    const { lookAfter, own } = open()
    const read = jest.spyOn(own.registry, 'getSingleMetric')
    read.mockImplementationOnce(() => {
      throw new Error('a metric of the application')
    })
    await expect(lookAfter(0)).rejects.toThrow('a metric of the application')
    expect(readsIn(await lookAfter(0, 5))).toEqual([5, undefined])
  })
})
