import type { Lookup, Row } from './rows.ts'

/** The steps of a write, with times of the machine. */
export interface WriteSteps {
  /** When the fence was requested; undefined for an unfenced write. */
  readonly fencedAt: number | undefined
  /** When the database had answered or failed. */
  readonly committedAt: number
  /** When the invalidation was over; undefined for a process that was killed before. */
  readonly releasedAt: number | undefined
  /** Whether the store took the invalidation. */
  readonly isReleased: boolean
}

/** A transaction, as the process that ran it reports it. */
export interface Write extends WriteSteps {
  /** The label that its statements give to rows which have one. */
  readonly tag: string
  /** The versions that its results name, by id. */
  readonly versions: readonly (readonly [id: string, version: number])[]
  /** Rows that it deletes, as far as its arguments name them. */
  readonly deleted: readonly string[]
  /** How many rows it has written, as far as its results say. */
  readonly written: number
}

/** A transaction that may have been committed, or may be yet. */
export interface UnknownEnd extends WriteSteps {
  /** The rows that it may have written; undefined if these are not known. */
  readonly ids: readonly string[] | undefined
  readonly releasedAt: number
}

/** A version that was in the database at a moment, or a row that no longer was. */
export interface Sighting {
  readonly id: string
  readonly version: number | 'gone'
  readonly at: number
}

/** What one lookup has answered for one key. */
export interface Read {
  readonly pod: number
  readonly lookup: Lookup
  readonly key: string
  readonly start: number
  readonly end: number
  readonly rows: readonly Row[]
}

/** A {@link Read} in a report: its lookup by the place in the list of all. */
export type Answer = readonly [lookup: number, key: string, start: number, end: number, rows: readonly Row[]]

/** What a process reports of its work. */
export type WorkReport =
  | { readonly kind: 'wrote'; readonly write: Write }
  | { readonly kind: 'unknownEnd'; readonly write: UnknownEnd }
  /** The store has taken all invalidations of this process. */
  | { readonly kind: 'caughtUp'; readonly at: number }
  /** `counts` of events by name, since the last report. */
  | {
      readonly kind: 'read'
      readonly answers: readonly Answer[]
      readonly counts: Readonly<Record<string, number>>
    }

type OfPod<T> = T & { readonly pod: number }

/** The versions that each writer has written and each reader has read, with their times. */
export class History {
  readonly #lookups: readonly Lookup[]
  /** Confirmed writes. */
  readonly writes: OfPod<Write>[] = []
  readonly unknownEnds: OfPod<UnknownEnd>[] = []
  /** In order of time. */
  readonly sightings: Sighting[] = []
  readonly reads: Read[] = []
  /** Moments at which the store had taken all invalidations of a pod, by pod. */
  readonly caughtUp = new Map<number, number[]>()
  readonly counts: Record<string, number> = {}
  /** Equal rows are kept once. */
  readonly #known = new Map<string, Row>()

  /** @param lookups which answers name by their places */
  constructor(lookups: readonly Lookup[]) {
    this.#lookups = lookups
  }

  add(pod: number, report: WorkReport): void {
    if (report.kind === 'wrote') this.writes.push({ pod, ...report.write })
    else if (report.kind === 'unknownEnd') this.unknownEnds.push({ pod, ...report.write })
    else if (report.kind === 'caughtUp')
      this.caughtUp.set(pod, [...(this.caughtUp.get(pod) ?? []), report.at])
    else {
      this.addAnswers(pod, report.answers)
      for (const [name, times] of Object.entries(report.counts))
        this.counts[name] = (this.counts[name] ?? 0) + times
    }
  }

  addAnswers(pod: number, answers: readonly Answer[]): void {
    for (const [lookup, key, start, end, rows] of answers)
      this.reads.push({ pod, lookup: this.#lookups[lookup]!, key, start, end, rows: rows.map(this.#keep) })
  }

  /** With the reads of now alone: others may show versions that are not recorded yet. */
  untilNow(): History {
    const now = new History(this.#lookups)
    return Object.assign(now, { ...this, reads: [...this.reads] })
  }

  readonly #keep = (row: Row): Row => {
    const text = JSON.stringify(row)
    const known = this.#known.get(text)
    if (!known) this.#known.set(text, row)
    return known ?? row
  }
}
