import { Field, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { AuctionItem, Fundraiser } from '#prisma/client/client.js'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { AuctionItemType } from '../auction-item/auction-item.type.js'
import { fundraiserCache } from '../fundraiser/fundraiser.cache.js'
import { FundraiserType } from '../fundraiser/fundraiser.type.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'

@ObjectType({ description: 'A fundraiser and all its lots' })
export class AuctionPage {
  @Field(() => FundraiserType) fundraiser!: Fundraiser
}

@Resolver(() => AuctionPage)
export class AuctionPageResolver {
  constructor(
    @InjectModelCache(fundraiserCache) private readonly fundraisers: CacheOf<typeof fundraiserCache>,
    @InjectModelCache(auctionItemCache) private readonly auctionItems: CacheOf<typeof auctionItemCache>,
  ) {}

  @Query(() => AuctionPage, { nullable: true })
  async auctionPage(@IdArg('fundraiserId') id: string): Promise<AuctionPage | null> {
    const fundraiser = await this.fundraisers.get(id)
    return fundraiser && { fundraiser }
  }

  @ResolveField(() => [AuctionItemType], { description: 'In catalogue order' })
  items(@Parent() { fundraiser }: AuctionPage): Promise<AuctionItem[]> {
    return this.auctionItems.list('ofFundraiser', fundraiser.id)
  }
}
