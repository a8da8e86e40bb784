import { notify } from '@model-cache/event-loop/internal'
import type { CacheObserver } from '../cache/telemetry/observer.js'
import {
  MemoryStore,
  type MemoryStoreOptions,
  type OperatorLog,
  type Store,
  type StoreStateListener,
  ValkeyStore,
  type ValkeyStoreOptions,
} from '../protocol/index.js'

export interface RegistryStoreOptions {
  /** How to connect to Valkey or Redis. @default rows stay in the memory of this process */
  readonly valkey?: ValkeyStoreOptions
  /** Limits of the in-memory store, which is used without `valkey`. */
  readonly memory?: MemoryStoreOptions
  /** A store of your own. You connect and close it. */
  readonly store?: Store
}

/** Returns the store of the options, which says in a log when it is unavailable. */
export function createStore(options: RegistryStoreOptions, observer: CacheObserver, log: OperatorLog): Store {
  if (options.store) return options.store
  if (!options.valkey) {
    log.warn(
      'ModelCache: there is no option `valkey`: rows are cached in the memory of this process only. ' +
        'Set `valkey: { url }` to share them with other processes.',
    )
    return new MemoryStore(options.memory)
  }
  const onStateChange: StoreStateListener = (side, state, reason) => {
    notify([() => observer.storeChanged(side, state, reason)])
    if (store.isClosed) return
    if (state === 'up') log.info(`ModelCache: Valkey is available for ${side} again: ${reason}.`)
    else
      log.warn(
        `ModelCache: Valkey (${store.address()}) is unavailable for ${side}: ${reason}. ${consequence[side]}`,
      )
  }
  let hasWarned = false
  const onForeignKeys = (count: number): void => {
    notify([() => observer.foreignKeys?.(count)])
    if (hasWarned) return
    hasWarned = true
    log.warn(
      'ModelCache: a key of the cache in Valkey was not a string but another type, such as a hash or a list; the cache has replaced ' +
        'it. Another program writes keys with the same names: set `namespace`. Further keys are not logged; the metric ' +
        'model_cache_foreign_keys_total counts them.',
    )
  }
  const onWarning = (message: string): void => log.warn(`ModelCache: ${message}`)
  const store = new ValkeyStore(options.valkey, onStateChange, { onForeignKeys, onWarning })
  return store
}

const consequence = {
  reads: 'Rows are loaded from the database until it recovers.',
  writes: 'Until it recovers, rows are not cached, and invalidated rows are loaded from the database.',
} as const
