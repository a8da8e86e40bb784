import { Floor } from './floor.ts'
import type { History, Read } from './history.ts'
import { promisedOf, type Circumstances } from './promises.ts'
import { unconfirmedRevisions } from './unconfirmed.ts'

/** A read that returned an older revision than promised. */
export interface Violation extends Read {
  readonly kind: 'own' | 'all' | 'backInTime'
  /** The least revision that it should have returned. */
  readonly expected: number
}

export interface Checked {
  readonly violations: readonly Violation[]
  /** Reads of other pods behind a write that had returned, but was not promised to them yet. */
  readonly behindLate: number
  /** Longest time between the return of such a write and one of these reads. */
  readonly longestBehindMs: number
  /** Writes that were not promised to other pods when they returned. */
  readonly lateWrites: number
}

/** Compares each read with the promises at its start. */
export function checkReads(history: History, circumstances: Circumstances): Checked {
  const floors = new Floors(history, circumstances)
  const violations: Violation[] = []
  let behindLate = 0
  let longestBehindMs = 0
  for (const read of history.reads()) {
    const { pod, row, revision, start } = read
    const own = floors.own(pod, row).at(start)
    const all = floors.all(row).at(start)
    if (revision < own) violations.push({ ...read, kind: 'own', expected: own })
    else if (revision < all) violations.push({ ...read, kind: 'all', expected: all })
    else if (revision < floors.returned(row).at(start)) {
      behindLate++
      longestBehindMs = Math.max(longestBehindMs, start - floors.returnOf(row, revision + 1))
    }
  }
  violations.push(...backInTime(history.reads(), floors, circumstances))
  return { violations, behindLate, longestBehindMs, lateWrites: floors.lateWrites }
}

/**
 * Reads that returned an older revision than an earlier read of the same pod. Of another cache of that pod, only if its L1
 * has had the time to hear of the write.
 */
function backInTime(
  reads: Iterable<Read>,
  floors: Floors,
  { hearingMs }: Pick<Circumstances, 'hearingMs'>,
): Violation[] {
  const violations: Violation[] = []
  for (const ofPod of Map.groupBy(reads, ({ pod }) => pod).values()) {
    for (const ofRow of Map.groupBy(ofPod, ({ row }) => row).values()) {
      const seenByAny = new Floor()
      const seenBy = new Map<number, Floor>()
      for (const { cache, row, revision, end } of ofRow) {
        const fenced = floors.fencedUpTo(row, revision)
        seenByAny.add(end + hearingMs, fenced)
        entryOf(seenBy, cache, () => new Floor()).add(end, fenced)
      }
      for (const read of ofRow) {
        const expected = Math.max(seenByAny.at(read.start), seenBy.get(read.cache)!.at(read.start))
        if (read.revision < expected) violations.push({ ...read, kind: 'backInTime', expected })
      }
    }
  }
  return violations
}

class Floors {
  readonly #own = new Map<string, Floor>()
  readonly #all = new Map<number, Floor>()
  readonly #returned = new Map<number, Floor>()
  /** When the write of a revision returned. */
  readonly #returns = new Map<string, number>()
  /** Revisions that all pods see from their commit on, by row. */
  readonly #fenced = new Map<number, Set<number>>()
  lateWrites = 0

  constructor(history: History, circumstances: Circumstances) {
    for (const write of history.writes) {
      const { byWriter, byAll, isFenced } = promisedOf(write, circumstances)
      const returnedAt = write.releasedAt ?? write.committedAt
      if (byAll > returnedAt + circumstances.hearingMs) this.lateWrites++
      for (const [row, revision] of write.revisions) {
        this.own(write.pod, row).add(byWriter, revision)
        this.all(row).add(byAll, revision)
        this.returned(row).add(returnedAt, revision)
        this.#returns.set(`${row} ${revision}`, returnedAt)
        if (isFenced) this.#addFenced(row, revision)
      }
    }
    for (const [row, revision] of unconfirmedRevisions(history, circumstances)) this.#addFenced(row, revision)
    for (const { row, revision, at } of history.sightings)
      this.all(row).add(at + circumstances.hearingMs, this.fencedUpTo(row, revision))
  }

  #addFenced(row: number, revision: number): void {
    entryOf(this.#fenced, row, () => new Set<number>()).add(revision)
  }

  own(pod: number, row: number): Floor {
    return entryOf(this.#own, `${pod} ${row}`, () => new Floor())
  }

  all(row: number): Floor {
    return entryOf(this.#all, row, () => new Floor())
  }

  returned(row: number): Floor {
    return entryOf(this.#returned, row, () => new Floor())
  }

  returnOf(row: number, revision: number): number {
    return this.#returns.get(`${row} ${revision}`) ?? Infinity
  }

  /** The highest revision, up to this one, that no pod may fall behind once it has seen this one. */
  fencedUpTo(row: number, revision: number): number {
    const fenced = this.#fenced.get(row)
    let found = revision
    while (found > 0 && !fenced?.has(found)) found--
    return Math.max(found, 0)
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}
