import { NestFactory } from '@nestjs/core'
import { type CacheOf, getModelCacheToken, MODEL_CACHE_STORE, modelCaches, type Store } from 'model-cache'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { moduleOf, PRISMA } from '../../application.ts'
import { inflict } from '../../defects.ts'
import { AUCTION } from '../auction.ts'
import { addNames, HIGHEST, readPage, type HighestBids } from '../page.ts'
import { MAX_ENTRIES, TTL_MS, type ListsEnvironment, type OpenLists } from '../variant.ts'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** Whether rows and lists also stay in the memory of the process, and whether all callers of a tick get the same rows. */
export interface Mode {
  readonly hasL1: boolean
  readonly sharesRows: boolean
}

const optionsOf = ({ hasL1, sharesRows }: Mode) => ({
  ttl: TTL_MS,
  ...(hasL1 && { l1: { ttl: TTL_MS, maxEntries: MAX_ENTRIES } }),
  ...(sharesRows && { rows: 'shared' as const }),
})

/** The lists of the demo, whose orders end with the id by themselves. */
const defineCaches = (mode: Mode) => ({
  lots: defineModelCache('AuctionItem', {
    ...optionsOf(mode),
    lists: { ofFundraiser: { by: 'fundraiserId', orderBy: { sortOrder: 'asc' } } },
  }),
  bids: defineModelCache('AuctionBid', {
    ...optionsOf(mode),
    lists: {
      topOfItem: {
        by: 'auctionItemId',
        orderBy: [{ amount: 'desc' }, { placedAt: 'asc' }],
        limit: HIGHEST,
      },
    },
  }),
  users: defineModelCache('User', optionsOf(mode)),
})

/** On a busy machine the store may answer late. The other variants wait for it without a limit. */
const DEADLINE_MS = 5_000

/** An application with three caches, as docs/getting-started.md has it. Nothing is ended by hand but for the bench. */
export async function openModelCache(
  { defect, prisma, valkeyUrl }: ListsEnvironment,
  mode: Mode,
): Promise<OpenLists> {
  const definitions = defineCaches(mode)
  const valkey = { url: valkeyUrl, deadlineMs: DEADLINE_MS }
  const application = await NestFactory.createApplicationContext(
    moduleOf({ open: () => prisma, valkey, definitions }),
    { logger: false },
  )
  if (defect) inflict(application.get<Store>(MODEL_CACHE_STORE), defect)
  const lots: CacheOf<typeof definitions.lots> = application.get(getModelCacheToken(definitions.lots))
  const bids: CacheOf<typeof definitions.bids> = application.get(getModelCacheToken(definitions.bids))
  const users: CacheOf<typeof definitions.users> = application.get(getModelCacheToken(definitions.users))

  const namesOf = async (ids: readonly string[]): Promise<string[]> =>
    (await users.getMany(ids)).map((user) => user!.displayName)
  const highest = async (lotIds: readonly string[]): Promise<HighestBids[]> =>
    addNames(await bids.listMany('topOfItem', lotIds), namesOf)
  return {
    highest,
    page: () => readPage(() => lots.list('ofFundraiser', AUCTION), highest),
    endLists: (lotIds) => bids.invalidateBy('topOfItem', lotIds),
    async forget() {
      for (const cache of [lots, bids, users]) await cache.invalidateAll()
    },
    writer: application.get<PrismaClient>(PRISMA),
  }
}
