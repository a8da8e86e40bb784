/**
 * `@model-cache/follow`: invalidates rows that were written outside Prisma (out-of-band writes), by the log of the database. Needs the package
 * `pg` for PostgreSQL, `mysql2` for MariaDB and MySQL.
 *
 * @module @model-cache/follow
 */
export type { FollowerReport } from 'model-cache/internal'
export { type Follow, followElsewhere, type GapOptions } from './follow-options.js'
export type { FollowObserver } from './follow-context.js'
export { ModelCacheFollower, type ModelCacheFollowerOptions } from './model-cache-follower.js'
export { followMysql, type FollowMysqlOptions } from './mysql/follow-mysql.js'
export type { MysqlAddress } from './mysql/mysql-address.js'
export type { PostgresAddress } from './postgres/connect.js'
export { followPostgres, type FollowPostgresOptions } from './postgres/follow-postgres.js'
