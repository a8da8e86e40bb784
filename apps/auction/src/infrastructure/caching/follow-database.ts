import { Logger } from '@nestjs/common'
import { followPostgres } from 'model-cache/follow'
import type { Follow } from 'model-cache/follow'
import type { AppConfig } from '../../config/app-config.js'

/**
 * How the API learns of writes outside Prisma: from the replication stream of PostgreSQL. If the server or the role does not allow it, the
 * library logs what is missing, and the caches work as without it.
 */
export function followDatabase({ databaseUrl }: AppConfig): Follow | undefined {
  if (databaseUrl !== undefined) return followPostgres({ url: databaseUrl })
  new Logger('Caching').log(
    'Writes outside Prisma are not followed, because the embedded PGlite has no replication. Set DATABASE_URL to a PostgreSQL server to follow them.',
  )
  return undefined
}
