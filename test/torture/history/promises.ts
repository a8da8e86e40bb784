import type { History, UnknownEnd, Write, WriteSteps } from './history.ts'
import type { Version } from './rows.ts'
import type { Timeline, Timelines } from './timelines.ts'

/** A time in which Valkey may have lost keys early. */
export interface Loss {
  readonly from: number
  readonly to: number
}

export interface Circumstances {
  readonly fenceMs: number
  /** Time that another pod has to hear of a write, for its L1; 0 without an L1. */
  readonly hearingMs: number
  readonly losses: readonly Loss[]
}

/** From when on a version of a row is promised to be visible; Infinity for never. */
interface PromisedVersion extends ReturnType<typeof promisedOf> {
  /** The pod that wrote it; undefined if its write was not confirmed. */
  readonly pod: number | undefined
}

type WriteOfPod = History['writes'][number]

/**
 * Returns what the protocol promises of one write.
 *
 * A fence that stands at the commit is enough, even if it is never released: while it stands the row is not stored, and
 * afterwards only if it is loaded again. Without such a fence, because it was not requested, expired before the commit or
 * was lost with other keys, all pods see the write when Valkey has taken its invalidation.
 */
export function promisedOf(
  { pod, ...write }: WriteSteps & { readonly pod: number },
  { fenceMs, hearingMs, losses }: Circumstances,
  caughtUp: History['caughtUp'],
) {
  const { fencedAt, committedAt, releasedAt = Infinity, isReleased } = write
  const isFenced =
    fencedAt !== undefined && committedAt - fencedAt < fenceMs && !mayHaveLost(losses, fencedAt, committedAt)
  const takenAt = isReleased ? releasedAt : (caughtUp.get(pod)?.find((at) => at > releasedAt) ?? Infinity)
  return {
    /** To its pod: when its call has returned, whatever happened to Valkey. */
    byWriter: releasedAt,
    byAll: (isFenced ? returnOf(write) : takenAt) + hearingMs,
    /** Whether it is visible to all pods from its commit on. */
    isFenced,
  }
}

/** When a write returned, to its pod or to nobody. */
export const returnOf = ({ committedAt, releasedAt = committedAt }: WriteSteps): number => releasedAt

/** What is promised of all versions, by the writes that made them. */
export class Promises {
  readonly #byId = new Map<string, readonly PromisedVersion[]>()
  /** The confirmed write of each version that has one. */
  readonly writeOf: (timeline: Timeline, version: number) => WriteOfPod | undefined
  /** The confirmed writes that the database does not have. */
  readonly lost: readonly Write[]

  constructor(timelines: Timelines, history: History, circumstances: Circumstances) {
    this.writeOf = attribution(history)
    const isFencedUnconfirmed = unconfirmed(history, circumstances)
    const found = new Set<Write>()
    for (const timeline of timelines.all()) {
      const promised = timeline.versions.map((version, number): PromisedVersion => {
        const write = this.writeOf(timeline, number)
        if (write) {
          found.add(write)
          return { ...promisedOf(write, circumstances, history.caughtUp), pod: write.pod }
        }
        const isFenced = number === 0 || isFencedUnconfirmed(version, timeline.versions[number + 1])
        return { byWriter: Infinity, byAll: Infinity, isFenced, pod: undefined }
      })
      this.#byId.set(timeline.versions[0]!.id, promised)
    }
    this.lost = history.writes.filter((write) => !found.has(write) && write.written > 0)
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

/** Finds the confirmed write of a version: the row has its tag, or it names the version, or the deletion of the row. */
function attribution({ writes }: History): Promises['writeOf'] {
  const nameOf = (id: string, version: number): string => `${id} ${version}`
  const byName = new Map(
    writes.flatMap((write) => write.versions.map((version) => [nameOf(...version), write] as const)),
  )
  const byTag = new Map(writes.map((write) => [write.tag, write]))
  const byDeleted = new Map(writes.flatMap((write) => write.deleted.map((id) => [id, write] as const)))
  return ({ versions }, number) => {
    const { id, row, tag } = versions[number]!
    if (tag) return byTag.get(tag)
    return byName.get(nameOf(id, number)) ?? (row === null ? byDeleted.get(id) : undefined)
  }
}

/**
 * Whether a version without a confirmed write was committed under a fence: its pod died after COMMIT, or did not learn of the end. The
 * commit came after its statement, and before the statement of the next version, which waited for it.
 */
function unconfirmed({ sightings, unknownEnds }: History, circumstances: Circumstances) {
  const byId = Map.groupBy(sightings, ({ id }) => id)
  return ({ id, from, version }: Version, next: Version | undefined): boolean => {
    const seen = byId
      .get(id)
      ?.find((one) => one.at >= from && (one.version === 'gone' || one.version >= version))
    const to = Math.min(seen?.at ?? Infinity, (next?.from ?? Infinity) + CLOCK_MS)
    return (
      unknownEnds.every(
        (write) => write.ids?.includes(id) === false || isFencedWithin(write, [from, to], circumstances),
      ) && !mayHaveLost(circumstances.losses, from - circumstances.fenceMs, to)
    )
  }
}

/** By how much the time of a statement may be too early, at most. */
const CLOCK_MS = 50

/**
 * Whether a write of unknown end, if it was committed within a span, was committed under a fence: its own until its end, and
 * for as long again afterwards, if the store took that.
 */
function isFencedWithin(
  { fencedAt, committedAt, releasedAt, isReleased }: UnknownEnd,
  [from, to]: readonly [from: number, to: number],
  { fenceMs, losses }: Circumstances,
): boolean {
  // An unfenced write began less than two fences before: everything that it waits for has a timeout.
  const beganAt = fencedAt ?? committedAt - 2 * fenceMs
  const endedAt = releasedAt + fenceMs
  if (beganAt > to || endedAt < from) return true
  return (
    fencedAt !== undefined &&
    isReleased &&
    releasedAt - fencedAt < fenceMs &&
    !mayHaveLost(losses, fencedAt, Math.min(endedAt, to))
  )
}

/** Whether Valkey may have lost keys within a span. */
function mayHaveLost(losses: readonly Loss[], from: number, to: number): boolean {
  return losses.some((loss) => loss.from <= to && loss.to >= from)
}
