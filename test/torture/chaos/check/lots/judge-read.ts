import { keyOf } from '../../lots/lookups.ts'
import type { Lot } from '../../lots/lot.ts'
import type { LotRead } from './lot-log.ts'
import type { Timeline, Timelines } from './timelines.ts'

/** From which version on a read has to know each row. */
export interface Floors {
  /** The least version in which a row may be shown. */
  row(read: LotRead, id: string): number
  /** Whether the lookup has to know that this version entered one of its keys, left one, or changed its order. */
  knowsMove(read: LotRead, id: string, version: number): boolean
}

export type Wrong = 'missing' | 'extra' | 'outOfOrder' | 'stale'

/** How an answer differs from every allowed one. */
export interface Verdict {
  readonly wrong: Wrong
  readonly id: string
  /** The version that the answer should know. */
  readonly expected: number
}

/**
 * Compares an answer with all that are allowed. Writes during the read may be seen or not, each by itself: it is no snapshot.
 *
 * @returns undefined if it is allowed
 */
export function judgeRead(read: LotRead, timelines: Timelines, floors: Floors): Verdict | undefined {
  return findWrongRow(read, timelines, floors) ?? findWrongList(read, timelines, floors)
}

/** Rows are read by themselves, after the list: each shows a version that it may have and belongs to the key in it. */
function findWrongRow(read: LotRead, timelines: Timelines, floors: Floors): Verdict | undefined {
  const { key, lookup, lots, end } = read
  const ids = new Set<string>()
  for (const lot of lots) {
    const { id, version } = lot
    const timeline = timelines.get(id)
    const truth = timeline?.lotAt(version)
    if (!timeline || !truth || ids.has(id)) return { wrong: 'extra', id, expected: version }
    ids.add(id)
    if (!areEqual(lot, truth)) return { wrong: 'stale', id, expected: version }
    const expected = floors.row(read, id)
    if (version < expected) {
      const mayBelong = someVersion(
        timeline,
        [expected, timeline.lastBy(end)],
        (one) => keyOf(lookup, one) === key,
      )
      return { wrong: mayBelong ? 'stale' : 'extra', id, expected }
    }
    if (keyOf(lookup, truth) !== key) return { wrong: 'extra', id, expected: version }
  }
  return undefined
}

/** Members and order are those of one moment, which the lookup may have remembered from before the read. */
function findWrongList(read: LotRead, timelines: Timelines, floors: Floors): Verdict | undefined {
  const { key, lookup, lots, end } = read
  const shown = lots.map(({ id }) => remembered(read, timelines.get(id)!, floors))
  const ids = new Set(lots.map(({ id }) => id))
  const isFull = lookup.limit !== undefined && lots.length >= lookup.limit
  for (const id of timelines.everIn(lookup, key)) {
    if (ids.has(id)) continue
    const timeline = timelines.get(id)!
    // The cheap test first: most rows that have ever been in the list have left it.
    if (keyOf(lookup, timeline.lotAt(timeline.lastBy(end))) !== key) continue
    const row = remembered(read, timeline, floors)
    if (!row.isAlwaysIn) continue
    if (!isFull || shown.some((other) => isAlwaysBefore(read, row, other)))
      return { wrong: 'missing', id, expected: row.from }
  }
  for (const [i, row] of shown.entries()) {
    for (const later of shown.slice(i + 1)) {
      if (isAlwaysBefore(read, later, row))
        return { wrong: 'outOfOrder', id: later.id, expected: Math.max(later.from, 0) }
    }
  }
  return undefined
}

/** The versions in which the lookup may remember a row. */
export interface Remembered {
  readonly id: string
  readonly from: number
  readonly last: number
  readonly isAlwaysIn: boolean
  /** Of all versions that are in the list. */
  readonly least: number
  readonly most: number
}

export function remembered(read: LotRead, timeline: Timeline, floors: Floors): Remembered {
  const { key, lookup, end } = read
  const { id } = timeline.versions[0]!
  const last = timeline.lastBy(end)
  const from =
    timeline.movesIn(lookup).find((version) => version <= last && floors.knowsMove(read, id, version)) ?? 0
  let isAlwaysIn = true
  let [least, most] = [Infinity, -Infinity]
  for (let version = from; version <= last; version++) {
    const lot = timeline.lotAt(version)
    if (keyOf(lookup, lot) !== key) isAlwaysIn = false
    else {
      least = Math.min(least, lot!.sortOrder)
      most = Math.max(most, lot!.sortOrder)
    }
  }
  return { id, from, last, isAlwaysIn, least, most }
}

/** Whether one row precedes another in all versions that may be remembered. The order of equal ones is that of ids in the database. */
function isAlwaysBefore({ lookup }: LotRead, one: Remembered, other: Remembered): boolean {
  if (lookup.order === undefined) return false
  return lookup.order === 'asc' ? one.most < other.least : one.least > other.most
}

function someVersion(
  timeline: Timeline,
  [from, to]: readonly [number, number],
  holds: (lot: Lot | null) => boolean,
): boolean {
  for (let version = from; version <= to; version++) if (holds(timeline.lotAt(version))) return true
  return false
}

const areEqual = (one: Lot, other: Lot): boolean =>
  one.fundraiserId === other.fundraiserId &&
  one.lot === other.lot &&
  one.sortOrder === other.sortOrder &&
  one.status === other.status
