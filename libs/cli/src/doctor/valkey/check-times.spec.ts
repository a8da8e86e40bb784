import { jest } from '@jest/globals'
import { answeringNode, findingLines } from '../../../../../test/support/answering-node.js'
import { checkTimes } from './check-times.js'

/** A server whose answers take so long in turn, those after the last as long as the last, and whose clock is ahead by so much. */
const found = async (tookMs: readonly number[], aheadMs: number): Promise<string[]> => {
  let count = 0
  let nowMs = 1_800_000_000_000.25
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs)
  const node = answeringNode({
    TIME() {
      const readMs = nowMs + aheadMs
      nowMs += tookMs[Math.min(count++, tookMs.length - 1)]!
      const seconds = Math.floor(readMs / 1_000)
      return [String(seconds), String(Math.round((readMs - seconds * 1_000) * 1_000))]
    },
  })
  const lines = findingLines(await checkTimes(node, 100))
  expect(node.sent).toHaveLength(11)
  return lines
}
afterEach(() => jest.restoreAllMocks())

describe('checkTimes', () => {
  it.each([
    [[39], 'ok valkey.latency: cache:6379 answers in 39.0 ms (median of 11).'],
    [[40], 'warning valkey.latency: cache:6379 answers in 40.0 ms (median of 11). →'],
    [[99], 'warning valkey.latency: cache:6379 answers in 99.0 ms (median of 11). →'],
    [[100], 'error valkey.latency: cache:6379 answers in 100.0 ms (median of 11). →'],
    [[500, 9, 500, 100, 10, 500, 8, 500, 7, 6, 5], 'cache:6379 answers in 10.0 ms (median of 11).'],
  ])('of answers that take %j ms: %s', async (tookMs, expected) => {
    expect((await found(tookMs, 0))[0]).toContain(expected)
  })

  const together = 'ok valkey.clock: The clocks of cache:6379 and of this machine agree within a second.'
  it.each([
    [0, 50, together],
    [1_000, 0, together],
    [1_050, 50, together],
    [-1_000, 50, together],
    [1_051, 50, 'warning valkey.clock: The clock of cache:6379 is 1.0 s ahead of that of this machine. →'],
    [3_650, 50, 'warning valkey.clock: The clock of cache:6379 is 3.6 s ahead of that of this machine. →'],
    [-1_500, 50, 'warning valkey.clock: The clock of cache:6379 is 1.5 s behind that of this machine. →'],
  ])('of a clock that is ahead by %s ms, with answers in %s ms: %s', async (aheadMs, tookMs, expected) => {
    expect((await found([tookMs], aheadMs))[1]).toContain(expected)
  })
})
