import {
  type AtRest,
  type CacheDescription,
  createKeySpace,
  type HashId,
  type KeySpace,
  type ModelCacheWrites,
  type NamespaceDatabase,
  type Store,
  type StoredForm,
} from '../../protocol/index.js'
import type { Coherence, RowCodec, Telemetry } from '../context.js'
import { type WriteSide, createWriteSide } from '../create-write-side.js'
import type { FollowState } from '../gap.js'
import { type InvalidationTime, momentOf, type ResultTime } from '../invalidation-clock.js'
import type { Memory } from '../memory.js'
import type { CacheSettings } from '../policy/cache-settings.js'
import { History } from '../telemetry/history.js'
import { LargePayloads } from '../telemetry/large-payloads.js'
import type { StoredResult } from './stored-result.js'

export interface ResultRegisterOptions {
  readonly description: CacheDescription
  /** How long results live at most. */
  readonly lifeMs: number
  /** The codec of results. Results under another fingerprint than its own do not count for this process. */
  readonly codec: RowCodec<StoredResult>
  readonly store: Store
  readonly atRest: AtRest | undefined
  /** How values of the model are stored; undefined if as their codec writes them. */
  readonly form: StoredForm | undefined
  readonly settings: CacheSettings
  readonly writes: ModelCacheWrites
  readonly database: NamespaceDatabase | undefined
  readonly telemetry: Pick<Telemetry<unknown>, 'observer' | 'log'>
  /** Has reads bypass the results while the writes to the model are not followed. */
  readonly follow: FollowState | undefined
}

/** What tells whether a result may be used, stored and kept in memory. */
export interface ResultCoherence extends Coherence {
  readonly clock: ResultTime
}

/** What shows the writes to one model, for the results that read it. */
export interface ResultRegister extends WriteSide {
  readonly name: string
  readonly coherence: ResultCoherence
  /**
   * The keys of results of queries of the model.
   *
   * @param hashId what stands for digests of queries in keys. @default that of the form
   */
  keysOf(this: void, fingerprint: string, hashId?: HashId): KeySpace<StoredResult, string>
}

/** Lists a cache without rows, whose register each write renews. */
export function createResultRegister(options: ResultRegisterOptions): ResultRegister {
  const { codec, description, form, lifeMs, settings, telemetry } = options
  const { name } = description
  const { namespace } = settings
  const keysOf = (of: string, hashId = form?.hashId): KeySpace<StoredResult, string> =>
    createKeySpace<StoredResult, string>({ ...description, namespace, fingerprint: of, hashId })
  const policy = {
    ttlMs: lifeMs,
    notFoundTtlMs: 0,
    refreshAheadMs: 0,
    staleForMs: 0,
    leaseWaitMs: settings.consistency.leaseWaitMs,
    sharesRows: true,
  }
  const { observer } = telemetry
  const unknownWrites = (reason: string): void => {
    // Each write to the model renews the register, also one whose rows are known.
    if (reason !== 'dependency') observer.unknownWrites(reason)
  }
  const created = createWriteSide<StoredResult, string>({
    ...options,
    model: { name, codec, keys: keysOf(codec.fingerprint) },
    policy,
    telemetry: {
      ...telemetry,
      observer: { ...observer, unknownWrites },
      history: new History(),
      largePayloads: new LargePayloads(name, Infinity, observer, telemetry.log),
      auditor: undefined,
    },
  })
  const clock = timeOf(created.coherence.clock, created.memory)
  return { ...created, name, keysOf, coherence: { ...created.coherence, clock } }
}

function timeOf(clock: InvalidationTime, memory: Memory): ResultTime {
  // The clock does not show all that others may have written: running loads of that are refused by the store.
  let forgotten = 0
  memory.add({ forget: () => {}, forgetAll: () => void forgotten++ })
  const isCurrent: ResultTime['isCurrent'] = (rowId, since) => clock.isCurrent(rowId, momentOf(since, 0))
  return {
    now: () => [clock.now(), forgotten],
    isCurrent,
    isHeld: (rowId, since) => momentOf(since, 1) === forgotten && isCurrent(rowId, since),
  }
}
