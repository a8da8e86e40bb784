import { ID, Int, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { type } from 'arktype'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { AuctionBid, AuctionItem, Item, Prisma } from '#prisma/client/client.js'
import { auctionBidCache } from '../auction-bid/auction-bid.cache.js'
import { AuctionBidType } from '../auction-bid/auction-bid.type.js'
import { GraphQLDecimal } from '../infrastructure/graphql/scalars.js'
import { IdArg, ValidArgs } from '../infrastructure/graphql/valid-args.js'
import { itemCache } from '../item/item.cache.js'
import { ItemType } from '../item/item.type.js'
import { AuctionImage, readImages } from './auction-image.js'
import { auctionItemCache } from './auction-item.cache.js'
import { AuctionItemType } from './auction-item.type.js'

@Resolver(() => AuctionItemType)
export class AuctionItemResolver {
  constructor(
    @InjectModelCache(auctionItemCache) private readonly auctionItems: CacheOf<typeof auctionItemCache>,
    @InjectModelCache(auctionBidCache) private readonly auctionBids: CacheOf<typeof auctionBidCache>,
    @InjectModelCache(itemCache) private readonly items: CacheOf<typeof itemCache>,
  ) {}

  @Query(() => AuctionItemType, { nullable: true })
  auctionItem(@IdArg() id: string): Promise<AuctionItem | null> {
    return this.auctionItems.get(id)
  }

  @Query(() => [AuctionItemType], {
    name: 'auctionItems',
    description: 'In the order of the ids, without those that no item has',
  })
  async itemsById(
    @ValidArgs('ids', type('string.uuid[] <= 100'), { type: () => [ID] }) ids: string[],
  ): Promise<AuctionItem[]> {
    const items = await this.auctionItems.getMany(ids)
    return items.filter((item) => item !== null)
  }

  @Query(() => AuctionItemType, { nullable: true, description: 'By its place in the catalogue' })
  auctionItemAt(
    @IdArg('fundraiserId') fundraiserId: string,
    @ValidArgs('lot', type('string <= 100'), { type: () => String }) lot: string,
  ): Promise<AuctionItem | null> {
    return this.auctionItems.getBy('place', { fundraiserId, lot })
  }

  @ResolveField(() => [AuctionBidType], { description: 'Highest first' })
  async bids(
    @Parent() { id }: AuctionItem,
    @ValidArgs('first', type('0 <= number.integer <= 100'), { type: () => Int, defaultValue: 10 })
    first: number,
  ): Promise<AuctionBid[]> {
    const bids = await this.auctionBids.list(first > 10 ? 'ofItem' : 'topOfItem', id)
    return bids.slice(0, first)
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
