import { Logger } from '@nestjs/common'
import { followMysql, followPostgres } from '@model-cache/follow'
import type { Follow } from '@model-cache/follow'
import { kindOf } from '#prisma/database.js'
import type { AppConfig } from '../../config/app-config.js'

/**
 * How the API learns of writes outside Prisma: from the replication stream of PostgreSQL, or the binlog of MariaDB. If the server or the role does not allow it, the
 * library logs what is missing, and the caches work as without it.
 */
export function followDatabase({ databaseUrl }: AppConfig): Follow | undefined {
  const kind = databaseUrl === undefined ? 'embedded' : kindOf(databaseUrl)
  if (kind === 'postgres') return followPostgres({ url: databaseUrl! })
  if (kind === 'mysql') return followMysql({ url: databaseUrl! })
  const reason =
    kind === 'embedded'
      ? 'because the embedded PGlite has no replication'
      : 'because SQLite has no log that can be followed'
  new Logger('Caching').log(
    `Writes outside Prisma are not followed, ${reason}. Set DATABASE_URL to a server of PostgreSQL or MariaDB to follow them.`,
  )
  return undefined
}
