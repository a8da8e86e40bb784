import { FloorsByName } from './floor.ts'
import type { History, Read } from './history.ts'
import { remembered, type Floors } from './judge-read.ts'
import type { Circumstances, Promises } from './promises.ts'
import { keyOf } from './rows.ts'
import type { Timelines } from './timelines.ts'

/** What reads have to know because of the writes that had returned when they began. */
export function promisedFloors(
  timelines: Timelines,
  { sightings }: History,
  promises: Promises,
  { hearingMs }: Circumstances,
): Floors {
  const [own, all] = [new FloorsByName(), new FloorsByName()]
  for (const { versions } of timelines.all()) {
    for (const { id, version } of versions) {
      const { byAll, byWriter, pod } = promises.of(id, version)
      all.of(id).add(byAll, version)
      if (pod !== undefined) own.of(`${pod} ${id}`).add(byWriter, version)
    }
  }
  for (const { id, version, at } of sightings) {
    const last = timelines.get(id)?.last
    if (last === undefined) continue
    all.of(id).add(at + hearingMs, promises.fencedUpTo(id, version === 'gone' ? last : version))
  }
  return {
    row: ({ pod, start }, id) => Math.max(all.at(id, start), own.at(`${pod} ${id}`, start)),
    /** A later version that has to be known does not imply this one, if only this one moved the row and had no fence. */
    knowsMove({ pod, start }, id, version) {
      const move = promises.of(id, version)
      if (move.byAll < start || (move.pod === pod && move.byWriter < start)) return true
      if (!move.isFenced) return false
      const ofPod = hearingMs === 0 ? own.at(`${pod} ${id}`, start) : 0
      return version <= Math.max(ofPod, all.at(id, start))
    },
  }
}

/**
 * What reads have to know because an earlier read of the same pod did. A pod with an L1 may see a row in one of its lookups before it
 * hears of the write in another.
 */
export function seenFloors(
  timelines: Timelines,
  { reads }: History,
  promises: Promises,
  promised: Floors,
  { hearingMs }: Circumstances,
): Floors {
  const [byKey, byAny] = [new FloorsByName(), new FloorsByName()]
  const add = (read: Read, id: string, version: number): void => {
    const fenced = promises.fencedUpTo(id, version)
    byKey.of(keyTextOf(read, id)).add(read.end, fenced)
    byAny.of(`${read.pod} ${id}`).add(read.end + hearingMs, fenced)
  }
  for (const read of reads) {
    for (const { id, version } of read.rows) if (timelines.get(id)) add(read, id, version)
    for (const [id, version] of leftBefore(read, timelines, promised)) add(read, id, version)
  }
  const byAnyKey = ({ pod, start }: Read, id: string): number => byAny.at(`${pod} ${id}`, start)
  return {
    row: (read, id) => Math.max(byKey.at(keyTextOf(read, id), read.start), byAnyKey(read, id)),
    knowsMove: (read, id, version) => promises.of(id, version).isFenced && version <= byAnyKey(read, id),
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

/** With the moment whose commits have to be known. */
export interface ReadSince extends Read {
  readonly floorAt: number
}

/** What reads have to know because it had been committed by a moment. */
export class CommittedFloors implements Floors<ReadSince> {
  readonly #committed = new FloorsByName()

  add(id: string, version: number, committedAt: number): void {
    this.#committed.of(id).add(committedAt, version)
  }

  /** The newest version that had been committed by a moment. */
  by(moment: number, id: string): number {
    return this.#committed.of(id).upTo(moment)
  }

  row({ floorAt }: ReadSince, id: string): number {
    return this.by(floorAt, id)
  }

  knowsMove(read: ReadSince, id: string, version: number): boolean {
    return version <= this.row(read, id)
  }
}
