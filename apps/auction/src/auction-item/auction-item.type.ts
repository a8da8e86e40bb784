import { Field, ID, Int, ObjectType } from '@nestjs/graphql'
import type { Prisma, AuctionItem as AuctionItemRow } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLDecimal } from '../infrastructure/graphql/scalars.js'

@ObjectType('AuctionItem')
export class AuctionItemType implements Partial<AuctionItemRow> {
  @Field(() => ID) id!: string
  @Field(() => ID) fundraiserId!: string
  @Field(() => String) lot!: string
  @Field(() => String) name!: string
  @Field(() => String) description!: string
  @Field(() => String) itemType!: string
  @Field(() => String) category!: string
  @Field(() => String, { nullable: true }) label!: string | null
  @Field(() => Boolean) showLabel!: boolean
  @Field(() => Int) sortOrder!: number
  @Field(() => Boolean) imageCover!: boolean
  @Field(() => String) donorName!: string
  @Field(() => GraphQLDecimal) fairMarketValue!: Prisma.Decimal
  @Field(() => GraphQLDecimal) startingPrice!: Prisma.Decimal
  @Field(() => GraphQLDecimal) minimumIncrement!: Prisma.Decimal
  @Field(() => GraphQLDecimal) minimumNextBid!: Prisma.Decimal
  @Field(() => GraphQLDecimal, { nullable: true }) buyNowPrice!: Prisma.Decimal | null
  @Field(() => Boolean) reservePriceEnabled!: boolean
  @Field(() => Boolean) hideReservePrice!: boolean
  @Field(() => Boolean) hideUnitsAvailable!: boolean
  @Field(() => Boolean) hideBidder!: boolean
  @Field(() => Boolean) hidePrice!: boolean
  @Field(() => Boolean) hideStatusBadge!: boolean
  @Field(() => Boolean) liveAuctionItem!: boolean
  @Field(() => Boolean) enableLiveAuction!: boolean
  @Field(() => Boolean) sealedBidItem!: boolean
  @Field(() => Int) unitsAvailable!: number
  @Field(() => String) status!: string
  @Field(() => GraphQLDateTime) startsAt!: Date
  @Field(() => GraphQLDateTime, { nullable: true }) endsAt!: Date | null
  @Field(() => GraphQLDecimal, { nullable: true }) currentBid!: Prisma.Decimal | null
  @Field(() => Int) bidCount!: number
  @Field(() => GraphQLDateTime, { nullable: true }) lastBidAt!: Date | null
  @Field(() => String, { nullable: true }) terms!: string | null
  @Field(() => String, { nullable: true }) collectionNotes!: string | null
  @Field(() => GraphQLDateTime) createdAt!: Date
  @Field(() => GraphQLDateTime) updatedAt!: Date
}
