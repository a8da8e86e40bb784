import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { guestUserCache } from '../guest-user/guest-user.cache.js'
import { userCache } from '../user/user.cache.js'
import { auctionBidCache } from './auction-bid.cache.js'
import { AuctionBidResolver } from './auction-bid.resolver.js'

// Other modules register userCache and guestUserCache too. Each definition still has a single cache.
@Module({
  imports: [ModelCacheModule.forFeature([auctionBidCache, userCache, guestUserCache])],
  providers: [AuctionBidResolver],
})
export class AuctionBidModule {}
