import { Logger, type FactoryProvider, type Provider } from '@nestjs/common'
import { register } from 'prom-client'
import type { AnyModelCacheDefinition } from '../cache/definition.js'
import type { CacheObserver } from '../cache/observer.js'
import { ModelCacheWrites } from '../consistency/writes.js'
import { MissingRootError } from '../errors.js'
import { BlockWatch } from '../event-loop/block-watch.js'
import { LagSampler } from '../event-loop/lag-sampler.js'
import { EventLoopPressure } from '../event-loop/pressure.js'
import { Shedding } from '../event-loop/shedding.js'
import { createCacheMetrics } from '../metrics/cache-metrics.js'
import { withDiagnostics } from '../metrics/diagnostics.js'
import { createEventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { MemoryStore } from '../store/memory-store.js'
import type { Store, StoreStateListener } from '../store/store.js'
import { ValkeyStore } from '../store/valkey-store.js'
import { MODEL_CACHE_OPTIONS, type ModelCacheModuleOptions } from './model-cache.options.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import {
  EVENT_LOOP_METRICS,
  MODEL_CACHE_OBSERVER,
  MODEL_CACHE_STORE,
  getModelCacheToken,
} from './model-cache.tokens.js'

/** What all caches of an application share. */
export const coreProviders: Provider[] = [
  {
    provide: MODEL_CACHE_STORE,
    inject: [MODEL_CACHE_OPTIONS, MODEL_CACHE_OBSERVER],
    useFactory: createStore,
  },
  {
    provide: MODEL_CACHE_OBSERVER,
    inject: [MODEL_CACHE_OPTIONS],
    useFactory: (options: ModelCacheModuleOptions) =>
      withDiagnostics(createCacheMetrics(options.registry ?? register)),
  },
  {
    provide: ModelCacheWrites,
    inject: [MODEL_CACHE_OPTIONS, MODEL_CACHE_STORE],
    useFactory: ({ namespace, consistency }: ModelCacheModuleOptions, store: Store) => {
      const logger = new Logger('ModelCache')
      return new ModelCacheWrites({
        store,
        ...(namespace !== undefined && { namespace }),
        ...(consistency && { consistency }),
        warn: (message) => logger.warn(message),
        info: (message) => logger.log(message),
      })
    },
  },
  {
    provide: LagSampler,
    inject: [MODEL_CACHE_OPTIONS],
    useFactory: (options: ModelCacheModuleOptions) => new LagSampler(options.eventLoop),
  },
  {
    provide: EventLoopPressure,
    inject: [LagSampler],
    useFactory: (sampler: LagSampler) => new EventLoopPressure(sampler),
  },
  {
    provide: BlockWatch,
    inject: [MODEL_CACHE_OPTIONS, LagSampler],
    useFactory: (options: ModelCacheModuleOptions, sampler: LagSampler) =>
      new BlockWatch(sampler, options.eventLoop),
  },
  {
    provide: Shedding,
    inject: [MODEL_CACHE_OPTIONS],
    useFactory: (options: ModelCacheModuleOptions) => new Shedding(options.eventLoop?.shedding),
  },
  {
    provide: EVENT_LOOP_METRICS,
    inject: [MODEL_CACHE_OPTIONS, LagSampler, EventLoopPressure, BlockWatch],
    useFactory: (
      options: ModelCacheModuleOptions,
      sampler: LagSampler,
      pressure: EventLoopPressure,
      watch: BlockWatch,
    ) => createEventLoopMetrics(options.registry ?? register, { sampler, pressure, watch }),
  },
]

/** Looks a cache up in the registry, which makes it once however many modules ask. */
export function createModelCacheProvider(definition: AnyModelCacheDefinition): FactoryProvider {
  return {
    provide: getModelCacheToken(definition),
    // Optional, so that a missing forRoot is told in the library's words.
    inject: [{ token: ModelCacheRegistry, optional: true }],
    useFactory: (registry: ModelCacheRegistry | undefined) => {
      if (!registry) throw new MissingRootError(definition.name)
      return registry.register(definition)
    },
  }
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
  return new ValkeyStore(options.valkey, onStateChange, onForeignKeys)
}

const consequence = {
  reads: 'Rows come from their source until it does.',
  writes: 'Rows are not cached, and invalidated ones are read from their source, until it does.',
} as const
