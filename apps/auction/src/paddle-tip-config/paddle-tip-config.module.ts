import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { paddleTipConfigCache } from './paddle-tip-config.cache.js'
import { PaddleTipConfigResolver } from './paddle-tip-config.resolver.js'

@Module({
  imports: [ModelCacheModule.forFeature([paddleTipConfigCache])],
  providers: [PaddleTipConfigResolver],
})
export class PaddleTipConfigModule {}
