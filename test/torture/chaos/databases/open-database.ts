import type { ChaosDatabase } from './chaos-database.ts'
import type { DatabaseName } from './database-access.ts'
import { openMariadb } from './mariadb.ts'
import { openPostgresql } from './postgresql.ts'
import { openSqlite } from './sqlite.ts'

const openers = { postgresql: openPostgresql, mariadb: openMariadb, sqlite: openSqlite }

/** Starts a database with the tables of the demo. */
export const openChaosDatabase = (name: DatabaseName): Promise<ChaosDatabase> => openers[name]()
