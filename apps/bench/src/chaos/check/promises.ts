import type { Befallen } from '../faults/fault-log.ts'
import type { UnknownEndOfPod, WriteOfPod } from './history.ts'

export interface Circumstances {
  readonly fenceMs: number
  /** How long it may take until another pod has heard of a write, for what it keeps in its memory; 0 where it keeps nothing. */
  readonly hearingMs: number
  /** What may have cost Valkey keys before their time. */
  readonly losses: readonly Befallen[]
  /** When the store had been told of all writes of a pod, in order, by pod. */
  readonly caughtUp: ReadonlyMap<number, readonly number[]>
}

/** From when on a write is promised to be seen; Infinity for never. */
export interface Promised {
  /** By the pod that wrote: when its call has returned, whatever became of Valkey. */
  readonly byWriter: number
  /** By all pods. */
  readonly byAll: number
  /** Whether all pods see it from its commit on. */
  readonly isFenced: boolean
}

/**
 * What the protocol promises of one write.
 *
 * A fence that stood when the database committed is enough, even if nobody comes to settle: while it stands nothing of the row is
 * stored, and after its end only a row that is loaded after its end. Where a fence may not have stood, since it was not
 * asked for, ran out before the commit, or went with other keys of Valkey, all pods see the write when Valkey has been told
 * of it after the commit.
 */
export function promisedOf(
  write: WriteOfPod,
  { fenceMs, hearingMs, losses, caughtUp }: Circumstances,
): Promised {
  const { pod, fencedAt, committedAt, settledAt = Infinity, isSettled } = write
  const isFenced =
    fencedAt !== undefined && committedAt - fencedAt < fenceMs && !mayHaveLost(losses, fencedAt, committedAt)
  const toldAt = isSettled ? settledAt : (caughtUp.get(pod)?.find((at) => at > settledAt) ?? Infinity)
  const returnedAt = write.settledAt ?? committedAt
  return { byWriter: settledAt, byAll: (isFenced ? returnedAt : toldAt) + hearingMs, isFenced }
}

/**
 * Whether a write of unknown end, if it was committed within a span, was committed under a fence: its own until it settles, and from
 * then on for as long again, if the store has heard of it.
 */
export function isFencedWithin(
  { fencedAt, committedAt, settledAt, isSettled }: UnknownEndOfPod,
  [from, to]: readonly [from: number, to: number],
  { fenceMs, losses }: Pick<Circumstances, 'fenceMs' | 'losses'>,
): boolean {
  // One without a fence began less than two fences before: all that it waits for has a timeout.
  const beganAt = fencedAt ?? committedAt - 2 * fenceMs
  const endedAt = settledAt + fenceMs
  if (beganAt > to || endedAt < from) return true
  return (
    fencedAt !== undefined &&
    isSettled &&
    settledAt - fencedAt < fenceMs &&
    !mayHaveLost(losses, fencedAt, Math.min(endedAt, to))
  )
}

/** Whether Valkey may have lost keys at some time of a span. */
export function mayHaveLost(losses: readonly Befallen[], from: number, to: number): boolean {
  return losses.some((loss) => loss.from <= to && loss.to >= from)
}
