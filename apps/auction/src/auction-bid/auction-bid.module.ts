import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { guestUserCache } from '../guest-user/guest-user.cache.js'
import { userCache } from '../user/user.cache.js'
import { auctionBidCache } from './auction-bid.cache.js'
import { AuctionBidResolver } from './auction-bid.resolver.js'

// Users and guests have modules of their own that register the same definitions: each still has one cache.
@Module({
  imports: [ModelCacheModule.forFeature([auctionBidCache, userCache, guestUserCache])],
  providers: [AuctionBidResolver],
})
export class AuctionBidModule {}
