import { Module } from '@nestjs/common'
import type { DynamicModule } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { auctionBidCache } from '../auction-bid/auction-bid.cache.js'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { itemBidsCache } from '../auction-item/item-bids.cache.js'
import type { AppConfig } from '../config/app-config.js'
import { AppConfigModule } from '../config/app-config.module.js'
import { fundraiserItemsCache, fundraiserOffersCache } from '../fundraiser/fundraiser-lists.cache.js'
import { fundraiserCache } from '../fundraiser/fundraiser.cache.js'
import { CachingModule } from '../infrastructure/caching/caching.module.js'
import { DatabaseModule } from '../infrastructure/database/database.module.js'
import { ValkeyModule } from '../infrastructure/valkey/valkey.module.js'
import { itemCache } from '../item/item.cache.js'
import { userCache } from '../user/user.cache.js'
import { SeedService } from './seed.service.js'

/** The database and the caches, without a server. */
@Module({})
export class SeedModule {
  static register(config: AppConfig): DynamicModule {
    return {
      module: SeedModule,
      imports: [
        AppConfigModule.register(config),
        DatabaseModule,
        ValkeyModule,
        CachingModule,
        ModelCacheModule.forFeature([
          auctionBidCache,
          auctionItemCache,
          fundraiserCache,
          fundraiserItemsCache,
          fundraiserOffersCache,
          itemBidsCache,
          itemCache,
          userCache,
        ]),
      ],
      providers: [SeedService],
    }
  }
}
