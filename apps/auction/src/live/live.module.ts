import { Module } from '@nestjs/common'
import { LivenessModule } from '../liveness/liveness.module.js'
import { BurstModule } from '../burst/burst.module.js'
import { LiveFeed } from './live-feed.js'
import { LiveController } from './live.controller.js'

@Module({ imports: [LivenessModule, BurstModule], controllers: [LiveController], providers: [LiveFeed] })
export class LiveModule {}
