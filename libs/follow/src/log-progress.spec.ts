import { jest } from '@jest/globals'
import { manualClock } from '../../../test/support/manual-clock.js'
import { LogProgress } from './log-progress.js'

afterEach(() => jest.restoreAllMocks())

/** @param now by `Date.now()`, which stands still */
function progressAt(now = 1_000_000) {
  const clock = manualClock()
  jest.spyOn(Date, 'now').mockReturnValue(now)
  return { progress: new LogProgress((from, to) => Number(to - from) * 8), pass: clock.pass }
}

describe('the progress of a log', () => {
  it('is as far as the highest position that was confirmed', () => {
    const { progress } = progressAt()
    const moves = [20n, 20n, 10n, 30n].map((position) => progress.confirm(position))
    expect([moves, progress.confirmed]).toEqual([[true, false, false, true], 30n])
  })

  it('lags as long as the oldest end of the log has waited to be confirmed', () => {
    const { pass, progress } = progressAt()
    const noteEnd = (position: bigint): void => progress.noteEnd(position, performance.now())
    const lag = (): unknown => [progress.lagMs(undefined), progress.lagBytes]
    noteEnd(20n)
    // How much that is, is not known before a position is.
    expect(lag()).toEqual([0, 0])
    progress.confirm(10n)
    pass(100)
    noteEnd(30n)
    pass(100)
    expect(lag()).toEqual([200, 160])
    progress.confirm(20n)
    expect(lag()).toEqual([100, 80])
    progress.confirm(30n)
    noteEnd(30n)
    pass(100)
    expect(lag()).toEqual([0, 0])
  })

  it('lags as long as nobody has said where it ends, but for the time between two reports', () => {
    const { pass, progress } = progressAt()
    progress.confirm(20n)
    progress.noteEnd(20n, performance.now())
    pass(500)
    expect(progress.lagMs(undefined)).toBe(0)
    pass(700)
    expect(progress.lagMs(undefined)).toBe(700)
    progress.noteEnd(20n, performance.now())
    expect(progress.lagMs(undefined)).toBe(0)
  })

  it('lags as long as the oldest change that was read, by the clock of the database', () => {
    const { progress } = progressAt(1_000_000)
    expect(progress.lagMs(999_700)).toBe(300)
    progress.noteAlive(1_000_050)
    expect(progress.lagMs(999_700)).toBe(350)
    progress.noteAlive()
    expect(progress.lagMs(999_700)).toBe(350)
    // One that was committed a moment ahead of the clock does not lag.
    expect([progress.lagMs(1_000_100), progress.msSince(1_000_100)]).toEqual([0, 0])
  })

  it('lags as long as the older of both', () => {
    const { pass, progress } = progressAt(1_000_000)
    progress.noteEnd(20n, performance.now())
    pass(100)
    expect([progress.lagMs(999_700), progress.lagMs(999_950)]).toEqual([300, 100])
  })

  it('is silent since the last sign of life', () => {
    const { pass, progress } = progressAt()
    pass(500)
    expect(progress.silentMs).toBe(500)
    progress.noteAlive()
    pass(200)
    expect(progress.silentMs).toBe(200)
  })
})
