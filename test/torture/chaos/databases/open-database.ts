import type { ChaosDatabase, DatabaseName } from './chaos-database.ts'

const openers = {
  postgresql: async () => (await import('./postgresql.ts')).openChaosPostgresql(),
  pgbouncer: async () => (await import('./pgbouncer.ts')).openChaosPgbouncer(),
  mariadb: async () => (await import('./mariadb.ts')).openChaosMariadb(),
  sqlite: async () => (await import('./sqlite.ts')).openChaosSqlite(),
}

/** Starts a database with the tables of the demo. */
export const openChaosDatabase = (name: DatabaseName): Promise<ChaosDatabase> => openers[name]()
