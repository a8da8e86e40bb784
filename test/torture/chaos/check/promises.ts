import type { Inflicted } from '../faults/fault.ts'
import type { WriteSteps } from '../pod/write-steps.ts'

export interface Circumstances {
  readonly fenceMs: number
  /** Time that another pod has to hear of a write, for its L1; 0 without an L1. */
  readonly hearingMs: number
  /** Faults by which Valkey may have lost keys early. */
  readonly losses: readonly Inflicted[]
  /** Moments at which the store had taken all invalidations of a pod, in order, by pod. */
  readonly caughtUp: ReadonlyMap<number, readonly number[]>
}

/** From when on a write is promised to be visible; Infinity for never. */
export interface Promised {
  /** To its pod: when its call has returned, whatever happened to Valkey. */
  readonly byWriter: number
  /** To all pods. */
  readonly byAll: number
  /** Whether it is visible to all pods from its commit on. */
  readonly isFenced: boolean
}

/**
 * Returns what the protocol promises of one write.
 *
 * A fence that stands at the commit is enough, even if it is never released: while it stands the row is not stored, and
 * afterwards only if it is loaded again. Without such a fence, because it was not requested, expired before the commit or
 * was lost with other keys, all pods see the write when Valkey has taken its invalidation.
 */
export function promisedOf(
  write: WriteSteps & { readonly pod: number },
  { fenceMs, hearingMs, losses, caughtUp }: Circumstances,
): Promised {
  const { pod, fencedAt, committedAt, releasedAt = Infinity, isReleased } = write
  const isFenced =
    fencedAt !== undefined && committedAt - fencedAt < fenceMs && !mayHaveLost(losses, fencedAt, committedAt)
  const takenAt = isReleased ? releasedAt : (caughtUp.get(pod)?.find((at) => at > releasedAt) ?? Infinity)
  const returnedAt = write.releasedAt ?? committedAt
  return { byWriter: releasedAt, byAll: (isFenced ? returnedAt : takenAt) + hearingMs, isFenced }
}

/**
 * Whether a write of unknown end, if it was committed within a span, was committed under a fence: its own until its end, and
 * for as long again afterwards, if the store took that.
 */
export function isFencedWithin(
  { fencedAt, committedAt, releasedAt, isReleased }: WriteSteps & { readonly releasedAt: number },
  [from, to]: readonly [from: number, to: number],
  { fenceMs, losses }: Pick<Circumstances, 'fenceMs' | 'losses'>,
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
export function mayHaveLost(losses: readonly Inflicted[], from: number, to: number): boolean {
  return losses.some((loss) => loss.from <= to && loss.to >= from)
}
