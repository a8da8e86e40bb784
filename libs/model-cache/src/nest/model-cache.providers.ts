import { type ExistingProvider, type FactoryProvider, Logger } from '@nestjs/common'
import { ModuleRef, ModulesContainer } from '@nestjs/core'
import { register } from 'prom-client'
import type { AnyModelCacheDefinition } from '../cache/definition.js'
import type { CacheObserver } from '../cache/observer.js'
import { ModelCacheWrites } from '../consistency/writes.js'
import { InvalidOptionError, MissingRootError } from '../errors.js'
import { BlockWatch } from '../event-loop/block-watch.js'
import { EventLoopPressure } from '../event-loop/pressure.js'
import { Slicer } from '../event-loop/slicer.js'
import { createCacheMetrics } from '../metrics/cache-metrics.js'
import { withDiagnostics } from '../metrics/diagnostics.js'
import { MemoryStore } from '../store/memory-store.js'
import type { Store, StoreStateListener } from '../store/store.js'
import { ValkeyStore } from '../store/valkey-store.js'
import { MODEL_CACHE_OPTIONS, type ModelCacheModuleOptions, namespaceOf } from './model-cache.options.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import {
  getCacheStateToken,
  getModelCacheStoreToken,
  getModelCacheToken,
  getModelCacheWritesToken,
  getObserverToken,
} from './model-cache.tokens.js'

/** What all caches of one root share. */
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
      useFactory: ({ metricsPrefix, registry = register }: ModelCacheModuleOptions) =>
        withDiagnostics(createCacheMetrics(registry, { prefix: metricsPrefix, root })),
    },
    { provide: store, inject: [MODEL_CACHE_OPTIONS, observer], useFactory: createStore },
    {
      provide: writes,
      inject: [MODEL_CACHE_OPTIONS, store],
      useFactory: (options: ModelCacheModuleOptions, store: Store) => {
        const logger = new Logger('ModelCache')
        return new ModelCacheWrites({
          store,
          namespace: namespaceOf(options, root),
          ...(options.consistency && { consistency: options.consistency }),
          warn: (message) => logger.warn(message),
          info: (message) => logger.log(message),
        })
      },
    },
    {
      provide: registry,
      inject: [
        MODEL_CACHE_OPTIONS,
        store,
        observer,
        writes,
        ModuleRef,
        ModulesContainer,
        // Optional, so that a missing unnamed root gets an error of the library.
        ...[EventLoopPressure, BlockWatch, Slicer].map((token) => ({ token, optional: true })),
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

/** Looks a cache up in the registry, which makes it once however many modules ask. */
export function createModelCacheProvider(
  definition: AnyModelCacheDefinition,
  root?: string,
): FactoryProvider {
  return {
    provide: getModelCacheToken(definition, root),
    // Optional, so that a missing forRoot is told in the library's words.
    inject: [{ token: getRegistryToken(root), optional: true }],
    useFactory: (registry: ModelCacheRegistry | undefined) => {
      if (!registry) throw new MissingRootError(definition.name, root)
      return registry.register(definition)
    },
  }
}

function createRegistry(root: string | undefined) {
  return (
    options: ModelCacheModuleOptions,
    store: Store,
    observer: CacheObserver,
    writes: ModelCacheWrites,
    moduleRef: ModuleRef,
    modules: ModulesContainer,
    pressure: EventLoopPressure | undefined,
    watch: BlockWatch | undefined,
    slicer: Slicer | undefined,
  ) => {
    if (!pressure || !watch || !slicer) {
      throw new InvalidOptionError(
        'name',
        root,
        'one root without a name, which watches the event loop for all',
      )
    }
    return new ModelCacheRegistry(
      { name: root, options },
      { store, observer, writes },
      { pressure, watch, slicer },
      { moduleRef, modules },
    )
  }
}

/** The token of the {@link ModelCacheRegistry} of a root. */
function getRegistryToken(root?: string): string | typeof ModelCacheRegistry {
  return root === undefined ? ModelCacheRegistry : `ModelCacheRegistry:${root}`
}

function createStore(options: ModelCacheModuleOptions, observer: CacheObserver): Store {
  const logger = new Logger('ModelCache')
  if (options.store) return options.store
  if (!options.valkey) {
    logger.warn(
      'No `valkey` in ModelCacheModule.forRoot: rows are cached in the memory of this process only.',
    )
    return new MemoryStore(options.memory)
  }
  const onStateChange: StoreStateListener = (side, state, reason) => {
    observer.storeChanged(side, state, reason)
    if (state === 'up') logger.log(`Valkey serves ${side} again: ${reason}.`)
    else logger.warn(`Valkey does not serve ${side}: ${reason}. ${consequence[side]}`)
  }
  let hasWarned = false
  const onForeignKeys = (count: number): void => {
    observer.foreignKeys?.(count)
    if (hasWarned) return
    hasWarned = true
    logger.warn(
      'Valkey held a key of the cache with another type than text, such as a hash or a list; the cache has replaced it. Another ' +
        'program writes keys with the same names: give the cache a namespace of its own. Further keys are only counted.',
    )
  }
  const onWarning = (message: string): void => logger.warn(message)
  return new ValkeyStore(options.valkey, onStateChange, { onForeignKeys, onWarning })
}

const consequence = {
  reads: 'Rows come from their source until it does.',
  writes: 'Rows are not cached, and invalidated ones are read from their source, until it does.',
} as const
