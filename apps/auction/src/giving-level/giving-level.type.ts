import { Field, ID, Int, ObjectType } from '@nestjs/graphql'
import type { Prisma, GivingLevel as GivingLevelRow } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLDecimal } from '../infrastructure/graphql/scalars.js'

@ObjectType('GivingLevel')
export class GivingLevelType implements Partial<GivingLevelRow> {
  @Field(() => ID) id!: string
  @Field(() => ID) fundraiserId!: string
  @Field(() => String) name!: string
  @Field(() => String) description!: string
  @Field(() => GraphQLDecimal) amount!: Prisma.Decimal
  @Field(() => GraphQLDecimal, { nullable: true }) matchedAmount!: Prisma.Decimal | null
  @Field(() => Int) sortOrder!: number
  @Field(() => String, { nullable: true }) badge!: string | null
  @Field(() => String, { nullable: true }) imageUrl!: string | null
  @Field(() => [String]) benefits!: string[]
  @Field(() => Int, { nullable: true }) quantityLimit!: number | null
  @Field(() => Int) quantityClaimed!: number
  @Field(() => Boolean) active!: boolean
  @Field(() => GraphQLDateTime, { nullable: true }) startsAt!: Date | null
  @Field(() => GraphQLDateTime, { nullable: true }) endsAt!: Date | null
  @Field(() => GraphQLDateTime) createdAt!: Date
  @Field(() => GraphQLDateTime) updatedAt!: Date
}
