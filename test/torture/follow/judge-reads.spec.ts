import type { Answer } from '../history/history.ts'
import { cityName, cityOf, numbers } from '../users.ts'
import { CITIES, judgeReads, type ReaderCall, rowAt, ROWS, WrittenRows } from './judge-reads.ts'

const report = { lagMs: 20, ageMs: 100 }
const call = (at: number, answer: Pick<Answer, 0 | 1 | 4>, parts: Partial<ReaderCall> = {}): ReaderCall => ({
  at,
  report,
  answers: [[answer[0], answer[1], at, at + 1, answer[4]]],
  ...parts,
})
/** Reads row 7 by its id. */
const read = (at: number, version: number, parts: Partial<ReaderCall> = {}): ReaderCall =>
  call(at, { 0: 0, 1: 'user 7', 4: version < 0 ? [] : [rowAt(7, version)] }, parts)
const reported = ({ ageMs, lagMs }: NonNullable<ReaderCall['report']>): number => lagMs + ageMs
/** Versions 1, 2, … of row 7, committed at these times. */
function historyOf(...times: readonly number[]): WrittenRows {
  const history = new WrittenRows()
  history.add(times.map((at, i) => ({ beganAt: at - 5, committedAt: at, rows: [7], versions: [i + 1] })))
  return history
}

describe('a history', () => {
  it('knows which versions are committed, and which may be', () => {
    const history = historyOf(100, 200)
    expect([99, 100, 199, 200].map((at) => history.floors.by(at, 'user 7') - 1)).toEqual([0, 1, 1, 2])
    const timeline = history.timelines.get('user 7')!
    expect([94, 95, 195].map((at) => timeline.lastBy(at) - 1)).toEqual([0, 1, 2])
    expect([history.behindMs(rowAt(7, 0), 130), history.behindMs(rowAt(7, 2), 900)]).toEqual([30, 0])
  })

  it('does not accept gaps', () => {
    expect(() => historyOf(1).add([{ beganAt: 2, committedAt: 3, rows: [7], versions: [3] }])).toThrow(
      'Version 2 of row 7 is missing.',
    )
  })
})

describe('a read by id', () => {
  const judge = (...reads: readonly ReaderCall[]) => judgeReads(historyOf(1_000), reads, reported)

  it('is stale if it is older than the report of its reader allows', () => {
    expect(judge(read(1_119, 0))).toMatchObject({ stale: 0, longestBehindMs: 119 })
    expect(judge(read(1_120, 0), read(1_120, 1))).toMatchObject({ reads: 2, stale: 1, longestBehindMs: 120 })
  })

  it('may not be old at all if nobody follows', () => {
    expect(judge(read(1_000, 0, { report: undefined }))).toMatchObject({ bypassed: 1, stale: 1 })
    expect(judge(read(999, 0, { report: undefined }))).toMatchObject({ bypassed: 1, stale: 0 })
  })

  it('is stale if it does not find the row', () => {
    expect(judge(read(1, -1)).stale).toBe(1)
  })
})

describe('a list', () => {
  /** All rows that are ever in the city. */
  const all = numbers(ROWS).filter((row) => [6, 7].includes(row % CITIES))
  const home = all.filter((row) => cityOf(row, 0, CITIES) === 7)
  const list = (at: number, rows: readonly number[], moved = 0): ReaderCall =>
    call(at, { 0: 1, 1: cityName(7), 4: rows.map((row) => rowAt(row, row === 7 ? moved : 0)) })
  const judge = (one: ReaderCall) => judgeReads(historyOf(100, 200, 300, 400, 500), [one], reported).stale

  it('has the rows whose home it is, until they move', () => {
    expect([all.length, home.length]).toEqual([40, 20])
    expect([
      cityOf(7, 4, CITIES),
      cityOf(7, 5, CITIES),
      cityOf(7, 10, CITIES),
      cityOf(CITIES - 1, 5, CITIES),
    ]).toEqual([7, 8, 7, 0])
    expect(judge(list(90, home))).toBe(0)
  })

  it('is stale if it lacks a row, unless this may have left', () => {
    const others = home.filter((row) => row !== 7)
    expect([judge(list(90, others)), judge(list(496, others)), judge(list(900, others))]).toEqual([1, 0, 0])
  })

  it('is stale if a row is old in it, or does not belong to it', () => {
    expect([judge(list(300, home)), judge(list(300, home, 2)), judge(list(900, home, 5))]).toEqual([1, 0, 1])
  })
})
