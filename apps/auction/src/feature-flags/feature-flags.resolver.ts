import { Query, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { FeatureFlags } from '#prisma/client/client.js'
import { featureFlagsCache } from './feature-flags.cache.js'
import { FeatureFlagsType } from './feature-flags.type.js'

/** The id of the only row. */
const FEATURE_FLAGS_ID = 'default'

@Resolver(() => FeatureFlagsType)
export class FeatureFlagsResolver {
  constructor(
    @InjectModelCache(featureFlagsCache) private readonly flags: CacheOf<typeof featureFlagsCache>,
  ) {}

  @Query(() => FeatureFlagsType, { nullable: true })
  featureFlags(): Promise<FeatureFlags | null> {
    return this.flags.get(FEATURE_FLAGS_ID)
  }
}
