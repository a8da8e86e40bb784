import type { CacheContext, CachePolicy, ModelContext, Runtime, Telemetry } from './cache/context.js'
import { createCoherence } from './cache/create-coherence.js'
import type { FollowState } from './cache/gap.js'
import { InFlight } from './cache/in-flight.js'
import { InvalidationClock } from './cache/invalidation-clock.js'
import { Invalidator } from './cache/invalidator.js'
import { Filler } from './cache/load/filler.js'
import { createLoadPermits, type LoadPermits } from './cache/load/load-permits.js'
import { createNotFoundBudgets } from './cache/load/not-found-budget.js'
import { Primer } from './cache/load/primer.js'
import { createLookup } from './cache/lookups/create-lookup.js'
import { Lookups } from './cache/lookups/lookups.js'
import type { ModelCacheDefinition } from './cache/policy/definition.js'
import type { LookupKeys, NoLookups } from './cache/policy/lookup-options.js'
import { idFieldsIn } from './cache/policy/id-fields.js'
import { validBuckets, validNamespace, validNotFoundBytes } from './cache/policy/key-options.js'
import { Memory } from './cache/memory.js'
import { ReadThroughCache } from './cache/read-through-cache.js'
import { answeringCacheOf } from './cache/read/answering-cache.js'
import { Delivery } from './cache/read/delivery.js'
import { HeldRows } from './cache/read/held-rows.js'
import { L1 } from './cache/read/l1.js'
import { ReadCollector } from './cache/read/read-collector.js'
import { ReadPath } from './cache/read/read-path.js'
import { Tick } from './cache/read/tick.js'
import { TransactionReads } from './cache/read/transaction-reads.js'
import { type AuditOptions, Auditor, validAuditRate } from './cache/telemetry/auditor.js'
import { History } from './cache/telemetry/history.js'
import { InspectedCache } from './cache/inspection/inspected-cache.js'
import { LargePayloads } from './cache/telemetry/large-payloads.js'
import { observedSource } from './cache/telemetry/observed-source.js'
import { type CacheObserver, silentObserver } from './cache/telemetry/observer.js'
import { shieldObserver } from './cache/telemetry/shield-observer.js'
import { createCodec } from './codec/compile-codec.js'
import {
  type CacheDescription,
  type ConsistencyOptions,
  consistencySettings,
  createKeySpace,
  NamespaceCaches,
  type ModelCacheWrites,
  type NamespaceDatabase,
  type OperatorLog,
  ownFieldsOf,
  shieldLog,
  type Store,
} from './protocol/index.js'
import { noPressure, type Pressure } from './event-loop/pressure.js'
import { Slicer } from './event-loop/slicer.js'
import { type AnyBoundDefinition, bindDefinition } from './definitions/bind-definition.js'
import { verifyLookupSource } from './definitions/bind-lookups.js'
import type { SchemaFacts } from './source/schema-facts.js'
import type { ConfigurationError } from './errors.js'
import type { Source } from './source/source.js'
import { type DescribedRows, tablesOf } from './source/tables.js'

export interface CreateModelCacheOptions<Row, Id> {
  readonly store: Store
  readonly source: Source<Row, Id>
  /** The database that rows are loaded from, by which stored rows of another one are told apart. @default nothing tells them apart */
  readonly database?: NamespaceDatabase
  /** What the Prisma schema says; a definition whose rows are derived needs it. @default none */
  readonly facts?: SchemaFacts
  /** First part of every key; applications that share a server need different ones. @default 'mc' */
  readonly namespace?: string
  /** Caches that share a tick share its commands. @default one of its own */
  readonly tick?: Tick
  /** Caches that share a slicer share its time budget of each turn. @default one of its own, of 4 ms */
  readonly slicer?: Slicer
  /**
   * Bytes of negative entries that the cache adds to the store within `notFoundTtl`, and of empty lists within its `ttl`.
   * @default 4_194_304
   */
  readonly maxNotFoundBytes?: number
  /** Caches that share permits bound their loads together. @default 8 of its own */
  readonly loads?: LoadPermits
  /**
   * The number of buckets that the rows of a model are divided into, a power of two. A cluster gets one command per bucket, and
   * spreads the load by buckets: use at least ten times as many as nodes. All processes need the same number. @default 64
   */
  readonly buckets?: number
  /** Under pressure rows are not refreshed ahead, and stale ones are served as long as `staleFor` allows. @default none */
  readonly pressure?: Pressure
  /** How writes and the cache are kept in step. */
  readonly consistency?: ConsistencyOptions
  /** Compares samples of stored rows with the source. @default no audit */
  readonly audit?: AuditOptions
  /** Announces transactions, and writes through `extendPrisma`. @default the cache learns of writes by `invalidate` only */
  readonly writes?: ModelCacheWrites
  /** @default observes nothing */
  readonly observer?: CacheObserver
  /** Whether changes are followed in the database's log: reads bypass the cache while they are not. @default it is not asked */
  readonly follow?: FollowState
  /** Receives what an operator should know, once per kind or per change of state. @default no log */
  readonly warn?: (message: string) => void
  /** Receives the end of what `warn` received. @default no log */
  readonly info?: (message: string) => void
}

