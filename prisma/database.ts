import { openEmbedded } from './open-embedded.js'
import { openPostgres } from './open-postgres.js'
import type { Database } from './opened-database.js'

export type { Database } from './opened-database.js'

/** Opens the database at `url`: PostgreSQL, MySQL, MariaDB, or a file of SQLite. Without `url`, opens the embedded PGlite in `dataDir`. */
export async function openDatabase(options: {
  url?: string | undefined
  dataDir?: string | undefined
}): Promise<Database> {
  const { dataDir, url } = options
  if (!url) return openEmbedded(dataDir)
  const kind = kindOf(url)
  // Their drivers are loaded only if they are used.
  if (kind === 'mysql') return (await import('./open-mysql.js')).openMysql(url)
  if (kind === 'sqlite') return (await import('./open-sqlite.js')).openSqlite(url)
  return openPostgres(url)
}

/** The kind of the database at a URL. */
export function kindOf(url: string): Exclude<Database['kind'], 'embedded'> {
  if (url.startsWith('file:')) return 'sqlite'
  return /^(?:mysql|mariadb):/.test(url) ? 'mysql' : 'postgres'
}
