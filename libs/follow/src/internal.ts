/**
 * `@model-cache/follow/internal`: for packages of the same version, such as `@model-cache/cli`. Changes without notice; an application
 * imports `@model-cache/follow`.
 *
 * @module @model-cache/follow/internal
 */

// The log of the database, as the doctor checks it
export { isMysqlUrl } from './database-url.js'
export { FollowWatch } from './follow-watch.js'
export { type FollowedTable, type FollowedTables, followedTables } from './followed-tables.js'
export { leaderKey } from './leader-key.js'
export { connectToMysql, cutConnection, type MysqlConnection, mysqlNameOf, rowsOf } from './mysql/connect.js'
export { findTables, schemasIn } from './mysql/found-tables.js'
export { databaseIn } from './mysql/mysql-address.js'
export { mysqlProviders } from './mysql/mysql-log.js'
export { mysqlFaults } from './mysql/server-faults.js'
export { readVariables } from './mysql/server-variables.js'
export { applicationOf } from './postgres/advisory-lock.js'
export { connectTo, disconnect, nameOf } from './postgres/connect.js'
export { followedProviders } from './postgres/postgres-log.js'
export {
  type InspectedPublication,
  inspectPublication,
  publicationOf,
  publishOptions,
} from './postgres/publication.js'
export { isInConflict, slotFault } from './postgres/replication-slot.js'
export { serverFaults } from './postgres/server-faults.js'
export { literal, quoted, tableName } from './postgres/sql.js'
