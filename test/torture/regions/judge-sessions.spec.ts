import { cityName, cityOf, userId } from '../users.ts'
import { CITIES, type ReaderCall, rowAt, type Written, WrittenRows } from '../follow/judge-reads.ts'
import { judgeSessions, RegionWrites, type Sessions } from './judge-sessions.ts'

const SESSIONS: Sessions = { bridgeMs: 1_000, hearingMs: 0 }
const ROW = 7
/** Of the row, until it moves with version 5. */
const HOME = cityName(cityOf(ROW, 0, CITIES))
const NEXT = cityName(cityOf(ROW, 5, CITIES))

/** Versions 1, 2, … of the row, each committed at 100 times its number. @param own those that the region has written */
function judge(own: readonly number[], call: ReaderCall, { bridgeMs, hearingMs } = SESSIONS, reader = 1) {
  const all = [1, 2, 3, 4, 5, 6].map((version): Written => ({
    beganAt: 100 * version - 5,
    committedAt: 100 * version,
    rows: [ROW],
    versions: [version],
    ...(own.includes(version) && { isPromised: true }),
  }))
  const history = new WrittenRows()
  history.add(all)
  const region = new RegionWrites()
  region.add(1, all)
  return judgeSessions(history, [call], region.floorsOf(reader, { bridgeMs, hearingMs }), [
    { from: 5_000, to: 6_000 },
  ])
}

const read = (at: number, version: number): ReaderCall => ({
  at,
  report: undefined,
  answers: [[0, userId(ROW), at, at + 1, [rowAt(ROW, version)]]],
})
const list = (at: number, city: string): ReaderCall => ({
  at,
  report: undefined,
  answers: [[1, city, at, at + 1, []]],
})

it('has the region see its own writes, and those of another one when they come', () => {
  expect(judge([2], read(250, 1))).toEqual({ ofOwn: 1, broken: 1, excused: 0 })
  expect(judge([2], read(250, 2)).broken).toBe(0)
  expect(judge([2], read(199, 1))).toEqual({ ofOwn: 0, broken: 0, excused: 0 })
  expect(judge([2], read(650, 2)).broken).toBe(0)
  expect(judge([1], read(650, 0)).broken).toBe(1)
})

it('promises that for as long as fences stand', () => {
  expect(judge([2], read(1_199, 1)).broken).toBe(1)
  expect(judge([2], read(1_200, 1)).broken).toBe(0)
})

it('lets a memory layer hear of the writes of other processes first', () => {
  const heard = { bridgeMs: 1_000, hearingMs: 100 }
  expect(judge([2], read(250, 1), heard, 2).broken).toBe(0)
  expect(judge([2], read(300, 1), heard, 2).broken).toBe(1)
  expect(judge([2], read(250, 1), heard, 1).broken).toBe(1)
})

it('has a list know that the region has moved a row', () => {
  expect(HOME).not.toBe(NEXT)
  expect(judge([5], list(650, NEXT)).broken).toBe(1)
  // A later write of the region does not tell that another one has moved it.
  expect(judge([6], list(650, NEXT)).broken).toBe(0)
})

it('does not judge reads while the standby shows what it had shown before', () => {
  expect(judge([6], read(5_500, 0))).toEqual({ ofOwn: 0, broken: 0, excused: 1 })
})
