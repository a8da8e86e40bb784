import type { Read } from './history.ts'
import { keyOf, type Row } from './rows.ts'
import type { Timeline, Timelines } from './timelines.ts'

/** From which version on a read has to know each row. */
export interface Floors<R extends Read = Read> {
  /** The least version in which a row may be shown. */
  row(read: R, id: string): number
  /** Whether the lookup has to know that this version entered one of its keys, left one, or changed its order. */
  knowsMove(read: R, id: string, version: number): boolean
}

/** How an answer differs from every allowed one. */
export interface Verdict {
  readonly wrong: 'missing' | 'extra' | 'outOfOrder' | 'stale'
  readonly id: string
  /** The version that the answer should know. */
  readonly expected: number
}

/**
 * Compares an answer with all that are allowed. Writes during the read may be seen or not, each by itself: it is no snapshot.
 *
 * @returns undefined if it is allowed
 */
export function judgeRead<R extends Read>(
  read: R,
  timelines: Timelines,
  floors: Floors<R>,
): Verdict | undefined {
  return findWrongRow(read, timelines, floors) ?? findWrongList(read, timelines, floors)
}

/** Rows are read by themselves, after the list: each shows a version that it may have and belongs to the key in it. */
function findWrongRow<R extends Read>(read: R, timelines: Timelines, floors: Floors<R>): Verdict | undefined {
  const { key, lookup, rows, end } = read
  const ids = new Set<string>()
  for (const row of rows) {
    const { id, version } = row
    const timeline = timelines.get(id)
    const truth = timeline?.rowAt(version)
    if (!timeline || !truth || ids.has(id)) return { wrong: 'extra', id, expected: version }
    ids.add(id)
    if (!areEqual(row, truth)) return { wrong: 'stale', id, expected: version }
    const expected = floors.row(read, id)
    if (version < expected) {
      const last = timeline.lastBy(end)
      let possible = expected
      while (possible <= last && keyOf(lookup, timeline.rowAt(possible)) !== key) possible++
      return { wrong: possible <= last ? 'stale' : 'extra', id, expected }
    }
    if (keyOf(lookup, truth) !== key) return { wrong: 'extra', id, expected: version }
  }
  return undefined
}

/** Members and order are those of one moment, which the lookup may have remembered from before the read. */
function findWrongList<R extends Read>(
  read: R,
  timelines: Timelines,
  floors: Floors<R>,
): Verdict | undefined {
  const { key, lookup, rows, end } = read
  const shown = lookup.order ? rows.map(({ id }) => remembered(read, timelines.get(id)!, floors)) : []
  const ids = new Set(rows.map(({ id }) => id))
  const isFull = lookup.limit !== undefined && rows.length >= lookup.limit
  for (const id of timelines.everIn(lookup, key)) {
    if (ids.has(id)) continue
    const timeline = timelines.get(id)!
    // The cheap test first: most rows that have ever been in the list have left it.
    if (keyOf(lookup, timeline.rowAt(timeline.lastBy(end))) !== key) continue
    const row = remembered(read, timeline, floors)
    if (!row.isAlwaysIn) continue
    if (!isFull || shown.some((other) => isAlwaysBefore(read, row, other)))
      return { wrong: 'missing', id, expected: row.from }
  }
  for (const [i, row] of shown.entries()) {
    const later = shown.slice(i + 1).find((other) => isAlwaysBefore(read, other, row))
    if (later) return { wrong: 'outOfOrder', id: later.id, expected: later.from }
  }
  return undefined
}

type Remembered = ReturnType<typeof remembered>

/** The versions in which the lookup may remember a row, and its least and highest order in those that are in the list. */
export function remembered<R extends Read>(read: R, timeline: Timeline, floors: Floors<R>) {
  const { key, lookup, end } = read
  const { id } = timeline.versions[0]!
  const last = timeline.lastBy(end)
  const from =
    timeline.movesIn(lookup).find((version) => version <= last && floors.knowsMove(read, id, version)) ?? 0
  let isAlwaysIn = true
  let [least, most] = [Infinity, -Infinity]
  for (let version = from; version <= last; version++) {
    const row = timeline.rowAt(version)
    if (keyOf(lookup, row) !== key) isAlwaysIn = false
    else {
      least = Math.min(least, row!.sortOrder as number)
      most = Math.max(most, row!.sortOrder as number)
    }
  }
  return { id, from, last, isAlwaysIn, least, most }
}

/** Whether one row precedes another in all versions that may be remembered. The order of equal ones is that of ids in the database. */
function isAlwaysBefore({ lookup }: Read, one: Remembered, other: Remembered): boolean {
  return lookup.order === 'asc' ? one.most < other.least : one.least > other.most
}

const areEqual = (one: Row, other: Row): boolean =>
  one === other || Object.keys(other).every((field) => one[field] === other[field])
