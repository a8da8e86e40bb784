import { invalidOptionError } from '../configuration-errors.js'

/** How the cache stays consistent with writes; see docs/consistency.md. */
export interface ConsistencyOptions {
  /**
   * What happens to a write if the store does not answer before its commit. `'available'` commits it, and invalidates its rows as
   * soon as the store answers; until then other processes may serve the old rows. `'strict'` refuses it with a FenceError,
   * whatever its model, because only the store knows which caches other processes have.
   * @default 'available'
   */
  readonly mode?: 'available' | 'strict'
  /**
   * Milliseconds from the fence of a write to its commit, at most; a longer write can leave stale rows. A cache that is new to
   * the store waits this long before it stores rows. PostgreSQL's `statement_timeout` must be shorter. @default 10_000
   */
  readonly fenceMs?: number
  /** Milliseconds that a load may take for its row to be stored. @default 5_000 */
  readonly leaseMs?: number
  /** Milliseconds that a read waits for another process's load before it loads the row itself. @default 200 */
  readonly leaseWaitMs?: number
  /** Milliseconds that a read replica may lag behind; rows are not stored this long after a write. @default 0 */
  readonly replicaLagMs?: number
  /**
   * How many replicas of each Valkey server have to acknowledge the fence of a write before its commit, and an invalidation
   * before it counts. With all of them, a failover loses neither. If fewer answer, the store counts as unavailable for the write.
   * @default 0
   */
  readonly replicas?: number
}

/** {@link ConsistencyOptions} with their defaults. */
export type ConsistencySettings = Readonly<Required<ConsistencyOptions>>

/** The maximum of `replicas`: more than any primary has. */
export const maxReplicas = 16

/** @throws ConfigurationError */
export function consistencySettings(options: ConsistencyOptions = {}): ConsistencySettings {
  const { mode = 'available' } = options
  if (mode !== 'available' && mode !== 'strict') {
    throw invalidOptionError('consistency.mode', mode, "'available' or 'strict'")
  }
  const { replicas = 0 } = options
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > maxReplicas) {
    throw invalidOptionError('consistency.replicas', replicas, `an integer from 0 to ${maxReplicas}`)
  }
  const ms = (
    name: keyof Omit<ConsistencyOptions, 'mode' | 'replicas'>,
    standard: number,
    least: number,
  ): number => {
    const value = options[name] ?? standard
    if (Number.isFinite(value) && value >= least && value <= 3_600_000) return value
    throw invalidOptionError(`consistency.${name}`, value, `milliseconds, from ${least} to 3600000`)
  }
  return Object.freeze({
    mode,
    fenceMs: ms('fenceMs', 10_000, 1),
    leaseMs: ms('leaseMs', 5_000, 1),
    leaseWaitMs: ms('leaseWaitMs', 200, 0),
    replicaLagMs: ms('replicaLagMs', 0, 0),
    replicas,
  })
}