/**
 * Creates the cache of a definition, and every object that it consists of: the composition root.
 *
 * The store is the caller's: connect it before the first read, and close it after the cache.
 *
 * @param cache what is bound: a cache that was injected before there was a client. @default a new one
 * @throws ConfigurationError when the definition cannot work
 */
export function createModelCache<Row, Id, Keys extends LookupKeys = NoLookups>(
  definition: ModelCacheDefinition<Row, Id, Keys>,
  options: CreateModelCacheOptions<Row, Id>,
  cache = new ReadThroughCache<Row, Id, Keys>(definition.name),
): ReadThroughCache<Row, Id, Keys> {
  const { name } = definition
  const { store, writes: announcements } = options
  const log = shieldLog(options)
  const bound = bindDefinition(definition, options.facts)
  verifyLookupSource(bound, options.source)
  const codec = createCodec<Row>(bound.plan, {
    ...codecOptionsOf(bound),
    onUnproven: (error) => log.warn(unprovenMessage(error)),
  })
  const namespace = validNamespace(options.namespace ?? 'mc')
  const buckets = validBuckets(options.buckets ?? 64)
  const id = idFieldsIn(name, bound.idFields, codec.plan)
  const lookups = bound.lookups.map(({ description }) => description)
  const keys = createKeySpace<Row, Id>({
    namespace,
    name,
    buckets,
    id,
    fingerprint: codec.fingerprint,
    lookups,
  })
  const settings = consistencySettings(options.consistency)
  const auditRate = validAuditRate(options.audit?.rate ?? 0)
  const known =
    announcements?.knownIn({ store, namespace, consistency: settings, ...log }) ??
    new NamespaceCaches({ store, namespace, consistency: settings, log })
  const description: CacheDescription = {
    name,
    model: definition.model,
    id,
    buckets,
    dependsOn: dependenciesOf(definition),
    lookups,
    tables: options.facts && tablesOf(options.facts, describedRowsOf(bound)),
  }

  const observer = observerOf(options.observer ?? silentObserver, name, log)
  const model: ModelContext<Row, Id> = {
    name,
    codec,
    keys,
    store,
    source: observedSource(options.source, observer, () => options.database?.noteUse()),
  }
  const policy = policyOf(definition, settings.leaseWaitMs)
  const inFlight = new InFlight()
  const runtime: Runtime = {
    tick: options.tick ?? new Tick(),
    slicer: options.slicer ?? new Slicer(),
    permits: (options.loads ?? createLoadPermits()).ofCache(),
    pressure: options.pressure ?? noPressure,
    notFound: createNotFoundBudgets(validNotFoundBytes(options.maxNotFoundBytes), policy),
    inFlight,
  }
  const history = new History()
  const { largePayloadBytes } = definition
  const largePayloads = new LargePayloads({ name, largePayloadBytes, observer, warn: log.warn })
  const auditor =
    auditRate > 0
      ? new Auditor({
          model,
          runtime,
          telemetry: { observer, log },
          rate: auditRate,
          fenceMs: settings.fenceMs,
        })
      : undefined
  const telemetry: Telemetry<Id> = { observer, history, largePayloads, auditor, log }

  const clock = new InvalidationClock()
  const l1 = definition.l1 && new L1<Row>(definition.l1, policy.notFoundTtlMs, clock)
  const memory = new Memory(clock, history)
  memory.add(l1)
  const { coherence, register, backplane, writes } = createCoherence({
    description,
    fingerprint: codec.fingerprint,
    store,
    keys,
    known,
    database: options.database,
    settings,
    policy,
    clock,
    memory,
    follow: options.follow,
    observer,
    log,
  })
  const context: CacheContext<Row, Id> = { model, policy, runtime, coherence, telemetry }
  const filler = new Filler(context)
  const path = new ReadPath(context, l1, filler, () => new Delivery(context))
  const collector = new ReadCollector(context, path)
  const reads = l1 && policy.sharesRows ? new HeldRows(context, l1, collector) : collector
  const transactionReads = new TransactionReads(context, announcements, reads)
  const primer = new Primer(context, filler)

  const created = bound.lookups.map((lookup) =>
    createLookup({
      lookup,
      context,
      id,
      rows: reads,
      primer,
      writes,
      transactions: announcements,
      l1: definition.l1,
      rowL1: l1,
      observer: observerOf(options.observer ?? silentObserver, name, log, lookup.name),
      audit: { rate: auditRate, fenceMs: settings.fenceMs },
    }),
  )
  for (const { l1: held } of created) memory.add(held)
  const answering = answeringCacheOf(cache, {
    codec,
    definition,
    idFields: bound.idFields,
    lookups: created.map(({ lookup }, i) => ({ bound: bound.lookups[i]!, lookup })),
    model,
    telemetry,
  })
  cache.bind({
    model,
    codec,
    register,
    runtime,
    coherence,
    telemetry,
    l1,
    reads,
    transactionReads,
    lookups: new Lookups(
      name,
      created.map(({ lookup }) => lookup),
    ),
    primer,
    invalidator: new Invalidator({
      model,
      telemetry,
      writes,
      transactionReads,
      unknownScope: 'all',
    }),
    auditors: [auditor, ...created.map((one) => one.auditor)].filter((one) => one !== undefined),
    backplane,
    writes,
    inspected: new InspectedCache({
      description,
      model,
      coherence,
      runtime,
      telemetry,
      l1,
      lookups: created.map(({ lookup }, i) => ({ lookup, bound: bound.lookups[i]! })),
    }),
    stopAnswering: () => answering && announcements?.reads.remove(answering),
  })
  if (answering) announcements?.reads.add(answering)
  if (options.source.isFromReplicas?.() && settings.replicaLagMs === 0) known.warnOfReplicas()
  return cache
}

