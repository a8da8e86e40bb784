import { isFencedWithin, mayHaveLost, promisedOf, type Circumstances, type Promised } from '../promises.ts'
import type { LotLog, LotWriteOfPod } from './lot-log.ts'
import type { Timeline, Timelines } from './timelines.ts'

/** What is promised of one version of a row. */
export interface PromisedVersion extends Promised {
  /** The pod that wrote it; undefined if its write was not confirmed. */
  readonly pod: number | undefined
}

/** What is promised of all versions, by the writes that made them. */
export class LotPromises {
  readonly #byId = new Map<string, readonly PromisedVersion[]>()
  /** The confirmed writes that the database does not have. */
  readonly lost: readonly LotWriteOfPod[]

  constructor(timelines: Timelines, log: LotLog, circumstances: Circumstances) {
    const writeOf = attribution(timelines, log)
    const found = new Set<LotWriteOfPod>()
    for (const timeline of timelines.all()) {
      const promised = timeline.versions.map((version, number): PromisedVersion => {
        const write = writeOf(timeline, number)
        if (!write) return unconfirmed(isFencedUnconfirmed(timeline, number, log, circumstances))
        found.add(write)
        return { ...promisedOf(write, circumstances), pod: write.pod }
      })
      this.#byId.set(timeline.versions[0]!.id, promised)
    }
    this.lost = log.writes.filter((write) => !found.has(write) && write.written > 0)
  }

  of(id: string, version: number): PromisedVersion {
    return this.#byId.get(id)![version]!
  }

  /** The highest version, up to this one, that no pod may fall behind once it has seen this one. */
  fencedUpTo(id: string, version: number): number {
    const promised = this.#byId.get(id)!
    let found = Math.min(version, promised.length - 1)
    while (found > 0 && !promised[found]!.isFenced) found--
    return found
  }
}

const unconfirmed = (isFenced: boolean): PromisedVersion => ({
  byWriter: Infinity,
  byAll: Infinity,
  isFenced,
  pod: undefined,
})

/** Finds the confirmed write of a version: its transaction has the tag of the write somewhere, or it is a deletion that the write names. */
function attribution(timelines: Timelines, { writes }: LotLog) {
  const byTag = new Map(writes.map((write) => [write.tag, write]))
  const byDeleted = new Map(writes.flatMap((write) => write.deleted.map((id) => [id, write] as const)))
  const tagOf = new Map<string, string>()
  for (const { versions } of timelines.all())
    for (const { tag, transaction } of versions) if (tag !== null) tagOf.set(transaction, tag)
  return ({ versions }: Timeline, number: number): LotWriteOfPod | undefined => {
    const { id, lot, transaction } = versions[number]!
    const tag = tagOf.get(transaction)
    if (tag !== undefined) return byTag.get(tag)
    return lot === null ? byDeleted.get(id) : undefined
  }
}

/**
 * Whether a version without a confirmed write was committed under a fence: its pod died after COMMIT, or did not learn of the end. The
 * commit came after its statement, and before the statement of the next version, which waited for it.
 */
function isFencedUnconfirmed(
  { versions }: Timeline,
  number: number,
  { sightings, unknownEnds }: LotLog,
  circumstances: Circumstances,
): boolean {
  const { id, from } = versions[number]!
  if (number === 0) return true
  const seen = sightings.find(
    (sighting) =>
      sighting.id === id &&
      sighting.at >= from &&
      (sighting.version === 'gone' || sighting.version >= number),
  )
  const to = Math.min(seen?.at ?? Infinity, (versions[number + 1]?.from ?? Infinity) + CLOCK_MS)
  const span = [from, to] as const
  return (
    unknownEnds.every((write) => isFencedWithin(write, span, circumstances)) &&
    !mayHaveLost(circumstances.losses, from - circumstances.fenceMs, to)
  )
}

/** By how much the time of a statement may be too early, at most. */
const CLOCK_MS = 50
