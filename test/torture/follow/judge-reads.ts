import { CommittedFloors, type ReadSince } from '../history/floors.ts'
import type { Answer } from '../history/history.ts'
import { judgeRead } from '../history/judge-read.ts'
import type { Lookup, Row, Version } from '../history/rows.ts'
import { Timelines } from '../history/timelines.ts'
import { cityName, cityOf, numbers, userId, type UserVersion } from '../users.ts'

export const ROWS = 2_000
export const CITIES = 100

/** How often a follower reports, and after which silence nobody follows: docs/follow.md. */
export const HEARTBEAT_MS = 500
export const SILENCE_MS = 2_500
/** A process that receives no messages uses its memory no longer: docs/consistency.md. */
export const MEMORY_MS = 2_000

/** By which readers find rows. */
export const lookups: readonly Lookup[] = [
  { name: 'id', by: ['id'] },
  { name: 'ofCity', by: ['city'] },
]

/** A transaction outside Prisma, by the machine's clock. */
export interface Written {
  readonly beganAt: number
  /** When COMMIT had been answered; if its answer was lost, when the new versions were seen. */
  readonly committedAt: number
  readonly rows: readonly number[]
  /** Of each row the version before and one. */
  readonly versions: readonly number[]
  /** Whether its region has to see it from then on. */
  readonly isPromised?: boolean
}

/** What a reader has read in one call, and the last report of the follower when the call began. */
export interface ReaderCall {
  readonly at: number
  /** The lag in the last report, and the age of that report; undefined where there was none, so that the read bypassed the cache. */
  readonly report: { readonly lagMs: number; readonly ageMs: number } | undefined
  readonly answers: readonly Answer[]
}

export const userAt = (row: number, version: number): UserVersion => ({
  id: userId(row),
  rating: version,
  city: cityName(cityOf(row, version, CITIES)),
  email: `${userId(row)}@example.org`,
})

/** Versions of the database begin with 0, those of a history with 1. */
export const rowOf = ({ city, id, rating }: Omit<UserVersion, 'email'>): Row => ({
  id,
  version: rating + 1,
  city,
})
export const rowAt = (row: number, version: number): Row => rowOf(userAt(row, version))

/** All versions of all rows, and when they were written. */
export class WrittenRows {
  readonly #versions: Version[] = []
  readonly floors = new CommittedFloors()
  /** By id and version. */
  readonly #committedAt = new Map<string, number[]>()

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

  /** How long ago this version was replaced; 0 if it was the newest. */
  behindMs({ id, version }: Row, at: number): number {
    return Math.max(0, at - (this.#committedAt.get(id)![version] ?? Infinity))
  }

  #add(row: number, from: number, committedAt: number): number {
    const times = this.#committedAt.get(userId(row)) ?? []
    this.#committedAt.set(userId(row), times)
    const version = times.push(committedAt) - 1
    const state = rowAt(row, version)
    this.#versions.push({ id: state.id, version: state.version, row: state, from })
    this.floors.add(state.id, state.version, committedAt)
    return version
  }
}

/**
 * Counts reads of what had been replaced longer ago than is allowed, and finds the longest time for which a read was behind a COMMIT.
 *
 * @param allowedMs how far a read may be behind, by the last report that its reader received
 */
export function judgeReads(
  written: WrittenRows,
  calls: readonly ReaderCall[],
  allowedMs: (report: NonNullable<ReaderCall['report']>) => number,
) {
  const { timelines } = written
  let [longestBehindMs, stale, bypassed] = [0, 0, 0]
  for (const call of calls) {
    const { answers, at, report } = call
    if (!report) bypassed++
    const behindMs = answers.flatMap(([, , , , rows]) => rows.map((row) => written.behindMs(row, at)))
    longestBehindMs = Math.max(longestBehindMs, ...behindMs)
    const reads = readsOf(call, at - (report ? allowedMs(report) : 0))
    if (reads.some((read) => judgeRead(read, timelines, written.floors))) stale++
  }
  return { reads: calls.length, bypassed, stale, longestBehindMs }
}

/** How many of the rows, or lists, differ from what had been committed. */
export function countStale(written: WrittenRows, calls: readonly ReaderCall[]): number {
  const { timelines } = written
  const reads = calls.flatMap((call) => readsOf(call, call.at))
  return reads.filter((read) => judgeRead(read, timelines, written.floors)).length
}

export const readsOf = ({ answers }: ReaderCall, floorAt: number): ReadSince[] =>
  answers.map(([lookup, key, start, end, rows]) => ({
    pod: 0,
    lookup: lookups[lookup]!,
    key,
    start,
    end,
    rows,
    floorAt,
  }))
