import { Module } from '@nestjs/common'
import { LivenessModule } from '../liveness/liveness.module.js'
import { StormModule } from '../storm/storm.module.js'
import { LiveFeed } from './live-feed.js'
import { LiveController } from './live.controller.js'

@Module({ imports: [LivenessModule, StormModule], controllers: [LiveController], providers: [LiveFeed] })
export class LiveModule {}
