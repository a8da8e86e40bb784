import {
  type AtRest,
  Backplane,
  type CacheDescription,
  CacheListing,
  EpochRegister,
  type ModelCacheWrites,
  NamespaceCaches,
  Leases,
  RowFences,
  type NamespaceDatabase,
  type Store,
  type WrittenCache,
} from '../protocol/index.js'
import type { CachePolicy, Coherence, ModelContext, Telemetry } from './context.js'
import { bypassInGaps, type FollowState } from './gap.js'
import { InvalidationClock } from './invalidation-clock.js'
import { Memory } from './memory.js'
import type { CacheSettings } from './policy/cache-settings.js'

export interface WriteSideOptions<Row, Id> {
  readonly description: CacheDescription
  readonly model: Pick<ModelContext<Row, Id>, 'name' | 'codec' | 'keys'>
  readonly store: Store
  /** Undefined if messages name rows in clear text. */
  readonly atRest: AtRest | undefined
  readonly policy: CachePolicy
  readonly telemetry: Telemetry<Id>
  readonly settings: CacheSettings
  /** Announces the writes of this process; undefined if the cache learns of them by `invalidate` only. */
  readonly writes: ModelCacheWrites | undefined
  /** The database of its rows; undefined if nothing is known of it. */
  readonly database: NamespaceDatabase | undefined
  /** Has reads bypass the cache while its changes are not followed. */
  readonly follow: FollowState | undefined
}

/** What writes do with a cache, and what reads need to know of them. */
export interface WriteSide {
  /** The caches of the namespace, of which this is one. */
  readonly namespaceCaches: NamespaceCaches
  readonly listing: CacheListing
  readonly coherence: Coherence
  readonly register: EpochRegister
  readonly backplane: Backplane | undefined
  readonly fences: RowFences
  /** Holds nothing yet: the reads add their L1. */
  readonly memory: Memory
  /** Called when the cache ends, which waits for them: writers know it no longer, and what outlives it does not keep its rows. */
  readonly onClose: (() => unknown)[]
}

/** Creates the parts that keep a cache consistent with writes, and makes it known to the writers of this process. */
export function createWriteSide<Row, Id>(options: WriteSideOptions<Row, Id>): WriteSide {
  const { writes, atRest, database, description, follow, policy, store } = options
  const { codec, keys, name } = options.model
  const { history, log, observer } = options.telemetry
  const { consistency, namespace } = options.settings
  const { fingerprint } = codec
  const namespaceCaches =
    writes?.cachesIn({ store, namespace, consistency, atRest, ...log }) ??
    new NamespaceCaches({ store, namespace, consistency, log, atRest })
  const { catalogue } = namespaceCaches
  const clock = new InvalidationClock()
  const memory = new Memory(clock, history)
  const listing = new CacheListing(namespaceCaches, description, fingerprint)
  const { messages } = store
  const backplane =
    messages &&
    new Backplane({
      name,
      messages,
      channel: keys.channel,
      listener: {
        onRows: (rows, source) => memory.forget(rows, source === 'log' ? 'log' : 'another process'),
        onAll: () => memory.forgetHeld('all'),
        onNotFound: () => memory.forgetHeld('existence'),
      },
      log,
      atRest,
    })
  const forgetHeld = (): void => memory.forgetHeld('all')
  const onClose: WriteSide['onClose'] = [() => listing.close()]
  // What others write is not announced to a cache that has been lost from the catalogue.
  onClose.push(catalogue.onLoss(forgetHeld))
  if (database) onClose.push(database.onChange(forgetHeld), namespaceCaches.writer.addOwn(database.source))
  // What is held was not invalidated while nobody followed.
  if (follow) onClose.push(follow.onResume(forgetHeld))
  // Nothing else knows them.
  if (!writes) onClose.push(() => namespaceCaches.stop())
  const register = new EpochRegister({
    store,
    catalogue,
    database: database ?? noDatabase,
    registerKey: keys.registerKey,
    cache: listing,
    times: {
      rowLifeMs: Math.max(policy.ttlMs + policy.staleForMs, policy.notFoundTtlMs),
      writesMs: consistency.fenceMs + consistency.replicaLagMs,
      leaseMs: consistency.leaseMs,
    },
    replicas: consistency.replicas,
    onJoining: (ms) => {
      observer.newSchemas(1)
      log.info(newSchemaMessage(name, ms))
    },
    onListed: () => void namespaceCaches.cleanUp.run(),
  })
  const fences = new RowFences({
    name,
    store,
    keys,
    registerKey: keys.registerKey,
    backplane,
    fingerprints: {
      current: () => {
        const listed = catalogue.fingerprintsOf(listing.layout)
        return listed.includes(fingerprint) ? listed : [fingerprint, ...listed]
      },
      refresh: () => catalogue.ask(),
    },
    consistency,
    listener: {
      onWritten: (rows, source) => memory.forget(rows, source === 'log' ? 'log' : 'this process'),
      onAllWritten: memory.forgetAll,
    },
    observer,
    log,
  })
  listing.open({
    rowIdOf: keys.rowIdOf as WrittenCache['rowIdOf'],
    fences,
    onAllWritten: (reason) => observer.unknownWrites(reason),
  })
  const leases = new Leases(store, consistency.leaseMs)
  const coherence: Coherence = { register, leases, clock, pending: fences.pending, backplane }
  return {
    namespaceCaches,
    listing,
    coherence: follow ? bypassInGaps(coherence, follow, listing) : coherence,
    register,
    backplane,
    fences,
    memory,
    onClose,
  }
}

/** Rows of a `load` may come from anywhere. */
const noDatabase = { mark: '' }

function newSchemaMessage(name: string, waitMs: number): string {
  const until = new Date(Date.now() + waitMs).toISOString()
  return (
    `ModelCache "${name}": its schema is new in the store, so running writes may not know it yet. This process stores no ` +
    `rows until ${until}, in ${Math.ceil(waitMs / 1_000)} s, and reads them from their source.`
  )
}
