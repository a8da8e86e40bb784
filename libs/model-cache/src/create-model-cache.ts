import type { ModelCacheDefinition } from './cache/definition.js'
import { createKeySpace } from './cache/key-space.js'
import type { CacheObserver } from './cache/observer.js'
import { silentObserver } from './cache/observer.js'
import { ReadThroughCache } from './cache/read-through-cache.js'
import { Tick } from './cache/tick.js'
import { compileCodec } from './codec/compile-codec.js'
import { canCompile } from './codec/function-writer.js'
import { InvalidOptionError } from './errors.js'
import type { Source } from './source/source.js'
import type { Store } from './store/store.js'

export interface ModelCacheParts<Row, Id> {
  readonly store: Store
  readonly source: Source<Row, Id>
  /** First part of every key; applications that share a server need different ones. @default 'mc' */
  readonly namespace?: string
  /** Caches that share a tick share its commands. @default one of its own */
  readonly tick?: Tick
  /** @default observes nothing */
  readonly observer?: CacheObserver
  /** Told what an operator should know. @default says nothing */
  readonly warn?: (message: string) => void
}

/**
 * Composes a cache of its parts: the one place where definition, codec, keys, store and source meet.
 *
 * The store is the caller's: to be connected before the first read, and closed after the cache.
 *
 * @throws ConfigurationError when the definition cannot work
 */
export function createModelCache<Row, Id>(
  definition: ModelCacheDefinition<Row, Id>,
  parts: ModelCacheParts<Row, Id>,
): ReadThroughCache<Row, Id> {
  const { idFields, name, ttlMs, absentTtlMs, format, reviver, stringifier, version } = definition
  const { store, source, tick = new Tick(), observer = silentObserver, warn = () => {} } = parts
  if (!canCompile) tellOfSlowCodec(parts.warn)
  const codec = compileCodec(definition.schema, {
    name,
    ...(format && { format }),
    ...(reviver && { reviver: reviver as never }),
    ...(stringifier && { stringifier }),
    ...(version !== undefined && { version }),
  })
  const keys = createKeySpace<Row, Id>({
    namespace: validNamespace(parts.namespace ?? 'mc'),
    name,
    idFields,
    plan: codec.plan,
    fingerprint: codec.fingerprint,
  })
  return new ReadThroughCache<Row, Id>({
    name,
    ttlMs,
    absentTtlMs,
    codec: codec as never,
    keys,
    store,
    source,
    tick,
    observer: observer.forModel(name),
    warn,
  })
}

let isTold = false

/** Once for the process: it is the process that forbids code, not a model. */
function tellOfSlowCodec(warn: ModelCacheParts<unknown, unknown>['warn']): void {
  if (isTold || !warn) return
  isTold = true
  warn(
    'This process forbids code generation (--disallow-code-generation-from-strings), so rows are written as JSON and read ' +
      'without compiled code: everything works, but takes several times as long, and rows in the record format, which ' +
      'processes without the flag store, are not shared with them. Start without the flag, or give every process ' +
      "format: 'json' to share rows.",
  )
}

function validNamespace(namespace: string): string {
  // A brace would move the hash tag, and with it the rows of a model to other cluster slots.
  if (!/^[\w.:-]+$/.test(namespace)) {
    throw new InvalidOptionError('namespace', namespace, 'letters, digits, "_", "-", "." or ":"')
  }
  return namespace
}
