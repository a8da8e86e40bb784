import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql'
import type { Prisma, Fundraiser as FundraiserRow } from '#prisma/client/client.js'
import {
  GraphQLBigInt,
  GraphQLDateTime,
  GraphQLDecimal,
  GraphQLJson,
} from '../infrastructure/graphql/scalars.js'

@ObjectType('Fundraiser')
export class FundraiserType implements Partial<FundraiserRow> {
  @Field(() => ID) id!: string
  @Field(() => String) slug!: string
  @Field(() => String) name!: string
  @Field(() => String) tagline!: string
  @Field(() => String) status!: string
  @Field(() => String) currency!: string
  @Field(() => String) locale!: string
  @Field(() => String) timezone!: string
  @Field(() => String) country!: string
  @Field(() => String, { nullable: true }) city!: string | null
  @Field(() => String, { nullable: true }) venueName!: string | null
  @Field(() => String, { nullable: true }) venueAddress!: string | null
  @Field(() => Float, { nullable: true }) latitude!: number | null
  @Field(() => Float, { nullable: true }) longitude!: number | null
  @Field(() => GraphQLDateTime) startsAt!: Date
  @Field(() => GraphQLDateTime, { nullable: true }) endsAt!: Date | null
  @Field(() => GraphQLDateTime, { nullable: true }) doorsOpenAt!: Date | null
  @Field(() => GraphQLDateTime, { nullable: true }) registrationOpensAt!: Date | null
  @Field(() => GraphQLDateTime, { nullable: true }) registrationClosesAt!: Date | null
  @Field(() => GraphQLDateTime, { nullable: true }) publishedAt!: Date | null
  @Field(() => String) charityName!: string
  @Field(() => String, { nullable: true }) charityNumber!: string | null
  @Field(() => String, { nullable: true }) charityWebsite!: string | null
  @Field(() => String) charityMission!: string
  @Field(() => String) organiserName!: string
  @Field(() => String) organiserEmail!: string
  @Field(() => String, { nullable: true }) organiserPhone!: string | null
  @Field(() => GraphQLDecimal) goalAmount!: Prisma.Decimal
  @Field(() => GraphQLDecimal) raisedAmount!: Prisma.Decimal
  @Field(() => GraphQLDecimal, { nullable: true }) matchingAmount!: Prisma.Decimal | null
  @Field(() => GraphQLDecimal) minimumDonation!: Prisma.Decimal
  @Field(() => GraphQLDecimal, { nullable: true }) ticketPrice!: Prisma.Decimal | null
  @Field(() => GraphQLDecimal) platformFeePercent!: Prisma.Decimal
  @Field(() => GraphQLDecimal) processingFeePercent!: Prisma.Decimal
  @Field(() => GraphQLDecimal) processingFeeFixed!: Prisma.Decimal
  @Field(() => Int) donorCount!: number
  @Field(() => Int) guestCount!: number
  @Field(() => Int, { nullable: true }) tableCount!: number | null
  @Field(() => Int, { nullable: true }) seatsPerTable!: number | null
  @Field(() => GraphQLBigInt) pageViews!: bigint
  @Field(() => Boolean) isPublic!: boolean
  @Field(() => Boolean) isTest!: boolean
  @Field(() => Boolean) allowGuestBidding!: boolean
  @Field(() => Boolean) allowDonations!: boolean
  @Field(() => Boolean) allowPaddleTips!: boolean
  @Field(() => Boolean) requireCard!: boolean
  @Field(() => Boolean) showLeaderboard!: boolean
  @Field(() => Boolean) showGoal!: boolean
  @Field(() => Boolean) showDonorNames!: boolean
  @Field(() => Boolean) anonymiseBidders!: boolean
  @Field(() => Boolean) emailReceipts!: boolean
  @Field(() => Boolean) smsNotifications!: boolean
  @Field(() => Boolean) autoExtendBidding!: boolean
  @Field(() => Int) extendBySeconds!: number
  @Field(() => String, { nullable: true }) coverImageUrl!: string | null
  @Field(() => String, { nullable: true }) logoUrl!: string | null
  @Field(() => String) primaryColor!: string
  @Field(() => String) accentColor!: string
  @Field(() => GraphQLJson) theme!: Prisma.JsonValue
  @Field(() => GraphQLJson) socialLinks!: Prisma.JsonValue
  @Field(() => GraphQLJson) faq!: Prisma.JsonValue
  @Field(() => [String]) tags!: string[]
  @Field(() => String) description!: string
  @Field(() => String) story!: string
  @Field(() => String) termsAndConditions!: string
  @Field(() => String) privacyNotice!: string
  @Field(() => String) biddingRules!: string
  @Field(() => String) collectionNotes!: string
  @Field(() => String) emailFooter!: string
  @Field(() => GraphQLDateTime) createdAt!: Date
  @Field(() => GraphQLDateTime) updatedAt!: Date
}
