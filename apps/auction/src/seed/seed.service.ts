import { Injectable } from '@nestjs/common'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import type { AuctionRows } from '#prisma/import/auction-rows.js'
import { importFile } from '#prisma/import/import-file.js'
import type { ImportResult } from '#prisma/import/import-file.js'
import { auctionBidCache } from '../auction-bid/auction-bid.cache.js'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { itemBidsCache } from '../auction-item/item-bids.cache.js'
import { fundraiserItemsCache, fundraiserOffersCache } from '../fundraiser/fundraiser-lists.cache.js'
import { fundraiserCache } from '../fundraiser/fundraiser.cache.js'
import { PrismaService } from '../infrastructure/database/prisma.service.js'
import { itemCache } from '../item/item.cache.js'
import { userCache } from '../user/user.cache.js'

/** Loads rows without the API, and invalidates them in the caches that a running API shares. */
@Injectable()
export class SeedService {
  constructor(
    private readonly prisma: PrismaService,
    @InjectModelCache(auctionBidCache) private readonly bids: CacheOf<typeof auctionBidCache>,
    @InjectModelCache(auctionItemCache) private readonly auctionItems: CacheOf<typeof auctionItemCache>,
    @InjectModelCache(fundraiserCache) private readonly fundraisers: CacheOf<typeof fundraiserCache>,
    @InjectModelCache(fundraiserItemsCache)
    private readonly fundraiserItems: CacheOf<typeof fundraiserItemsCache>,
    @InjectModelCache(fundraiserOffersCache)
    private readonly offers: CacheOf<typeof fundraiserOffersCache>,
    @InjectModelCache(itemBidsCache) private readonly itemBids: CacheOf<typeof itemBidsCache>,
    @InjectModelCache(itemCache) private readonly items: CacheOf<typeof itemCache>,
    @InjectModelCache(userCache) private readonly users: CacheOf<typeof userCache>,
  ) {}

  /** Loads the demo auction. Existing rows stay as they are, so no cached row becomes stale. */
  async loadDemo(): Promise<void> {
    await seedDemo(this.prisma)
  }

  /** Loads an auction from a gala file or a bids file. */
  async loadFile(path: string): Promise<ImportResult> {
    const result = await importFile(this.prisma, path)
    if (result.rows) await this.invalidate(result.rows, result.removedBidIds)
    return result
  }

  private async invalidate(rows: AuctionRows, removedBidIds: string[]): Promise<void> {
    const { fundraiser, users, items, auctionItems, auctionBids } = rows
    const auctionItemIds = auctionItems.map(({ id }) => id)
    await Promise.all([
      this.fundraisers.invalidate(fundraiser.id),
      this.fundraiserItems.invalidate(fundraiser.id),
      this.offers.invalidate(fundraiser.id),
      this.users.invalidate(users.map(({ id }) => id)),
      this.items.invalidate(items.map(({ id }) => id)),
      this.auctionItems.invalidate(auctionItemIds),
      this.itemBids.invalidate(auctionItemIds),
      this.bids.invalidate([...auctionBids.map(({ id }) => id), ...removedBidIds]),
    ])
  }
}
