/** The steps of a write, with times of {@link machineTime}. */
export interface WriteSteps {
  /** When the fence was requested; undefined for an unfenced write. */
  readonly fencedAt: number | undefined
  /** When the database had answered or failed. */
  readonly committedAt: number
  /** When the invalidation was over; undefined for a pod that was killed before. */
  readonly releasedAt: number | undefined
  /** Whether the store took the invalidation. */
  readonly isReleased: boolean
}
