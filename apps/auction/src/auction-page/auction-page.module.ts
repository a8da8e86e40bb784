import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { fundraiserCache } from '../fundraiser/fundraiser.cache.js'
import { AuctionPageResolver } from './auction-page.resolver.js'

@Module({
  imports: [ModelCacheModule.forFeature([fundraiserCache, auctionItemCache])],
  providers: [AuctionPageResolver],
})
export class AuctionPageModule {}
