import { CommittedFloors, type ReadSince } from '../history/committed.ts'
import { judgeRead } from '../history/judge-read.ts'
import { type Lookup, type Row, textOf, type Version } from '../history/rows.ts'
import { Timelines } from '../history/timelines.ts'
import { cityName, cityOf, numbers, userId } from '../users.ts'

export const ROWS = 2_000
export const CITIES = 100

/** A transaction outside Prisma, by the machine's clock. */
export interface Written {
  readonly beganAt: number
  /** When COMMIT had been answered; if its answer was lost, when the new versions were seen. */
  readonly committedAt: number
  readonly rows: readonly number[]
  /** Of each row the version before and one. */
  readonly versions: readonly number[]
}

/** What a reader has read in one call, and the last report of the follower when the read began. */
export interface ReaderCall {
  readonly at: number
  readonly endedAt: number
  /** The lag in the last report, and the age of that report; undefined where there was none, so that the read bypassed the cache. */
  readonly report: { readonly lagMs: number; readonly ageMs: number } | undefined
  /** The city of a list; undefined for reads by id. */
  readonly city?: number
  readonly rows: readonly number[]
  /** -1 for a row that was not found. */
  readonly versions: readonly number[]
}

const byId: Lookup = { name: 'id', by: ['id'] }
const ofCity: Lookup = { name: 'ofCity', by: ['city'] }

/** Versions of the database begin with 0, those of a history with 1. */
const rowAt = (row: number, version: number): Row => ({
  id: userId(row),
  version: version + 1,
  city: cityName(cityOf(row, version, CITIES)),
})

/** All versions of all rows, and when they were written. */
export class WrittenRows {
  readonly #versions: Version[] = []
  readonly floors = new CommittedFloors()
  /** By row and version. */
  readonly #committedAt = numbers(ROWS).map((): number[] => [])

  constructor() {
    for (const row of numbers(ROWS)) this.#add(row, -Infinity, -Infinity)
  }

  get timelines(): Timelines {
    return new Timelines(this.#versions)
  }

  /** @throws when versions are missing */
  add(written: readonly Written[]): void {
    for (const { beganAt, committedAt, rows, versions } of written.toSorted((a, b) => a.beganAt - b.beganAt))
      for (const [i, row] of rows.entries()) {
        const version = this.#add(row, beganAt, committedAt)
        if (version !== versions[i]) throw new Error(`Version ${version} of row ${row} is missing.`)
      }
  }

  /** The newest version whose COMMIT had been answered. */
  committedBy(row: number, at: number): number {
    return this.floors.by(at, userId(row)) - 1
  }

  /** How long ago this version was replaced; 0 if it was the newest. */
  behindMs(row: number, version: number, at: number): number {
    return Math.max(0, at - (this.#committedAt[row]![version + 1] ?? Infinity))
  }

  #add(row: number, from: number, committedAt: number): number {
    const version = this.#committedAt[row]!.push(committedAt) - 1
    const state = rowAt(row, version)
    this.#versions.push({ id: state.id, version: state.version, row: state, from })
    this.floors.add(state.id, state.version, committedAt)
    return version
  }
}

export interface Judgement {
  /** Calls that were judged. */
  readonly reads: number
  readonly bypassed: number
  /** Reads of what had been replaced longer ago than is allowed. */
  readonly stale: number
  /** The longest time for which a read was behind a COMMIT. */
  readonly longestBehindMs: number
  /** How much of it at most exceeds the lag and the age of the report of the reader. */
  readonly longestUnreportedMs: number
}

/** @param allowedMs how far a read may be behind, by the last report that its reader received */
export function judgeReads(
  written: WrittenRows,
  calls: readonly ReaderCall[],
  allowedMs: (report: NonNullable<ReaderCall['report']>) => number,
): Judgement {
  const { timelines } = written
  let [longestBehindMs, longestUnreportedMs] = [0, 0]
  let [stale, bypassed] = [0, 0]
  for (const call of calls) {
    const { at, report, rows, versions } = call
    if (!report) bypassed++
    const lateMs = Math.max(
      ...rows.map((row, i) => (versions[i]! < 0 ? 0 : written.behindMs(row, versions[i]!, at))),
      0,
    )
    longestBehindMs = Math.max(longestBehindMs, lateMs)
    longestUnreportedMs = Math.max(longestUnreportedMs, lateMs - (report ? report.lagMs + report.ageMs : 0))
    const floorAt = at - (report ? allowedMs(report) : 0)
    if (readsOf(call, floorAt).some((read) => judgeRead(read, timelines, written.floors))) stale++
  }
  return { reads: calls.length, bypassed, stale, longestBehindMs, longestUnreportedMs }
}

/** How many of the rows, or lists, differ from what had been committed. */
export function countStale(written: WrittenRows, calls: readonly ReaderCall[]): number {
  const { timelines } = written
  const reads = calls.flatMap((call) => readsOf(call, call.at))
  return reads.filter((read) => judgeRead(read, timelines, written.floors)).length
}

/** A list, or each row by its id. */
function readsOf({ at, city, endedAt, rows, versions }: ReaderCall, floorAt: number): ReadSince[] {
  const found = rows.map((row, i) => (versions[i]! < 0 ? [] : [rowAt(row, versions[i]!)]))
  const common = { pod: 0, start: at, end: endedAt, floorAt }
  if (city !== undefined)
    return [{ ...common, lookup: ofCity, key: textOf([cityName(city)]), rows: found.flat() }]
  return rows.map((row, i) => ({ ...common, lookup: byId, key: userId(row), rows: found[i]! }))
}
