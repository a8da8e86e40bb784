import { noPressure, type Pressure, Slicer } from '@model-cache/event-loop/internal'
import { AtRestStore } from './cache/at-rest-store.js'
import type { CacheContext, CachePolicy, Runtime } from './cache/context.js'
import { createReadSide } from './cache/create-read-side.js'
import { createTelemetry, observerOf } from './cache/create-telemetry.js'
import { createWriteSide } from './cache/create-write-side.js'
import type { FollowState } from './cache/gap.js'
import { InFlight } from './cache/in-flight.js'
import { InspectedCache } from './cache/inspection/inspected-cache.js'
import { Invalidator } from './cache/invalidator.js'
import { Siblings } from './cache/sibling-caches.js'
import { createLoadPermits, type LoadPermits } from './cache/load/load-permits.js'
import { createNotFoundBudgets } from './cache/load/not-found-budget.js'
import { cacheSettings, type CacheSettingsOptions } from './cache/policy/cache-settings.js'
import type { ModelCacheDefinition } from './cache/policy/definition.js'
import { idFieldsIn } from './cache/policy/id-fields.js'
import type { LookupKeys, NoLookups } from './cache/policy/lookup-options.js'
import { answeringCacheOf } from './cache/read/answering-cache.js'
import { Tick } from './cache/read/tick.js'
import { ReadThroughCache } from './cache/read-through-cache.js'
import { History } from './cache/telemetry/history.js'
import { LargePayloads } from './cache/telemetry/large-payloads.js'
import { type CacheObserver, silentObserver } from './cache/telemetry/observer.js'
import { createCodec } from './codec/compile-codec.js'
import {
  type AnyBoundDefinition,
  bindDefinition,
  type BoundDefinition,
} from './definitions/bind-definition.js'
import { verifyLookupSource } from './definitions/bind-lookups.js'
import { verifyDefinition, verifySharedTables, warningsOf } from './definitions/verify-definition.js'
import type { ConfigurationError } from './errors.js'
import {
  type AtRest,
  type CacheDescription,
  createKeySpace,
  formedFingerprint,
  type IdField,
  type ModelCacheWrites,
  type NamespaceDatabase,
  ownFieldsOf,
  shieldLog,
  type Store,
  type StoredForm,
  storedForm,
} from './protocol/index.js'
import { relatedModelsOf } from './source/related-models.js'
import type { SchemaFacts } from './source/schema-facts.js'
import type { Source } from './source/source.js'
import type { SharedTables } from './source/shared-tables.js'
import { type DescribedRows, tablesOf, withSharedTables } from './source/tables.js'

export interface CreateModelCacheOptions<Row, Id> extends CacheSettingsOptions {
  readonly store: Store
  readonly source: Source<Row, Id>
  /** The database that rows are loaded from, by which stored rows of another one are told apart. @default nothing tells them apart */
  readonly database?: NamespaceDatabase
  /** What the Prisma schema says; a definition whose rows are derived needs it. @default that of the client of the source */
  readonly facts?: SchemaFacts
  /** Caches that share a tick share its commands. @default one of its own */
  readonly tick?: Tick
  /** Caches that share a slicer share its time budget of each turn. @default one of its own, of 4 ms */
  readonly slicer?: Slicer
  /** Caches that share permits bound their loads together. @default 8 of its own */
  readonly loads?: LoadPermits
  /** Under pressure rows are not refreshed ahead, and stale ones are served as long as `staleFor` allows. @default none */
  readonly pressure?: Pressure
  /** Announces transactions, and writes through `extendPrisma`. @default the cache learns of writes by `invalidate` only */
  readonly writes?: ModelCacheWrites
  /** @default observes nothing */
  readonly observer?: CacheObserver
  /** Encrypts what is stored. It has to be open. @default nothing is encrypted */
  readonly atRest?: AtRest | undefined
  /** Whether changes are followed in the database's log: reads bypass the cache while they are not. @default it is not asked */
  readonly follow?: FollowState
  /** Receives what an operator should know, once per kind or per change of state. @default no log */
  readonly warn?: (message: string) => void
  /** Receives the end of what `warn` received. @default no log */
  readonly info?: (message: string) => void
}

