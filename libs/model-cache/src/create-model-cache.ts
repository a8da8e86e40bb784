import { validAuditRate, type AuditOptions } from './cache/auditor.js'
import type { ModelCacheDefinition } from './cache/definition.js'
import { observedSource } from './cache/observed-source.js'
import { idFieldsIn } from './cache/id-fields.js'
import type { CacheObserver } from './cache/observer.js'
import { silentObserver } from './cache/observer.js'
import type { LoadPermits } from './cache/load-permits.js'
import { createLoadPermits } from './cache/load-permits.js'
import { ReadThroughCache } from './cache/read-through-cache.js'
import { shieldObserver } from './cache/shield-observer.js'
import { Tick } from './cache/tick.js'
import { KnownCaches } from './consistency/known-caches.js'
import { createKeySpace } from './consistency/key-space.js'
import { shieldLog } from './consistency/operator-log.js'
import type { ConsistencyOptions } from './consistency/settings.js'
import { consistencySettings } from './consistency/settings.js'
import type { ModelCacheWrites } from './consistency/writes.js'
import { compileCodec } from './codec/compile-codec.js'
import { canCompile } from './codec/function-writer.js'
import { InvalidOptionError } from './errors.js'
import { noPressure, type Pressure } from './event-loop/pressure.js'
import { Slicer } from './event-loop/slicer.js'
import type { Source } from './source/source.js'
import type { Store } from './store/store.js'

export interface ModelCacheParts<Row, Id> {
  readonly store: Store
  readonly source: Source<Row, Id>
  /** First part of every key; applications that share a server need different ones. @default 'mc' */
  readonly namespace?: string
  /** Caches that share a tick share its commands. @default one of its own */
  readonly tick?: Tick
  /** Caches that share a slicer share its budget of each turn. @default one of its own, of 4 ms */
  readonly slicer?: Slicer
  /** Caches that share these permits share them for their loads. @default 8 of its own */
  readonly loads?: LoadPermits
  /**
   * How many buckets the rows of a model are divided into, a power of two. A cluster is asked with one command per bucket, and
   * divides the load by buckets: at least ten times as many as nodes. All processes need the same. @default 64
   */
  readonly buckets?: number
  /** Under which rows are not refreshed early, and expired ones given for as long as their grace lasts. @default none */
  readonly pressure?: Pressure
  /** How writes and the cache are kept in step. */
  readonly consistency?: ConsistencyOptions
  /** Compares samples of what the store gives with the source. @default not */
  readonly audit?: AuditOptions
  /** Tells the cache of transactions and of writes through `extendPrisma`. @default it learns of writes by `invalidate` only */
  readonly writes?: ModelCacheWrites
  /** @default observes nothing */
  readonly observer?: CacheObserver
  /** Told what an operator should know, once per kind or per change of state. @default says nothing */
  readonly warn?: (message: string) => void
  /** Told when what `warn` was told is over. @default says nothing */
  readonly info?: (message: string) => void
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
  const {
    idFields,
    name,
    ttlMs,
    notFoundTtlMs,
    refreshAheadMs,
    staleForMs,
    l1,
    sharesRows,
    largePayloadBytes,
  } = definition
  const { format, reviver, stringifier, version } = definition
  const { store, source, observer = silentObserver } = parts
  const { tick = new Tick(), slicer = new Slicer(), loads = createLoadPermits() } = parts
  const log = shieldLog(parts)
  const { warn, info } = log
  if (!canCompile) tellOfSlowCodec(parts.warn && warn)
  const codec = compileCodec(definition.schema, {
    name,
    ...(format && { format }),
    ...(reviver && { reviver: reviver as never }),
    ...(stringifier && { stringifier }),
    ...(version !== undefined && { version }),
  })
  const namespace = validNamespace(parts.namespace ?? 'mc')
  const buckets = validBuckets(parts.buckets ?? 64)
  const id = idFieldsIn(name, idFields, codec.plan)
  const keys = createKeySpace<Row, Id>({ namespace, name, buckets, id, fingerprint: codec.fingerprint })
  const consistency = consistencySettings(parts.consistency)
  const known =
    parts.writes?.knownIn({ store, namespace, consistency, warn, info }) ??
    new KnownCaches({ store, namespace, consistency, log })
  const modelObserver = shieldObserver(observer.forModel(name), (error) =>
    warn(
      `ModelCache "${name}": its observer throws, which costs only what it would have counted: ${messageOf(error)}`,
    ),
  )
  const cache = new ReadThroughCache<Row, Id>({
    name,
    ttlMs,
    notFoundTtlMs,
    refreshAheadMs,
    staleForMs,
    l1,
    sharesRows,
    largePayloadBytes,
    codec: codec as never,
    keys,
    store,
    source: observedSource(source, modelObserver),
    tick,
    slicer,
    loads,
    pressure: parts.pressure ?? noPressure,
    consistency,
    catalogue: known.catalogue,
    description: { name, model: definition.model, id, buckets, dependsOn: dependenciesOf(definition) },
    writes: parts.writes,
    auditRate: validAuditRate(parts.audit?.rate ?? 0),
    observer: modelObserver,
    warn,
    info,
  })
  for (const written of cache.written) known.add(written)
  return cache
}

/** The models whose every write empties the cache. */
function dependenciesOf({
  dependsOn,
}: Pick<ModelCacheDefinition<unknown, unknown>, 'dependsOn'>): readonly string[] {
  return dependsOn === 'ttl' ? [] : (dependsOn ?? [])
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
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

function validBuckets(buckets: number): number {
  if (!Number.isInteger(Math.log2(buckets)) || buckets < 1 || buckets > 1_024) {
    throw new InvalidOptionError('buckets', buckets, 'a power of two, from 1 to 1024')
  }
  return buckets
}
