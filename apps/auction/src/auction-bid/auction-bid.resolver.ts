import { Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { AuctionBid, GuestUser, User } from '#prisma/client/client.js'
import { guestUserCache } from '../guest-user/guest-user.cache.js'
import { GuestUserType } from '../guest-user/guest-user.type.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'
import { userCache } from '../user/user.cache.js'
import { UserType } from '../user/user.type.js'
import { auctionBidCache } from './auction-bid.cache.js'
import { AuctionBidType } from './auction-bid.type.js'

@Resolver(() => AuctionBidType)
export class AuctionBidResolver {
  constructor(
    @InjectModelCache(auctionBidCache) private readonly bids: CacheOf<typeof auctionBidCache>,
    @InjectModelCache(userCache) private readonly users: CacheOf<typeof userCache>,
    @InjectModelCache(guestUserCache) private readonly guests: CacheOf<typeof guestUserCache>,
  ) {}

  @Query(() => AuctionBidType, { nullable: true })
  auctionBid(@IdArg() id: string): Promise<AuctionBid | null> {
    return this.bids.get(id)
  }

  // One read per bid: the cache batches all reads of a tick into one command.
  @ResolveField(() => UserType, { nullable: true })
  bidder(@Parent() bid: AuctionBid): Promise<User | null> {
    return this.users.get(bid.bidderId)
  }

  @ResolveField(() => GuestUserType, {
    nullable: true,
    description: 'The guest on whose behalf the bid was placed',
  })
  guest(@Parent() bid: AuctionBid): Promise<GuestUser | null> | null {
    return bid.guestId === null ? null : this.guests.get(bid.guestId)
  }
}
