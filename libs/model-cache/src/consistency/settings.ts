import { InvalidOptionError } from '../errors.js'
import type { ConsistencySettings } from './model-writes.js'

/** How caches stay consistent with writes; see docs/consistency.md. */
export interface ConsistencyOptions {
  /**
   * What happens to a write if the store does not take its fence. `'available'`: it is committed, and invalidated as soon as the store
   * answers; until then other processes may return the old row. `'strict'`: it fails with a FenceError and is not committed. This
   * applies to every model, because only the store knows which caches other processes have.
   * @default 'available'
   */
  readonly mode?: 'available' | 'strict'
  /**
   * The maximum time from the fence of a write to its commit, in milliseconds. A slower write may leave stale rows. A cache that is
   * new to the store waits as long before it stores rows. PostgreSQL's `statement_timeout` has to be shorter. @default 10_000
   */
  readonly fenceMs?: number
  /** The maximum duration of a load whose row is stored, in milliseconds. @default 5_000 */
  readonly leaseMs?: number
  /** How long a read waits for the load of another process before it loads the row itself, in milliseconds. @default 200 */
  readonly leaseWaitMs?: number
  /**
   * The maximum lag of a replica that rows are loaded from, in milliseconds. Rows are not stored for so long after a write.
   * @default 0
   */
  readonly replicaLagMs?: number
}

/** @throws InvalidOptionError */
export function consistencySettings(options: ConsistencyOptions = {}): ConsistencySettings {
  const { mode = 'available' } = options
  if (mode !== 'available' && mode !== 'strict') {
    throw new InvalidOptionError('consistency.mode', mode, "'available' or 'strict'")
  }
  const ms = (name: keyof Omit<ConsistencyOptions, 'mode'>, standard: number, least: number): number => {
    const value = options[name] ?? standard
    if (Number.isFinite(value) && value >= least && value <= 3_600_000) return value
    throw new InvalidOptionError(`consistency.${name}`, value, `milliseconds, from ${least} to 3600000`)
  }
  return Object.freeze({
    mode,
    fenceMs: ms('fenceMs', 10_000, 1),
    leaseMs: ms('leaseMs', 5_000, 1),
    leaseWaitMs: ms('leaseWaitMs', 200, 0),
    replicaLagMs: ms('replicaLagMs', 0, 0),
  })
}
