import { Int, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { type } from 'arktype'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { AuctionBid, AuctionItem, Item, Prisma } from '#prisma/client/client.js'
import { auctionBidCache } from '../auction-bid/auction-bid.cache.js'
import { AuctionBidType } from '../auction-bid/auction-bid.type.js'
import { rowsOfIds } from '../infrastructure/caching/rows-of-ids.js'
import { GraphQLDecimal } from '../infrastructure/graphql/scalars.js'
import { IdArg, ValidArgs } from '../infrastructure/graphql/valid-args.js'
import { itemCache } from '../item/item.cache.js'
import { ItemType } from '../item/item.type.js'
import { AuctionImage, readImages } from './auction-image.js'
import { auctionItemCache } from './auction-item.cache.js'
import { AuctionItemType } from './auction-item.type.js'
import { itemBidsCache } from './item-bids.cache.js'

@Resolver(() => AuctionItemType)
export class AuctionItemResolver {
  constructor(
    @InjectModelCache(auctionItemCache) private readonly auctionItems: CacheOf<typeof auctionItemCache>,
    @InjectModelCache(itemBidsCache) private readonly itemBids: CacheOf<typeof itemBidsCache>,
    @InjectModelCache(auctionBidCache) private readonly auctionBids: CacheOf<typeof auctionBidCache>,
    @InjectModelCache(itemCache) private readonly items: CacheOf<typeof itemCache>,
  ) {}

  @Query(() => AuctionItemType, { nullable: true })
  auctionItem(@IdArg() id: string): Promise<AuctionItem | null> {
    return this.auctionItems.get(id)
  }

  @ResolveField(() => [AuctionBidType], { description: 'Highest first' })
  async bids(
    @Parent() { id }: AuctionItem,
    @ValidArgs('first', type('0 <= number.integer <= 100'), { type: () => Int, defaultValue: 10 })
    first: number,
  ): Promise<AuctionBid[]> {
    const list = await this.itemBids.get(id)
    return rowsOfIds(this.auctionBids, list?.bids.slice(0, first))
  }

  @ResolveField(() => ItemType, { nullable: true })
  item(@Parent() { itemId }: AuctionItem): Promise<Item | null> {
    return this.items.get(itemId)
  }

  @ResolveField(() => [AuctionImage])
  images(@Parent() { images }: AuctionItem): AuctionImage[] {
    return readImages(images)
  }

  @ResolveField(() => GraphQLDecimal, {
    nullable: true,
    description: 'null while the reserve price is hidden',
  })
  reservePrice(@Parent() { hideReservePrice, reservePrice }: AuctionItem): Prisma.Decimal | null {
    return hideReservePrice ? null : reservePrice
  }
}
