import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { LivenessModule } from '../liveness/liveness.module.js'
import { PayloadStore } from './payload-store.js'
import { BurstController } from './burst.controller.js'
import { BurstService } from './burst.service.js'

@Module({
  imports: [LivenessModule, ModelCacheModule.forFeature([auctionItemCache])],
  controllers: [BurstController],
  providers: [BurstService, PayloadStore],
  exports: [BurstService],
})
export class BurstModule {}
