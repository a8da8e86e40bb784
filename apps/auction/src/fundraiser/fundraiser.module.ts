import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { givingLevelCache } from '../giving-level/giving-level.cache.js'
import { paddleTipConfigCache } from '../paddle-tip-config/paddle-tip-config.cache.js'
import { sponsorBundleCache } from '../sponsor-bundle/sponsor-bundle.cache.js'
import { fundraiserCache } from './fundraiser.cache.js'
import { FundraiserResolver } from './fundraiser.resolver.js'

@Module({
  imports: [
    ModelCacheModule.forFeature([
      fundraiserCache,
      givingLevelCache,
      sponsorBundleCache,
      paddleTipConfigCache,
    ]),
  ],
  providers: [FundraiserResolver],
})
export class FundraiserModule {}
