import { Field, ID, InputType } from '@nestjs/graphql'
import { type } from 'arktype'
import type { Prisma } from '#prisma/client/client.js'
import { GraphQLDecimal } from '../infrastructure/graphql/scalars.js'
import { price } from './price.js'

/** The demo has no sessions, so it trusts `bidderId`. */
@InputType()
export class PlaceBidInput {
  @Field(() => ID) auctionItemId!: string
  @Field(() => ID) bidderId!: string
  @Field(() => GraphQLDecimal) amount!: Prisma.Decimal
}

export const PlaceBidSchema = type({
  auctionItemId: 'string.uuid',
  bidderId: 'string.uuid',
  amount: price,
})
