import { Field, ID, Int, ObjectType } from '@nestjs/graphql'
import type { Prisma, Sponsor as SponsorRow } from '#prisma/client/client.js'
import { GraphQLDateTime, GraphQLDecimal } from '../infrastructure/graphql/scalars.js'
import type { SponsorBundleWithSponsors } from './sponsor-bundle.cache.js'

@ObjectType('Sponsor')
export class SponsorType implements Partial<SponsorRow> {
  @Field(() => ID) id!: string
  @Field(() => String) name!: string
  @Field(() => String, { nullable: true }) websiteUrl!: string | null
  @Field(() => String) logoUrl!: string
  @Field(() => String, { nullable: true }) tagline!: string | null
  @Field(() => GraphQLDecimal) pledged!: Prisma.Decimal
  @Field(() => GraphQLDateTime) pledgedAt!: Date
  @Field(() => GraphQLDateTime, { nullable: true }) paidAt!: Date | null
  @Field(() => Int) sortOrder!: number
}

@ObjectType('SponsorBundle')
export class SponsorBundleType implements Partial<Omit<SponsorBundleWithSponsors, 'sponsors'>> {
  @Field(() => ID) id!: string
  @Field(() => ID) fundraiserId!: string
  @Field(() => String) name!: string
  @Field(() => String) tier!: string
  @Field(() => String) description!: string
  @Field(() => GraphQLDecimal) price!: Prisma.Decimal
  @Field(() => GraphQLDecimal) taxValue!: Prisma.Decimal
  @Field(() => Int) seats!: number
  @Field(() => [String]) benefits!: string[]
  @Field(() => Int) sortOrder!: number
  @Field(() => GraphQLDateTime, { nullable: true }) publishedAt!: Date | null
  @Field(() => GraphQLDateTime) createdAt!: Date
  @Field(() => GraphQLDateTime) updatedAt!: Date
  @Field(() => [SponsorType]) sponsors!: SponsorType[]
}
