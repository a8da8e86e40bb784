import { Module } from '@nestjs/common'
import { ModelCacheModule } from 'model-cache'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { LivenessModule } from '../liveness/liveness.module.js'
import { StormTexts } from './storm-texts.js'
import { StormController } from './storm.controller.js'
import { StormService } from './storm.service.js'

@Module({
  imports: [LivenessModule, ModelCacheModule.forFeature([auctionItemCache])],
  controllers: [StormController],
  providers: [StormService, StormTexts],
  exports: [StormService],
})
export class StormModule {}
