import { Field, ID, InputType } from '@nestjs/graphql'
import { type } from 'arktype'
import type { Prisma } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLDecimal } from '../infrastructure/graphql/scalars.js'
import { price } from './price.js'

/** Fields that are left out keep their value. */
@InputType()
export class EditItemInput {
  @Field(() => ID) id!: string
  @Field(() => String, { nullable: true }) name?: string
  @Field(() => String, { nullable: true }) description?: string
  @Field(() => String, { nullable: true }) label?: string | null
  @Field(() => Boolean, { nullable: true }) showLabel?: boolean
  @Field(() => GraphQLDecimal, { nullable: true }) minimumIncrement?: Prisma.Decimal
  @Field(() => GraphQLDateTime, { nullable: true }) endsAt?: Date | null
  @Field(() => String, { nullable: true }) terms?: string | null
}

export const EditItemSchema = type({
  id: 'string.uuid',
  'name?': '1 <= string <= 300',
  'description?': 'string <= 20000',
  'label?': 'string <= 60 | null',
  'showLabel?': 'boolean',
  'minimumIncrement?': price,
  'endsAt?': 'Date | null',
  'terms?': 'string <= 20000 | null',
}).narrow(
  (input, ctx) =>
    Object.keys(input).length > 1 ||
    ctx.reject({ expected: 'an id and at least one field to change', actual: 'an id alone' }),
)
