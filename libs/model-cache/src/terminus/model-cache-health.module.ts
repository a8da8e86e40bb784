import { Module } from '@nestjs/common'
import { TerminusModule } from '@nestjs/terminus'
import { EventLoopHealthIndicator } from './event-loop.health.js'
import { FollowHealthIndicator } from './follow.health.js'
import { L1HealthIndicator } from './l1.health.js'
import { SchemaHealthIndicator } from './schema.health.js'
import { StoreHealthIndicator } from './store.health.js'

/**
 * Provides the health indicators and re-exports TerminusModule. It requires `ModelCacheModule.forRoot`.
 *
 * @example
 * ```ts
 * @Module({ imports: [ModelCacheHealthModule], controllers: [HealthController] })
 * export class HealthModule {}
 * ```
 */
@Module({
  imports: [TerminusModule],
  providers: [
    StoreHealthIndicator,
    L1HealthIndicator,
    FollowHealthIndicator,
    SchemaHealthIndicator,
    EventLoopHealthIndicator,
  ],
  exports: [
    TerminusModule,
    StoreHealthIndicator,
    L1HealthIndicator,
    FollowHealthIndicator,
    SchemaHealthIndicator,
    EventLoopHealthIndicator,
  ],
})
export class ModelCacheHealthModule {}
