import { jest } from '@jest/globals'
import { type BegunTransaction, CommitViews, type LogView } from './commit-views.js'

beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(10_000))
afterEach(() => jest.restoreAllMocks())

const begun = (start: number): BegunTransaction => ({ start: BigInt(start), gtid: `0-1-${start}` })
/** The log up to a place, at a moment, and what readers see of it. */
const viewOf = (end: number, atMs = 0, seen = end) => ({
  atMs,
  logs: ({ start }: BegunTransaction) => start < BigInt(end),
  has: ({ start }: BegunTransaction) => start < BigInt(seen),
})

describe('the transactions of a log', () => {
  it('are running until readers see them', () => {
    const views = new CommitViews()
    expect(views.next).toBe(1n)
    const ids = [10, 20, 30].map((start) => views.begin(begun(start), 0).id)
    expect([ids, views.next]).toEqual([[1, 2, 3], 4n])
    const running = (seen: number): unknown => {
      const { has, oldest } = views.note(viewOf(40, 0, seen), 10_000)
      return [oldest, ids.filter(has)]
    }
    expect(running(10)).toEqual([1n, [1, 2, 3]])
    expect(running(11)).toEqual([2n, [2, 3]])
    // Readers see them in the order of the log: a later one waits for those before.
    expect(running(11)).toEqual([2n, [2, 3]])
    expect(running(40)).toEqual([4n, []])
    expect(running(40)).toEqual([4n, []])
  })

  it('count as old as the last view of the log without them, if the log does not say more', () => {
    const views = new CommitViews()
    const committedAt = (start: number, atMs: number) => views.begin(begun(start), atMs).committedAtMs
    expect(committedAt(10, 1_000)).toBe(1_000)
    views.noteLogged(viewOf(15, 2_000))
    views.note(viewOf(25, 3_000), 10_000)
    views.noteLogged(viewOf(35, 4_000))
    expect([committedAt(40, 1_000), committedAt(30, 1_000), committedAt(20, 1_000)]).toEqual([
      4_000, 3_000, 2_000,
    ])
    expect([committedAt(10, 1_000), committedAt(40, 5_000)]).toEqual([1_000, 5_000])
  })

  it('are compared with the last views of the log', () => {
    const views = new CommitViews()
    let asked = 0
    const view = (atMs: number): LogView => ({
      atMs,
      logs: () => {
        asked++
        return atMs > 1
      },
    })
    for (let atMs = 1; atMs <= 65; atMs++) views.noteLogged(view(atMs))
    expect([views.begin(begun(1), 0).committedAtMs, asked]).toEqual([1, 65])
    views.noteLogged(view(66))
    asked = 0
    expect([views.begin(begun(1), 0).committedAtMs, asked]).toEqual([0, 65])
  })

  it('are timed by the clock of the database', () => {
    const views = new CommitViews()
    expect(views.nowMs).toBe(10_000)
    views.note(viewOf(0, 10_500), 9_900)
    expect(views.nowMs).toBe(10_600)
  })
})
