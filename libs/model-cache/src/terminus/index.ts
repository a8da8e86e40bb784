/**
 * `model-cache/terminus`: health indicators for `@nestjs/terminus`.
 *
 * @module model-cache/terminus
 */
export { ModelCacheHealthModule } from './model-cache-health.module.js'
export { StoreHealthIndicator } from './store.health.js'
export { EventLoopHealthIndicator, type EventLoopHealthOptions } from './event-loop.health.js'
export { FollowHealthIndicator } from './follow.health.js'
export { L1HealthIndicator } from './l1.health.js'
export { SchemaHealthIndicator, type SchemaHealthOptions } from './schema.health.js'
export type { RootHealthOptions } from './root-health-options.js'
