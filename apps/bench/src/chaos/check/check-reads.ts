import { Floor } from './floor.ts'
import type { History, Read } from './history.ts'
import { promisedOf, type Circumstances } from './promises.ts'

/** A read that gave less than was promised. */
export interface Violation extends Read {
  readonly kind: 'own' | 'all' | 'backInTime'
  /** The least that it should have given. */
  readonly expected: number
}

export interface Checked {
  readonly violations: readonly Violation[]
  /** Reads of other pods that gave less than a write that had returned, but was not promised to them yet. */
  readonly behindUntold: number
  /** How long after the return of such a write one of them began, at most. */
  readonly longestBehindMs: number
  /** Writes that were not promised to other pods when they returned. */
  readonly untoldWrites: number
}

/** Compares each read with what was promised when it began. */
export function checkReads(history: History, circumstances: Circumstances): Checked {
  const floors = new Floors(history, circumstances)
  const violations: Violation[] = []
  let behindUntold = 0
  let longestBehindMs = 0
  for (const read of history.reads()) {
    const { pod, row, revision, start } = read
    const own = floors.own(pod, row).at(start)
    const all = floors.all(row).at(start)
    if (revision < own) violations.push({ ...read, kind: 'own', expected: own })
    else if (revision < all) violations.push({ ...read, kind: 'all', expected: all })
    else if (revision < floors.returned(row).at(start)) {
      behindUntold++
      longestBehindMs = Math.max(longestBehindMs, start - floors.returnOf(row, revision + 1))
    }
  }
  violations.push(...backInTime(history.reads(), floors))
  return { violations, behindUntold, longestBehindMs, untoldWrites: floors.untoldWrites }
}

/** Reads of a pod that gave less than one of the same pod that was over when they began. */
function backInTime(reads: Iterable<Read>, floors: Floors): Violation[] {
  const violations: Violation[] = []
  for (const ofPod of Map.groupBy(reads, ({ pod }) => pod).values()) {
    for (const ofRow of Map.groupBy(ofPod, ({ row }) => row).values()) {
      const seen = new Floor()
      for (const { row, revision, end } of ofRow) seen.add(end, floors.fencedUpTo(row, revision))
      for (const read of ofRow) {
        const expected = seen.at(read.start)
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
  /** When the write of a revision had returned. */
  readonly #returns = new Map<string, number>()
  /** By row: revisions that all pods see from their commit on. */
  readonly #fenced = new Map<number, Set<number>>()
  untoldWrites = 0

  constructor({ writes }: History, circumstances: Circumstances) {
    for (const write of writes) {
      const { byWriter, byAll, isFenced } = promisedOf(write, circumstances)
      const returnedAt = write.settledAt ?? write.committedAt
      if (byAll > returnedAt + circumstances.hearingMs) this.untoldWrites++
      for (const [row, revision] of write.revisions) {
        this.own(write.pod, row).add(byWriter, revision)
        this.all(row).add(byAll, revision)
        this.returned(row).add(returnedAt, revision)
        this.#returns.set(`${row} ${revision}`, returnedAt)
        if (isFenced) entryOf(this.#fenced, row, () => new Set<number>()).add(revision)
      }
    }
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

  /** The highest revision up to one that no pod may fall behind that has seen the latter. */
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
