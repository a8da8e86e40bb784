import { Field, ID, ObjectType } from '@nestjs/graphql'
import type { GuestUser as GuestUserRow } from '#prisma/client/client.js'
import { GraphQLDateTime } from '../infrastructure/graphql/scalars.js'

/** Leaves out the e-mail address, which other bidders must not see. */
@ObjectType('GuestUser')
export class GuestUserType implements Partial<GuestUserRow> {
  @Field(() => ID) id!: string
  @Field(() => String) name!: string
  @Field(() => GraphQLDateTime) createdAt!: Date
}
