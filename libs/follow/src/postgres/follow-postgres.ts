import { invalidOptionError } from 'model-cache/internal'
import { createFollow, type Follow, type GapOptions } from '../follow-options.js'
import type { PostgresAddress } from './connect.js'
import { PostgresLog } from './postgres-log.js'
import { publicationOf } from './publication.js'

export interface FollowPostgresOptions extends PostgresAddress, GapOptions {
  /**
   * The name of a durable replication slot, so that caches keep their rows when no process has followed for a while. PostgreSQL keeps
   * its log until then: limit it with `max_slot_wal_keep_size`. @default a temporary slot
   */
  readonly slot?: string
  /** The publication, which is created if it does not exist. @default `model_cache_<namespace>` */
  readonly publication?: string
  /** A read replica that rows are loaded from: they are not stored before it has replayed a write. */
  readonly replica?: PostgresAddress
  /**
   * The primary, if `url` leads to a standby: the follower creates the publication there, and has it write the snapshots that a standby
   * needs to create a slot. It also says how far the standby is behind. @default somebody else does so
   */
  readonly primary?: PostgresAddress
}

/**
 * Follows the log of a PostgreSQL database: rows that anybody has written, also outside Prisma, are invalidated as soon as PostgreSQL sends
 * the change. Needs the package `pg`, `wal_level = logical` and a role with REPLICATION; see docs/follow.md. A standby of PostgreSQL 16 or
 * later can be followed as well; see docs/recipes/regions.md.
 *
 * @throws ConfigurationError
 */
export function followPostgres(options: FollowPostgresOptions): Follow {
  const { maxLagMs, onGap, primary, publication, replica, slot, ...address } = options
  if (typeof address.url !== 'string' || !/^postgres(ql)?:\/\//.test(address.url))
    throw invalidOptionError('follow.url', '…', 'a postgres:// URL of the database')
  for (const [name, value] of [
    ['slot', slot],
    ['publication', publication],
  ] as const)
    if (value !== undefined && !/^[a-z0-9_]{1,63}$/.test(value))
      throw invalidOptionError(`follow.${name}`, value, 'up to 63 lower-case letters, digits and underscores')
  return createFollow(
    { maxLagMs, onGap },
    (namespace) =>
      new PostgresLog({
        ...address,
        slot,
        replica,
        primary,
        publication: publication ?? publicationOf(namespace),
      }),
  )
}
