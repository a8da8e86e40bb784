import { Logger } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { Database } from '#prisma/database.js'
import { DATABASE } from './infrastructure/database/database.module.js'
import { PrismaService } from './infrastructure/database/prisma.service.js'
import { CACHE_PLACE } from './infrastructure/valkey/valkey.module.js'
import type { CachePlace } from './infrastructure/valkey/valkey.module.js'

/** Says which parts are running, where, and what to try first. */
export async function announce(app: NestFastifyApplication, production: boolean): Promise<void> {
  const logger = new Logger('Auction')
  const database = app.get<Database>(DATABASE)
  const cache = app.get<CachePlace>(CACHE_PLACE)
  logger.log(
    `Rows live in ${database.description} (change it with DATABASE_URL), ` +
      `caches in ${cache.description} (change it with VALKEY_URL)`,
  )
  const url = await app.getUrl()
  if (production) {
    logger.log(`Listening on ${url} (change it with HOST and PORT)`)
    return
  }
  logger.log(
    `Listening on ${url}, where the auction and its live charts are (change it with PORT); GraphiQL at ${url}/graphiql. ` +
      (await sampleQuery(app, url)),
  )
}

async function sampleQuery(app: NestFastifyApplication, url: string): Promise<string> {
  const latest = await app.get(PrismaService).fundraiser.findFirst({
    select: { id: true },
    orderBy: { auctionItems: { _count: 'desc' } },
  })
  if (!latest) return 'The database has no auction yet: npm run seed.'
  const query = `{ auctionPage(fundraiserId: "${latest.id}") { fundraiser { name } items { lot name currentBid endsAt bids(first: 1) { amount bidder { displayName } } } } }`
  return `Try:\n\n  curl -s ${url}/graphql -H 'content-type: application/json' -d '${JSON.stringify({ query })}'\n`
}
