/**
 * `model-cache/follow`: invalidates rows that were written outside Prisma (out-of-band writes), by the log of the database. Needs the package `pg`.
 *
 * @module model-cache/follow
 */
export type { Follow, GapOptions } from './follow-options.js'
export type { FollowerReport } from './follow-watch.js'
export type { FollowObserver } from './follow-context.js'
export { ModelCacheFollower, type ModelCacheFollowerOptions } from './model-cache-follower.js'
export type { PostgresAddress } from './postgres/connect.js'
export { followElsewhere, followPostgres, type FollowPostgresOptions } from './postgres/follow-postgres.js'
