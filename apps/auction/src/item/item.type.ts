import { Field, ID, Int, ObjectType } from '@nestjs/graphql'
import type { Prisma, Item as ItemRow } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLDecimal } from '../infrastructure/graphql/scalars.js'

@ObjectType('Item')
export class ItemType implements Partial<ItemRow> {
  @Field(() => ID) id!: string
  @Field(() => String) sku!: string
  @Field(() => String) title!: string
  @Field(() => String) description!: string
  @Field(() => String) category!: string
  @Field(() => String) condition!: string
  @Field(() => String) donorName!: string
  @Field(() => String, { nullable: true }) donorUrl!: string | null
  @Field(() => GraphQLDecimal) fairMarketValue!: Prisma.Decimal
  @Field(() => Int) quantity!: number
  @Field(() => Int, { nullable: true }) weightGrams!: number | null
  @Field(() => Boolean) isVirtual!: boolean
  @Field(() => String, { nullable: true }) restrictions!: string | null
  @Field(() => GraphQLDateTime, { nullable: true }) expiresAt!: Date | null
  @Field(() => GraphQLDateTime) createdAt!: Date
  @Field(() => GraphQLDateTime) updatedAt!: Date
}
