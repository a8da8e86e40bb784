import { Logger } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { Database } from '#prisma/database.js'
import { DATABASE } from './infrastructure/database/database.module.js'
import { PrismaService } from './infrastructure/database/prisma.service.js'
import { CACHE_LOCATION } from './infrastructure/valkey/valkey.module.js'
import type { CacheLocation } from './infrastructure/valkey/valkey.module.js'

/** Logs the URL, the database and the cache in use, and a query to try. */
export async function announce(app: NestFastifyApplication, production: boolean): Promise<void> {
  const logger = new Logger('Auction')
  const database = app.get<Database>(DATABASE)
  const cache = app.get<CacheLocation>(CACHE_LOCATION)
  logger.log(
    `Database: ${database.description} (set DATABASE_URL to change it). ` +
      `Cache: ${cache.description} (set VALKEY_URL to change it)`,
  )
  const url = await app.getUrl()
  if (production) {
    logger.log(`Listening on ${url} (set HOST and PORT to change it)`)
    return
  }
  logger.log(
    `Listening on ${url}: auction and live charts (set PORT to change it). Inspector: ${url}/inspector. GraphiQL: ${url}/graphiql. ` +
      (await sampleQuery(app, url)),
  )
}

async function sampleQuery(app: NestFastifyApplication, url: string): Promise<string> {
  const latest = await app.get(PrismaService).fundraiser.findFirst({
    select: { id: true },
    orderBy: { auctionItems: { _count: 'desc' } },
  })
  if (!latest) return 'The database has no auction yet. Run npm run seed.'
  const query = `{ auctionPage(fundraiserId: "${latest.id}") { fundraiser { name } items { lot name currentBid endsAt bids(first: 1) { amount bidder { displayName } } } } }`
  return `Try:\n\n  curl -s ${url}/graphql -H 'content-type: application/json' -d '${JSON.stringify({ query })}'\n`
}
