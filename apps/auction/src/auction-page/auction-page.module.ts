import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { fundraiserListsCache } from '../fundraiser/fundraiser-lists.cache.js'
import { fundraiserCache } from '../fundraiser/fundraiser.cache.js'
import { AuctionPageResolver } from './auction-page.resolver.js'

@Module({
  imports: [ModelCacheModule.forFeature([fundraiserCache, fundraiserListsCache, auctionItemCache])],
  providers: [AuctionPageResolver],
})
export class AuctionPageModule {}
