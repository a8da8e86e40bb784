import { LRUCache } from 'lru-cache'
import { DeliveryOrder, type InvalidationMoment, type ResultTime } from '../invalidation-clock.js'
import { entryBytes, type L1Options, type RowMemory } from '../read/l1.js'
import type { ModelObserver } from '../telemetry/observer.js'
import type { StoredResult } from './stored-result.js'

interface KeptResult {
  readonly result: StoredResult
  /** The time of its clocks at which it was requested. */
  readonly since: InvalidationMoment
}

interface L1ResultsOf {
  /** Tells apart what the same query is asked with. */
  readonly options: string
  readonly ttlMs: number
}

/**
 * Results of queries of one model in the memory of this process, for a short time. Rows are removed by the writes that name them. Nothing
 * names a result, so each read checks whether anything that it was read from has been written since.
 */
export class L1Results {
  readonly #results: LRUCache<string, KeptResult>
  readonly #order = new DeliveryOrder()

  constructor({ maxBytes, maxEntries }: L1Options, observer: Pick<ModelObserver, 'l1Evictions'>) {
    const dispose = (_: KeptResult, _key: string, reason: LRUCache.DisposeReason): void => {
      if (reason === 'evict') observer.l1Evictions(1)
    }
    this.#results = new LRUCache({ max: maxEntries, maxSize: maxBytes, dispose })
  }

  /**
   * Those of queries with the same options that read the same.
   *
   * @param clock shows the writes to what they read
   */
  of(clock: ResultTime, { options, ttlMs }: L1ResultsOf): RowMemory<StoredResult> {
    const results = this.#results
    const order = this.#order
    return {
      get(rowId) {
        const key = options + String(rowId)
        const kept = results.get(key)
        if (!kept) return undefined
        if (clock.isHeld(rowId, kept.since)) return kept.result
        results.delete(key)
        return undefined
      },
      countMiss() {},
      admits: () => true,
      keep({ batch, rowId, since }, result, length) {
        const key = options + String(rowId)
        if (!order.advance(key, batch.requestedAtMs)) return false
        if (!result || !clock.isHeld(rowId, since)) {
          results.delete(key)
          return false
        }
        // What is stored of it is of no use to callers.
        const kept = { result: { ...result, text: undefined }, since }
        results.set(key, kept, { ttl: ttlMs * (0.9 + Math.random() / 10), size: entryBytes + 2 * length })
        return true
      },
      supersede({ batch, rowId }) {
        const key = options + String(rowId)
        if (order.advance(key, batch.requestedAtMs)) results.delete(key)
      },
    }
  }
}
