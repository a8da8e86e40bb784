import { Logger } from '@nestjs/common'
import { followPostgres } from 'model-cache/follow'
import type { Follow } from 'model-cache/follow'
import { kindOf } from '#prisma/database.js'
import type { AppConfig } from '../../config/app-config.js'

/**
 * How the API learns of writes outside Prisma: from the replication stream of PostgreSQL. If the server or the role does not allow it, the
 * library logs what is missing, and the caches work as without it.
 */
export function followDatabase({ databaseUrl }: AppConfig): Follow | undefined {
  const kind = databaseUrl === undefined ? 'embedded' : kindOf(databaseUrl)
  if (kind === 'postgres') return followPostgres({ url: databaseUrl! })
  const reason =
    kind === 'embedded'
      ? 'because the embedded PGlite has no replication'
      : 'because the demo follows PostgreSQL alone'
  new Logger('Caching').log(
    `Writes outside Prisma are not followed, ${reason}. Set DATABASE_URL to a PostgreSQL server to follow them.`,
  )
  return undefined
}
