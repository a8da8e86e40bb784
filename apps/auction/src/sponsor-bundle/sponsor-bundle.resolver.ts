import { Query, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import { IdArg } from '../infrastructure/graphql/valid-args.js'
import { sponsorBundleCache } from './sponsor-bundle.cache.js'
import type { SponsorBundleWithSponsors } from './sponsor-bundle.cache.js'
import { SponsorBundleType } from './sponsor-bundle.type.js'

@Resolver(() => SponsorBundleType)
export class SponsorBundleResolver {
  constructor(
    @InjectModelCache(sponsorBundleCache)
    private readonly bundles: CacheOf<typeof sponsorBundleCache>,
  ) {}

  @Query(() => SponsorBundleType, { nullable: true })
  sponsorBundle(@IdArg() id: string): Promise<SponsorBundleWithSponsors | null> {
    return this.bundles.get(id)
  }
}
