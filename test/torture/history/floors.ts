import { FloorsByName } from './floor.ts'
import type { History, Read } from './history.ts'
import { remembered, type Floors } from './judge-read.ts'
import type { Circumstances, Promises } from './promises.ts'
import { keyOf } from './rows.ts'
import type { Timelines } from './timelines.ts'

/** What reads have to know because of the writes that had returned when they began. */
export class PromisedFloors implements Floors {
  readonly #promises: Promises
  readonly #hearingMs: number
  readonly #own = new FloorsByName()
  readonly #all = new FloorsByName()

  constructor(timelines: Timelines, history: History, promises: Promises, { hearingMs }: Circumstances) {
    this.#promises = promises
    this.#hearingMs = hearingMs
    for (const { versions } of timelines.all()) {
      for (const { id, version } of versions) {
        const { byAll, byWriter, pod } = promises.of(id, version)
        this.#all.of(id).add(byAll, version)
        if (pod !== undefined) this.#own.of(`${pod} ${id}`).add(byWriter, version)
      }
    }
    for (const { id, version, at } of history.sightings) {
      const last = timelines.get(id)?.last
      if (last === undefined) continue
      this.#all.of(id).add(at + hearingMs, promises.fencedUpTo(id, version === 'gone' ? last : version))
    }
  }

  row({ pod, start }: Read, id: string): number {
    return Math.max(this.#all.at(id, start), this.#own.at(`${pod} ${id}`, start))
  }

  /** A later version that has to be known does not imply this one, if only this one moved the row and had no fence. */
  knowsMove({ pod, start }: Read, id: string, version: number): boolean {
    const move = this.#promises.of(id, version)
    if (move.byAll < start || (move.pod === pod && move.byWriter < start)) return true
    if (!move.isFenced) return false
    const own = this.#hearingMs === 0 ? this.#own.at(`${pod} ${id}`, start) : 0
    return version <= Math.max(own, this.#all.at(id, start))
  }
}

/**
 * What reads have to know because an earlier read of the same pod did. A pod with an L1 may see a row in one of its lookups before it
 * hears of the write in another.
 */
export class SeenFloors implements Floors {
  readonly #promises: Promises
  readonly #hearingMs: number
  readonly #byKey = new FloorsByName()
  readonly #byAny = new FloorsByName()

  constructor(
    timelines: Timelines,
    { reads }: History,
    promises: Promises,
    promised: Floors,
    { hearingMs }: Circumstances,
  ) {
    this.#promises = promises
    this.#hearingMs = hearingMs
    for (const read of reads) {
      for (const { id, version } of read.rows) if (timelines.get(id)) this.#add(read, id, version)
      for (const [id, version] of leftBefore(read, timelines, promised)) this.#add(read, id, version)
    }
  }

  row(read: Read, id: string): number {
    return Math.max(this.#byKey.at(keyTextOf(read, id), read.start), this.#byAnyKey(read, id))
  }

  knowsMove(read: Read, id: string, version: number): boolean {
    return this.#promises.of(id, version).isFenced && version <= this.#byAnyKey(read, id)
  }

  #add(read: Read, id: string, version: number): void {
    const fenced = this.#promises.fencedUpTo(id, version)
    this.#byKey.of(keyTextOf(read, id)).add(read.end, fenced)
    this.#byAny.of(`${read.pod} ${id}`).add(read.end + this.#hearingMs, fenced)
  }

  #byAnyKey({ pod, start }: Read, id: string): number {
    return this.#byAny.at(`${pod} ${id}`, start)
  }
}

/** Rows that an answer lacks, with the first version that explains it. Earlier ones have been sighted, so that they are promised. */
function* leftBefore(
  read: Read,
  timelines: Timelines,
  promised: Floors,
): Generator<readonly [id: string, version: number]> {
  const { key, lookup, rows, start } = read
  if (lookup.limit !== undefined) return
  for (const id of timelines.everIn(lookup, key)) {
    if (rows.some((row) => row.id === id)) continue
    const timeline = timelines.get(id)!
    const { from, last } = remembered(read, timeline, promised)
    if (timeline.versions[last]!.from < start - SIGHTED_MS) continue
    for (let version = from; version <= last; version++) {
      if (keyOf(lookup, timeline.rowAt(version)) === key) continue
      yield [id, version]
      break
    }
  }
}

/** A version is sighted within this time, unless the next one comes before. */
const SIGHTED_MS = 5_000

/** At rest all reads know all. */
export const floorsAtRest = (timelines: Timelines): Floors => ({
  row: (_, id) => timelines.get(id)!.last,
  knowsMove: () => true,
})

const keyTextOf = ({ pod, lookup, key }: Read, id: string): string => `${pod} ${lookup.name} ${key} ${id}`