/**
 * Creates the cache of a definition, and every object that it consists of: the composition root. Telemetry is created first, which
 * writes and reads report to; then writes, which reads are kept consistent with; then reads.
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
  const { database, observer: observers = silentObserver, source, store, writes } = options
  const log = shieldLog(options)
  const facts = options.facts ?? source.facts
  const unformed = bindDefinition(definition, facts)
  const form = storedFormOf(unformed, options.atRest, facts)
  const bound = form ? inForm(unformed, form) : unformed
  verifyLookupSource(bound, source)
  if (facts) verifyDefinition(facts, bound)
  for (const warning of warningsOf(bound, facts, form?.hashId !== undefined)) log.warn(warning)
  const { format, plan, reviver, stringifier, version } = bound
  let unproven: string | undefined
  const codec = createCodec<Row>(plan, {
    name,
    format,
    reviver,
    stringifier,
    version,
    onUnproven: (error) => {
      unproven = error.message
      log.warn(unprovenMessage(error))
    },
  })
  const settings = cacheSettings(options)
  const id = idFieldsIn(name, bound)
  const described = descriptionOf(bound, id, settings.buckets, facts, form)
  const shared = database?.sharedTables
  const description = shared ? describedWith(shared, bound, described) : described
  const { namespace } = settings
  const { fingerprint } = codec
  const keys = createKeySpace<Row, Id>({ ...description, namespace, fingerprint, hashId: form?.hashId })
  const policy = policyOf(definition, settings.consistency.leaseWaitMs)
  const runtime: Runtime = {
    tick: options.tick ?? new Tick(),
    slicer: options.slicer ?? new Slicer(),
    permits: (options.loads ?? createLoadPermits()).ofCache(),
    pressure: options.pressure ?? noPressure,
    notFound: createNotFoundBudgets(settings.maxNotFoundBytes, policy),
    inFlight: new InFlight(),
  }

  const observer = observerOf(observers, log, name)
  const stored = form ? new AtRestStore({ name, store, form, slicer: runtime.slicer, observer, log }) : store
  const { model, telemetry } = createTelemetry({
    model: { name, codec, keys, store: stored, source, isEncrypted: form?.described.isEncrypted },
    observer,
    history: new History(),
    largePayloads: new LargePayloads(name, definition.largePayloadBytes, observer, log),
    log,
    permits: runtime.permits,
    audit: settings.audit,
    onUse: () => database?.noteUse(),
  })
  const writeSide = createWriteSide({
    description,
    model,
    store,
    atRest: options.atRest,
    policy,
    telemetry,
    settings,
    writes,
    database,
    follow: options.follow,
  })
  const context: CacheContext<Row, Id> = { model, policy, runtime, coherence: writeSide.coherence, telemetry }
  const readSide = createReadSide({
    context,
    id,
    l1: definition.l1,
    lookups: bound.lookups,
    writeSide,
    transactions: writes,
    observer: observers,
    audit: settings.audit,
  })

  const { l1, lookups, transactionReads } = readSide
  const siblings = new Siblings(writeSide.namespaceCaches, writeSide.listing)
  const answering = answeringCacheOf(cache, {
    codec,
    definition,
    idFields: bound.idFields,
    lookups: lookups.all,
    model,
    telemetry,
  })
  cache.bind({
    ...readSide,
    ...writeSide,
    context,
    codec,
    invalidator: new Invalidator(context, writeSide.fences, transactionReads, 'all', siblings),
    inspected: new InspectedCache(writeSide.listing, lookups, context, l1, () => unproven),
    stopAnswering: () => answering && writes?.reads.remove(answering),
  })
  if (answering) writes?.reads.add(answering)
  if (database) {
    const { listing, onClose } = writeSide
    onClose.push(database.verify(() => bound.verifyColumns()))
    if (!shared)
      onClose.push(database.onTables((found) => listing.describe(describedWith(found, bound, description))))
  }
  // Not before: a client whose queries caches answer loads their rows from elsewhere.
  if (source.isFromReplicas?.() && !source.primary && settings.consistency.replicaLagMs === 0)
    writeSide.namespaceCaches.warnOfReplicas()
  return cache
}

/** How the values of a cache are stored; undefined if as its codec writes them. */
function storedFormOf(
  bound: AnyBoundDefinition,
  atRest: AtRest | undefined,
  facts: SchemaFacts | undefined,
): StoredForm | undefined {
  const { compressAboveBytes, load, model, selection } = bound
  const related = facts && !load ? relatedModelsOf(facts.models, model, selection) : []
  const models = [model, ...related, ...dependenciesOf(bound)]
  return storedForm({ atRest, models, compressAboveBytes })
}

/** A definition whose keys are not those of the same one in another form. */
function inForm<Row, Id>(bound: BoundDefinition<Row, Id>, form: StoredForm): BoundDefinition<Row, Id> {
  return {
    ...bound,
    version: `${bound.version ?? ''} ${form.name}`,
    lookups: bound.lookups.map((lookup) => {
      const { description } = lookup
      const fingerprint = formedFingerprint(description.fingerprint, form)
      return { ...lookup, description: { ...description, fingerprint } }
    }),
  }
}

/** Where the cache is listed in the catalogue, and what writers know of it. */
function descriptionOf(
  bound: AnyBoundDefinition,
  id: readonly IdField[],
  buckets: number,
  facts: SchemaFacts | undefined,
  form: StoredForm | undefined,
): CacheDescription {
  return {
    name: bound.name,
    model: bound.model,
    id,
    buckets,
    dependsOn: dependenciesOf(bound),
    lookups: bound.lookups.map((lookup) => lookup.description),
    tables: facts && tablesOf(facts, describedRowsOf(bound)),
    ...(form && { atRest: form.described }),
  }
}

/**
 * Returns the description of a cache whose tables are views, partitions or children of others.
 *
 * @throws ConfigurationError if writes that change its rows cannot be known
 */
function describedWith(
  shared: SharedTables,
  { dependsOn, name }: AnyBoundDefinition,
  description: CacheDescription,
): CacheDescription {
  const { tables } = description
  if (!tables) return description
  const acceptsStale = dependsOn === 'ttl'
  if (!acceptsStale) verifySharedTables(name, tables, shared)
  return { ...description, tables: withSharedTables(tables, shared, acceptsStale) }
}

function policyOf<Row, Id>(
  { ttlMs, notFoundTtlMs, refreshAheadMs, staleForMs, sharesRows }: ModelCacheDefinition<Row, Id>,
  leaseWaitMs: number,
): CachePolicy {
  return { ttlMs, notFoundTtlMs, refreshAheadMs, staleForMs, sharesRows, leaseWaitMs }
}

/** The models whose every write invalidates the whole cache. */
function dependenciesOf({ dependsOn }: AnyBoundDefinition): readonly string[] {
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
