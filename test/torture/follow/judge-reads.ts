import { cityOf, ROWS, rowsOfCity } from './rows.ts'

/** A transaction past Prisma, by the machine's clock. */
export interface Written {
  readonly beganAt: number
  /** When COMMIT had been answered; if its answer was lost, when the new versions were seen. */
  readonly committedAt: number
  readonly rows: readonly number[]
  /** Of each row the version before and one. */
  readonly versions: readonly number[]
}

/** What a reader has read, and the last report of the follower when the read began. */
export interface Read {
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

/** All versions of all rows, and when they were written. */
export class History {
  /** By row and version; each row has version 0 from the start. */
  readonly #beganAt = Array.from({ length: ROWS }, () => [-Infinity])
  readonly #committedAt = Array.from({ length: ROWS }, () => [-Infinity])

  /** @throws when versions are missing */
  add(written: readonly Written[]): void {
    for (const { beganAt, committedAt, rows, versions } of written.toSorted((a, b) => a.beganAt - b.beganAt))
      for (const [i, row] of rows.entries()) {
        const version = this.#committedAt[row]!.push(committedAt) - 1
        if (version !== versions[i]) throw new Error(`Version ${version} of row ${row} is missing.`)
        this.#beganAt[row]!.push(beganAt)
      }
  }

  /** The newest version whose COMMIT had been answered. */
  committedBy(row: number, at: number): number {
    return lastUpTo(this.#committedAt[row]!, at)
  }

  /** The newest version that may have been visible. */
  begunBy(row: number, at: number): number {
    return lastUpTo(this.#beganAt[row]!, at)
  }

  /** How long ago this version was replaced; 0 if it was the newest. */
  behindMs(row: number, version: number, at: number): number {
    return Math.max(0, at - (this.#committedAt[row]![version + 1] ?? Infinity))
  }
}

/** The last place of a sorted list whose value is no higher. */
function lastUpTo(sorted: readonly number[], most: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sorted[middle]! <= most) low = middle
    else high = middle - 1
  }
  return low
}

export interface Judgement {
  /** Rows and lists that were read. */
  readonly reads: number
  readonly bypassed: number
  /** Reads of what had been replaced longer ago than is allowed. */
  readonly stale: number
  /** The longest time for which a read was behind a COMMIT. */
  readonly longestBehindMs: number
  /** How much of it at most exceeds the lag and the age of the report of the reader. */
  readonly longestUnreportedMs: number
}

const rowsByCity = new Map<number, readonly number[]>()

/** @param allowedMs how far a read may be behind, by the last report that its reader received */
export function judgeReads(
  history: History,
  reads: readonly Read[],
  allowedMs: (report: NonNullable<Read['report']>) => number,
): Judgement {
  const [behind, unreported] = [[0], [0]]
  let [stale, bypassed] = [0, 0]
  for (const read of reads) {
    const { at, report } = read
    const floor = at - (report ? allowedMs(report) : 0)
    if (!report) bypassed++
    const lateMs = Math.max(
      ...read.rows.map((row, i) =>
        read.versions[i]! < 0 ? 0 : history.behindMs(row, read.versions[i]!, at),
      ),
      0,
    )
    behind.push(lateMs)
    unreported.push(lateMs - (report ? report.lagMs + report.ageMs : 0))
    const isOld = read.rows.some((row, i) => read.versions[i]! < history.committedBy(row, floor))
    if (isOld || (read.city !== undefined && hasWrongRows(history, read, read.city, floor))) stale++
  }
  return {
    reads: reads.length,
    bypassed,
    stale,
    longestBehindMs: highest(behind),
    longestUnreportedMs: highest(unreported),
  }
}

/** Whether a list lacks a row that has been in the city for long, or has one that never was in it with these values. */
function hasWrongRows(
  history: History,
  { endedAt, rows, versions }: Read,
  city: number,
  floor: number,
): boolean {
  const found = new Set(rows)
  const all = rowsByCity.get(city) ?? rowsOfCity(city)
  rowsByCity.set(city, all)
  return (
    rows.some((row, i) => cityOf(row, versions[i]!) !== city) ||
    all.some((row) => {
      if (found.has(row)) return false
      const [first, last] = [history.committedBy(row, floor), history.begunBy(row, endedAt)]
      for (let version = first; version <= last; version++) if (cityOf(row, version) !== city) return false
      return true
    })
  )
}

const highest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0)
