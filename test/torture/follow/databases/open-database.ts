import type { SingleServer } from '../../servers/single-server.ts'
import type { DatabaseName, FollowedDatabase } from './followed-database.ts'

/** Starts one with the rows of the demo's users. @param valkey of its followers */
export async function openFollowedDatabase(
  name: DatabaseName,
  valkey: SingleServer,
): Promise<FollowedDatabase> {
  if (name === 'postgresql') return (await import('./postgresql.ts')).openPostgresql()
  return (await import('./mariadb.ts')).openMariadb(valkey)
}
