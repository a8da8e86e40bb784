import { keyOf } from '../../lots/lookups.ts'
import { Floor } from '../floor.ts'
import type { Circumstances } from '../promises.ts'
import { remembered, type Floors } from './judge-read.ts'
import type { LotLog, LotRead } from './lot-log.ts'
import type { LotPromises, PromisedVersion } from './lot-promises.ts'
import type { Timelines } from './timelines.ts'

/** What reads have to know because of the writes that had returned when they began. */
export class PromisedFloors implements Floors {
  readonly #promises: LotPromises
  readonly #hearingMs: number
  readonly #own = new Map<string, Floor>()
  readonly #all = new Map<string, Floor>()

  constructor(timelines: Timelines, log: LotLog, promises: LotPromises, { hearingMs }: Circumstances) {
    this.#promises = promises
    this.#hearingMs = hearingMs
    for (const { versions } of timelines.all()) {
      for (const { id, version } of versions) {
        const { byAll, byWriter, pod } = promises.of(id, version)
        floorOf(this.#all, id).add(byAll, version)
        if (pod !== undefined) floorOf(this.#own, `${pod} ${id}`).add(byWriter, version)
      }
    }
    for (const { id, version, at } of log.sightings) {
      const last = timelines.get(id)!.last
      floorOf(this.#all, id).add(at + hearingMs, promises.fencedUpTo(id, version === 'gone' ? last : version))
    }
  }

  row({ pod, start }: LotRead, id: string): number {
    return Math.max(this.#all.get(id)!.at(start), this.#own.get(`${pod} ${id}`)?.at(start) ?? 0)
  }

  /** A later version that has to be known does not imply this one, if only this one moved the row and had no fence. */
  knowsMove({ pod, start }: LotRead, id: string, version: number): boolean {
    const move: PromisedVersion = this.#promises.of(id, version)
    if (move.byAll < start || (move.pod === pod && move.byWriter < start)) return true
    if (!move.isFenced) return false
    const own = this.#hearingMs === 0 ? (this.#own.get(`${pod} ${id}`)?.at(start) ?? 0) : 0
    return version <= Math.max(own, this.#all.get(id)!.at(start))
  }
}

/**
 * What reads have to know because an earlier read of the same pod did. A pod with an L1 may see a row in one of its lookups before it
 * hears of the write in another.
 */
export class SeenFloors implements Floors {
  readonly #promises: LotPromises
  readonly #hearingMs: number
  readonly #byKey = new Map<string, Floor>()
  readonly #byAny = new Map<string, Floor>()

  constructor(
    timelines: Timelines,
    { reads }: LotLog,
    promises: LotPromises,
    promised: Floors,
    { hearingMs }: Pick<Circumstances, 'hearingMs'>,
  ) {
    this.#promises = promises
    this.#hearingMs = hearingMs
    for (const read of reads) {
      for (const { id, version } of read.lots) if (timelines.get(id)) this.#add(read, id, version)
      for (const [id, version] of leftBefore(read, timelines, promised)) this.#add(read, id, version)
    }
  }

  row(read: LotRead, id: string): number {
    const { start } = read
    return Math.max(this.#byKey.get(keyTextOf(read, id))?.at(start) ?? 0, this.#byAnyKey(read, id))
  }

  knowsMove(read: LotRead, id: string, version: number): boolean {
    return this.#promises.of(id, version).isFenced && version <= this.#byAnyKey(read, id)
  }

  #add(read: LotRead, id: string, version: number): void {
    const fenced = this.#promises.fencedUpTo(id, version)
    floorOf(this.#byKey, keyTextOf(read, id)).add(read.end, fenced)
    floorOf(this.#byAny, `${read.pod} ${id}`).add(read.end + this.#hearingMs, fenced)
  }

  #byAnyKey({ pod, start }: LotRead, id: string): number {
    return this.#byAny.get(`${pod} ${id}`)?.at(start) ?? 0
  }
}

/** Rows that an answer lacks, with the first version that explains it. Earlier ones have been sighted, so that they are promised. */
function* leftBefore(
  read: LotRead,
  timelines: Timelines,
  promised: Floors,
): Generator<readonly [id: string, version: number]> {
  const { key, lookup, lots, start } = read
  if (lookup.limit !== undefined) return
  for (const id of timelines.everIn(lookup, key)) {
    const timeline = timelines.get(id)!
    const { from, last } = remembered(read, timeline, promised)
    if (timeline.versions[last]!.from < start - SIGHTED_MS || lots.some((lot) => lot.id === id)) continue
    for (let version = from; version <= last; version++) {
      if (keyOf(lookup, timeline.lotAt(version)) === key) continue
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

const keyTextOf = ({ pod, lookup, key }: LotRead, id: string): string =>
  `${pod} ${lookup.release} ${lookup.name} ${key} ${id}`

function floorOf(floors: Map<string, Floor>, key: string): Floor {
  let floor = floors.get(key)
  if (!floor) floors.set(key, (floor = new Floor()))
  return floor
}
