import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { givingLevelCache } from './giving-level.cache.js'
import { GivingLevelResolver } from './giving-level.resolver.js'

@Module({ imports: [ModelCacheModule.forFeature([givingLevelCache])], providers: [GivingLevelResolver] })
export class GivingLevelModule {}
