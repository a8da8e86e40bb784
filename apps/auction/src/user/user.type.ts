import { Field, ID, Int, ObjectType } from '@nestjs/graphql'
import type { User as UserRow } from '#prisma/client/client.js'
import { GraphQLDateTime } from '../infrastructure/graphql/scalars.js'

/** The fields of a user that other bidders may see. */
@ObjectType('User')
export class UserType implements Partial<UserRow> {
  @Field(() => ID) id!: string
  @Field(() => String) displayName!: string
  @Field(() => String, { nullable: true }) avatarUrl!: string | null
  @Field(() => String, { nullable: true }) city!: string | null
  @Field(() => String) country!: string
  @Field(() => String) locale!: string
  @Field(() => String) timezone!: string
  @Field(() => Int) rating!: number
  @Field(() => Boolean) isVerified!: boolean
  @Field(() => GraphQLDateTime) createdAt!: Date
  @Field(() => GraphQLDateTime) updatedAt!: Date
}
