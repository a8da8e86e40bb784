import { type ExistingProvider, type FactoryProvider, Logger } from '@nestjs/common'
import { ModuleRef, ModulesContainer } from '@nestjs/core'
import { BlockWatch, EventLoopPressure } from '@model-cache/event-loop'
import { registryOf, Slicer } from '@model-cache/event-loop/internal'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { CacheObserver } from '../cache/telemetry/observer.js'
import { ModelCacheWrites, type Store } from '../protocol/index.js'
import { duplicateNestError, invalidOptionError, missingRootError } from '../configuration-errors.js'
import { createCacheMetrics } from '../metrics/cache-metrics.js'
import { withDiagnostics } from '../metrics/diagnostics.js'
import { createStore } from '../registry/create-store.js'
import { MODEL_CACHE_OPTIONS, type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import {
  getCacheStateToken,
  getModelCacheStoreToken,
  getModelCacheToken,
  getModelCacheWritesToken,
  getObserverToken,
} from './model-cache.tokens.js'
import { nestLog } from './nest-log.js'
import { createRootWarmer } from './root-warmer.js'

/** Creates the providers that the caches of one root share. */
export function createRootProviders(root: string | undefined): (FactoryProvider | ExistingProvider)[] {
  const [observer, store, writes, registry] = [
    getObserverToken(root),
    getModelCacheStoreToken(root),
    getModelCacheWritesToken(root),
    getRegistryToken(root),
  ]
  return [
    {
      provide: observer,
      inject: [MODEL_CACHE_OPTIONS],
      useFactory: async ({ metricsPrefix, registry }: ModelCacheModuleOptions) =>
        withDiagnostics(createCacheMetrics(await registryOf(registry), { prefix: metricsPrefix, root })),
    },
    {
      provide: store,
      inject: [MODEL_CACHE_OPTIONS, observer],
      useFactory: (options: ModelCacheModuleOptions, observer: CacheObserver) =>
        createStore(options, observer, nestLog(new Logger('ModelCache'))),
    },
    {
      provide: writes,
      inject: [MODEL_CACHE_OPTIONS, store],
      useFactory: (options: ModelCacheModuleOptions, store: Store) =>
        new ModelCacheWrites({
          store,
          namespace: namespaceOf(options, root),
          ...(options.consistency && { consistency: options.consistency }),
          ...(options.atRest && { atRest: options.atRest }),
          ...nestLog(new Logger('ModelCache')),
        }),
    },
    {
      provide: registry,
      inject: [
        MODEL_CACHE_OPTIONS,
        store,
        observer,
        writes,
        // Optional, so that a second copy of Nest, or a missing unnamed root, is reported by the library and not by Nest.
        ...[ModuleRef, ModulesContainer, EventLoopPressure, BlockWatch, Slicer].map((token) => ({
          token,
          optional: true,
        })),
      ],
      useFactory: createRegistry(root),
    },
    { provide: getCacheStateToken(root), useExisting: registry },
  ]
}

/** The slicer that the caches of all roots share. */
export const slicerProvider: FactoryProvider<Slicer> = {
  provide: Slicer,
  inject: [MODEL_CACHE_OPTIONS, EventLoopPressure, BlockWatch],
  useFactory: (options: ModelCacheModuleOptions, pressure: EventLoopPressure, watch: BlockWatch) => {
    const slicer = new Slicer(options.eventLoop, pressure)
    watch.addInner('model-cache', () => slicer.isVisiting)
    return slicer
  },
}

/** Creates the provider of a cache, which the registry creates once for all modules. */
export function createModelCacheProvider(
  definition: AnyModelCacheDefinition,
  root?: string,
): FactoryProvider {
  return {
    provide: getModelCacheToken(definition, root),
    // Optional, so that a missing forRoot is reported by the library and not by Nest.
    inject: [{ token: getRegistryToken(root), optional: true }],
    useFactory: (registry: ModelCacheRegistry | undefined) => {
      if (!registry) throw missingRootError(definition.name, root)
      return registry.register(definition)
    },
  }
}

function createRegistry(root: string | undefined) {
  return async (
    options: ModelCacheModuleOptions,
    store: Store,
    observer: CacheObserver,
    writes: ModelCacheWrites,
    moduleRef: ModuleRef | undefined,
    modules: ModulesContainer | undefined,
    pressure: EventLoopPressure | undefined,
    watch: BlockWatch | undefined,
    slicer: Slicer | undefined,
  ) => {
    if (!moduleRef || !modules) throw duplicateNestError()
    if (!pressure || !watch || !slicer) {
      throw invalidOptionError('name', root, 'one root without a name, which watches the event loop for all')
    }
    const metrics = await registryOf(options.registry)
    const warm = options.warm && createRootWarmer(options, options.warm, { root, store, metrics })
    const namespace = namespaceOf(options, root)
    const follow = options.follow?.followFor({
      name: root,
      namespace,
      store,
      namespaceCaches: writes.cachesIn({ store, namespace }),
      metrics: { registry: metrics, prefix: options.metricsPrefix },
      log: nestLog(new Logger('ModelCache')),
    })
    return new ModelCacheRegistry({
      name: root,
      options,
      store,
      metrics,
      observer,
      writes,
      follow,
      warm,
      pressure,
      watch,
      slicer,
      moduleRef,
      modules,
    })
  }
}

/** Returns the token of the {@link ModelCacheRegistry} of a root. */
function getRegistryToken(root?: string): string | typeof ModelCacheRegistry {
  return root === undefined ? ModelCacheRegistry : `ModelCacheRegistry:${root}`
}
