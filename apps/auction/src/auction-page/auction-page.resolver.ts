import { Field, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { AuctionItem, Fundraiser } from '#prisma/client/client.js'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { AuctionItemType } from '../auction-item/auction-item.type.js'
import { fundraiserItemsCache } from '../fundraiser/fundraiser-lists.cache.js'
import { fundraiserCache } from '../fundraiser/fundraiser.cache.js'
import { FundraiserType } from '../fundraiser/fundraiser.type.js'
import { rowsOfIds } from '../infrastructure/caching/rows-of-ids.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'

@ObjectType({ description: 'A fundraiser and all its lots' })
export class AuctionPage {
  @Field(() => FundraiserType) fundraiser!: Fundraiser
}

@Resolver(() => AuctionPage)
export class AuctionPageResolver {
  constructor(
    @InjectModelCache(fundraiserCache) private readonly fundraisers: CacheOf<typeof fundraiserCache>,
    @InjectModelCache(fundraiserItemsCache) private readonly lists: CacheOf<typeof fundraiserItemsCache>,
    @InjectModelCache(auctionItemCache) private readonly auctionItems: CacheOf<typeof auctionItemCache>,
  ) {}

  @Query(() => AuctionPage, { nullable: true })
  async auctionPage(@IdArg('fundraiserId') id: string): Promise<AuctionPage | null> {
    const fundraiser = await this.fundraisers.get(id)
    return fundraiser && { fundraiser }
  }

  @ResolveField(() => [AuctionItemType], { description: 'In catalogue order' })
  async items(@Parent() { fundraiser }: AuctionPage): Promise<AuctionItem[]> {
    const list = await this.lists.get(fundraiser.id)
    return rowsOfIds(this.auctionItems, list?.auctionItems)
  }
}
