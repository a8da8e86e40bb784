import { InvalidOptionError } from '../errors.js'
import type { ConsistencySettings } from './model-writes.js'

/** How writes and the cache are kept in step; see docs/consistency.md. */
export interface ConsistencyOptions {
  /**
   * What becomes of a write that the store cannot be told of before its commit. `'available'`: it is committed, and the store is told
   * as soon as it answers, until when other processes may serve the old row. `'strict'`: it is refused, with a FenceError, of whatever
   * model, as the store alone knows which caches other processes have.
   * @default 'available'
   */
  readonly mode?: 'available' | 'strict'
  /**
   * Milliseconds that a write may take from fence to commit, at most; a longer one is not safe from stale rows. A cache that is new to the
   * store waits as long before it stores rows. PostgreSQL's `statement_timeout` has to be shorter. @default 10_000
   */
  readonly fenceMs?: number
  /** Milliseconds within which a load has to be over for its row to be stored. @default 5_000 */
  readonly leaseMs?: number
  /** Milliseconds that a read waits for the load of another process, before it loads the row itself. @default 200 */
  readonly leaseWaitMs?: number
  /** Milliseconds that a replica which rows are read from may be behind; rows are not stored so long after a write. @default 0 */
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
