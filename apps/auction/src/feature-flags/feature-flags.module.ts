import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { featureFlagsCache } from './feature-flags.cache.js'
import { FeatureFlagsResolver } from './feature-flags.resolver.js'

@Module({ imports: [ModelCacheModule.forFeature([featureFlagsCache])], providers: [FeatureFlagsResolver] })
export class FeatureFlagsModule {}