function policyOf<Row, Id>(
  { ttlMs, notFoundTtlMs, refreshAheadMs, staleForMs, sharesRows }: ModelCacheDefinition<Row, Id>,
  leaseWaitMs: number,
): CachePolicy {
  return { ttlMs, notFoundTtlMs, refreshAheadMs, staleForMs, sharesRows, leaseWaitMs }
}

function codecOptionsOf<Row, Id>({
  name,
  format,
  reviver,
  stringifier,
  version,
}: ModelCacheDefinition<Row, Id>) {
  return {
    name,
    ...(format && { format }),
    ...(reviver && { reviver: reviver as never }),
    ...(stringifier && { stringifier }),
    ...(version !== undefined && { version }),
  }
}

function observerOf(observer: CacheObserver, name: string, log: OperatorLog, lookup?: string) {
  return shieldObserver(observer.forModel(name, lookup), (error) =>
    log.warn(
      `ModelCache "${name}": its observer throws, so its counts are missing; reads and writes go on: ` +
        (error instanceof Error ? error.message : String(error)),
    ),
  )
}

/** The models whose every write invalidates the whole cache. */
function dependenciesOf({
  dependsOn,
}: Pick<ModelCacheDefinition<unknown, unknown>, 'dependsOn'>): readonly string[] {
  return dependsOn === 'ttl' ? [] : (dependsOn ?? [])
}

/** What writers, and a follower of the database's log, compare of its rows. The keys of lookups through a relation are in its table. */
function describedRowsOf(bound: AnyBoundDefinition): DescribedRows {
  const { idFields, lookups, model } = bound
  return {
    model,
    dependsOn: dependenciesOf(bound),
    fields: [...new Set([...idFields, ...lookups.flatMap(({ description }) => ownFieldsOf(description))])],
    relations: [...new Set(lookups.flatMap(({ description }) => description.through ?? []))],
  }
}

function unprovenMessage({ message }: ConfigurationError): string {
  return `${message} Until a restart this cache reads all rows from their source, and stores none.`
}
