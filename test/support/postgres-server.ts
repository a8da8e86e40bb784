/** Real PostgreSQL servers for anything that runs on Node: tests, benches, scripts. Nothing here needs Jest. */
export { findPostgres } from './find-postgres.ts'
export { createPostgresDatabase } from './postgres-database.ts'
export { startPostgres } from './start-postgres.ts'
export type { FoundPostgres } from './find-postgres.ts'
export type { PostgresDatabase } from './postgres-database.ts'
export type { PostgresServer } from './start-postgres.ts'
