import { Field, ID, Int, ObjectType } from '@nestjs/graphql'
import type { Prisma, PaddleTipConfig as PaddleTipConfigRow } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLDecimal } from '../infrastructure/graphql/scalars.js'

@ObjectType('PaddleTipConfig')
export class PaddleTipConfigType implements Partial<PaddleTipConfigRow> {
  @Field(() => ID) id!: string
  @Field(() => ID) fundraiserId!: string
  @Field(() => Boolean) enabled!: boolean
  @Field(() => String) headline!: string
  @Field(() => String) explanation!: string
  @Field(() => [Int]) suggestedPercentages!: number[]
  @Field(() => GraphQLDecimal) defaultPercentage!: Prisma.Decimal
  @Field(() => GraphQLDecimal) minimumAmount!: Prisma.Decimal
  @Field(() => GraphQLDecimal, { nullable: true }) maximumAmount!: Prisma.Decimal | null
  @Field(() => Boolean) coverFeesByDefault!: boolean
  @Field(() => Boolean) roundUp!: boolean
  @Field(() => GraphQLDateTime) createdAt!: Date
  @Field(() => GraphQLDateTime) updatedAt!: Date
}
