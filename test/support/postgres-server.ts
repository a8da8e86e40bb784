/** Real PostgreSQL servers for anything that runs on Node: tests, benches, scripts. Nothing here needs Jest. */
export { createPostgresDatabase, dropPostgresDatabase, renamePostgresDatabase } from './postgres-database.ts'
export { findPostgres } from './find-postgres.ts'
export { startPostgres, startStandby } from './start-postgres.ts'
export type { FoundPostgres } from './find-postgres.ts'
export type { PostgresServer } from './start-postgres.ts'
