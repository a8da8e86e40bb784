import {
  affectingTables,
  Backplane,
  type CacheDescription,
  type ConsistencySettings,
  EpochRegister,
  type KeySpace,
  type NamespaceCaches,
  layoutOf,
  Leases,
  RowFences,
  type NamespaceDatabase,
  type OperatorLog,
  RegisterWriter,
  type Store,
  type WrittenCache,
} from '../protocol/index.js'
import type { CachePolicy, Coherence } from './context.js'
import { bypassInGaps, type FollowState } from './gap.js'
import type { InvalidationClock } from './invalidation-clock.js'
import type { Memory } from './memory.js'
import type { ModelObserver } from './telemetry/observer.js'

export interface CreateCoherenceOptions<Row, Id> {
  readonly description: CacheDescription
  readonly fingerprint: string
  readonly store: Store
  readonly keys: KeySpace<Row, Id>
  /** The caches of the namespace, to which this one is added. */
  readonly known: NamespaceCaches
  /** The database of its rows; undefined if nothing is known of it. */
  readonly database: NamespaceDatabase | undefined
  readonly settings: ConsistencySettings
  readonly policy: CachePolicy
  readonly clock: InvalidationClock
  readonly memory: Memory
  /** Has reads bypass the cache while its changes are not followed. */
  readonly follow: FollowState | undefined
  readonly observer: ModelObserver
  readonly log: OperatorLog
}

export interface CreatedCoherence {
  readonly coherence: Coherence
  readonly register: EpochRegister
  readonly backplane: Backplane | undefined
  readonly writes: RowFences
}

/** Creates the parts that keep a cache consistent with writes, and makes it known to the writers of this process. */
export function createCoherence<Row, Id>(options: CreateCoherenceOptions<Row, Id>): CreatedCoherence {
  const {
    clock,
    database,
    description,
    fingerprint,
    follow,
    keys,
    known,
    log,
    memory,
    observer,
    policy,
    settings,
    store,
  } = options
  const { name } = description
  const { catalogue } = known
  const layout = layoutOf(description)
  const backplane =
    store.messages &&
    new Backplane({
      name,
      messages: store.messages,
      channel: keys.channel,
      listener: {
        onRows: (rows, source) => memory.forget(rows, source === 'log' ? 'log' : 'another process'),
        onAll: () => memory.forgetHeld('all'),
        onNotFound: () => memory.forgetHeld('existence'),
      },
      log,
    })
  if (database) {
    database.onChange(() => memory.forgetHeld('all'))
    known.writer.addOwn(database.source)
  }
  // What others write is not announced to a cache that has been lost from the catalogue.
  catalogue.onLoss(() => memory.forgetHeld('all'))
  const register = new EpochRegister({
    store,
    catalogue,
    database: database ?? noDatabase,
    cache: {
      name,
      registerKey: keys.registerKey,
      entry: catalogue.add(description, fingerprint),
      fingerprint,
    },
    times: {
      rowLifeMs: policy.ttlMs + policy.staleForMs,
      writesMs: settings.fenceMs + settings.replicaLagMs,
      leaseMs: settings.leaseMs,
    },
    replicas: settings.replicas,
    onJoining: (ms) => {
      observer.newSchemas(1)
      log.info(newSchemaMessage(name, ms))
    },
  })
  const writes = new RowFences({
    name,
    store,
    keys,
    register: new RegisterWriter(store, keys.registerKey, settings),
    backplane,
    fingerprints: {
      known: () => {
        const listed = catalogue.fingerprintsOf(layout)
        return listed.includes(fingerprint) ? listed : [fingerprint, ...listed]
      },
      refresh: () => catalogue.ask(),
    },
    consistency: settings,
    listener: {
      onWritten: (rows, source) => memory.forget(rows, source === 'log' ? 'log' : 'this process'),
      onAllWritten: memory.forgetAll,
    },
    observer,
    log,
  })
  known.add({
    affectedBy: affectingTables(description),
    description,
    rowIdOf: keys.rowIdOf as WrittenCache['rowIdOf'],
    layout,
    writes,
    onAllWritten: (reason) => observer.unknownWrites(reason),
  })
  const leases = new Leases(store, settings.leaseMs)
  const coherence: Coherence = { register, leases, clock, pending: writes.pending, backplane }
  return {
    coherence: follow ? bypassInGaps(coherence, follow, { layout, memory }) : coherence,
    register,
    backplane,
    writes,
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
