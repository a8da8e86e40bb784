import { Parent, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { Fundraiser, GivingLevel, PaddleTipConfig } from '#prisma/client/client.js'
import { givingLevelCache } from '../giving-level/giving-level.cache.js'
import { GivingLevelType } from '../giving-level/giving-level.type.js'
import { PrismaService } from '../infrastructure/database/prisma.service.js'
import { IdArg } from '../infrastructure/graphql/valid-args.js'
import { paddleTipConfigCache } from '../paddle-tip-config/paddle-tip-config.cache.js'
import { PaddleTipConfigType } from '../paddle-tip-config/paddle-tip-config.type.js'
import { sponsorBundleCache } from '../sponsor-bundle/sponsor-bundle.cache.js'
import type { SponsorBundleWithSponsors } from '../sponsor-bundle/sponsor-bundle.cache.js'
import { SponsorBundleType } from '../sponsor-bundle/sponsor-bundle.type.js'
import { fundraiserCache } from './fundraiser.cache.js'
import { FundraiserType } from './fundraiser.type.js'

@Resolver(() => FundraiserType)
export class FundraiserResolver {
  constructor(
    private readonly prisma: PrismaService,
    @InjectModelCache(fundraiserCache) private readonly fundraiserRows: CacheOf<typeof fundraiserCache>,
    @InjectModelCache(givingLevelCache) private readonly levels: CacheOf<typeof givingLevelCache>,
    @InjectModelCache(sponsorBundleCache)
    private readonly bundles: CacheOf<typeof sponsorBundleCache>,
    @InjectModelCache(paddleTipConfigCache) private readonly tips: CacheOf<typeof paddleTipConfigCache>,
  ) {}

  @Query(() => FundraiserType, { nullable: true })
  fundraiser(@IdArg() id: string): Promise<Fundraiser | null> {
    return this.fundraiserRows.get(id)
  }

  /** Reads the ids from the database, a cheap query, so that a new fundraiser appears at once. */
  @Query(() => [FundraiserType], { description: 'The latest hundred' })
  async fundraisers(): Promise<Fundraiser[]> {
    const found = await this.prisma.fundraiser.findMany({
      select: { id: true },
      orderBy: [{ startsAt: 'desc' }, { id: 'asc' }],
      take: 100,
    })
    const rows = await this.fundraiserRows.getMany(found.map(({ id }) => id))
    // One may be deleted after the query.
    return rows.filter((row) => row !== null)
  }

  @ResolveField(() => [GivingLevelType])
  givingLevels(@Parent() { id }: Fundraiser): Promise<GivingLevel[]> {
    return this.levels.list('ofFundraiser', id)
  }

  @ResolveField(() => [SponsorBundleType])
  sponsorBundles(@Parent() { id }: Fundraiser): Promise<SponsorBundleWithSponsors[]> {
    return this.bundles.list('ofFundraiser', id)
  }

  @ResolveField(() => PaddleTipConfigType, { nullable: true })
  paddleTipConfig(@Parent() { id }: Fundraiser): Promise<PaddleTipConfig | null> {
    return this.tips.get(id)
  }

  @ResolveField(() => String, { nullable: true, description: 'A tiny picture as base64' })
  coverPreview(@Parent() { coverPreview }: Fundraiser): string | null {
    return coverPreview && Buffer.from(coverPreview).toString('base64')
  }
}
