/**
 * `model-cache/terminus`: health indicators for `@nestjs/terminus`.
 *
 * @module model-cache/terminus
 */
export {
  StoreHealthIndicator,
  type RootHealthOptions,
  L1HealthIndicator,
  FollowHealthIndicator,
  SchemaHealthIndicator,
  type SchemaHealthOptions,
  EventLoopHealthIndicator,
  type EventLoopHealthOptions,
  ModelCacheHealthModule,
} from './health.js'
