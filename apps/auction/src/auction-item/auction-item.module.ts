import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { auctionBidCache } from '../auction-bid/auction-bid.cache.js'
import { itemCache } from '../item/item.cache.js'
import { userCache } from '../user/user.cache.js'
import { auctionItemCache } from './auction-item.cache.js'
import { AuctionItemMutations } from './auction-item.mutations.js'
import { AuctionItemResolver } from './auction-item.resolver.js'
import { BiddingService } from './bidding.service.js'
import { ItemEditorService } from './item-editor.service.js'

@Module({
  imports: [ModelCacheModule.forFeature([auctionItemCache, auctionBidCache, itemCache, userCache])],
  providers: [AuctionItemResolver, AuctionItemMutations, BiddingService, ItemEditorService],
})
export class AuctionItemModule {}
