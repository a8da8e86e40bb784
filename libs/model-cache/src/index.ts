/**
 * `model-cache`: what an application with Nest needs, and all of `model-cache/prisma`. Stores, tools and tests of the library itself use
 * `model-cache/advanced`; an application without caches uses `@model-cache/event-loop`.
 *
 * @module model-cache
 */

// Definitions, caches, clients, events and errors
export * from './prisma.js'

// Nest modules, tokens and providers
export { ModelCacheModule } from './nest/model-cache.module.js'
export type { ModelCacheModuleOptions } from './nest/model-cache.options.js'
export { provideExtendedPrisma } from './nest/provide-extended-prisma.js'
export {
  getModelCacheStoreToken,
  getModelCacheToken,
  getModelCacheWritesToken,
  MODEL_CACHE_STORE,
  InjectModelCache,
} from './nest/model-cache.tokens.js'
export { EventLoopLagInterceptor, EventLoopPressureGuard, NeverShed } from '@model-cache/event-loop'
