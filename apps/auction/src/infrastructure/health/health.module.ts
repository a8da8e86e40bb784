import { Module } from '@nestjs/common'
import { ModelCacheHealthModule } from 'model-cache/terminus'
import { HealthController } from './health.controller.js'

@Module({ imports: [ModelCacheHealthModule], controllers: [HealthController] })
export class HealthModule {}
