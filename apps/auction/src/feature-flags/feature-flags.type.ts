import { Field, ID, Int, ObjectType } from '@nestjs/graphql'
import type { Prisma, FeatureFlags as FeatureFlagsRow } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLJson } from '../infrastructure/graphql/scalars.js'

@ObjectType('FeatureFlags')
export class FeatureFlagsType implements Partial<FeatureFlagsRow> {
  @Field(() => ID) id!: string
  @Field(() => Int) revision!: number
  @Field(() => GraphQLJson) flags!: Prisma.JsonValue
  @Field(() => GraphQLDateTime) updatedAt!: Date
}
