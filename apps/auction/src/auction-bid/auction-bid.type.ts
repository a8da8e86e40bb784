import { Field, ID, ObjectType } from '@nestjs/graphql'
import type { Prisma, AuctionBid as AuctionBidRow } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLDecimal } from '../infrastructure/graphql/scalars.js'

@ObjectType('AuctionBid')
export class AuctionBidType implements Partial<AuctionBidRow> {
  @Field(() => ID) id!: string
  @Field(() => ID) auctionItemId!: string
  @Field(() => GraphQLDecimal) amount!: Prisma.Decimal
  @Field(() => GraphQLDecimal) minimumNextBid!: Prisma.Decimal
  @Field(() => String) status!: string
  @Field(() => Boolean) isProxy!: boolean
  @Field(() => String) source!: string
  @Field(() => GraphQLDateTime) placedAt!: Date
  @Field(() => GraphQLDateTime) createdAt!: Date
}
