import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { sponsorBundleCache } from './sponsor-bundle.cache.js'
import { SponsorBundleResolver } from './sponsor-bundle.resolver.js'

@Module({ imports: [ModelCacheModule.forFeature([sponsorBundleCache])], providers: [SponsorBundleResolver] })
export class SponsorBundleModule {}
