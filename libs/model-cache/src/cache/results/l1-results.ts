import type { RowId } from '../../protocol/index.js'
import type { InvalidationMoment, ResultTime } from '../invalidation-clock.js'
import { L1, type L1Options, type RowMemory } from '../read/l1.js'
import type { ModelObserver } from '../telemetry/observer.js'
import type { StoredResult } from './stored-result.js'

interface KeptResult {
  readonly result: StoredResult
  /** The time of its clocks at which it was requested. */
  readonly since: InvalidationMoment
}

interface L1ResultsOf {
  /** The fingerprint of the results: of the models that they read, and of the options of the queries. */
  readonly fingerprint: string
  readonly ttlMs: number
}

/** Each read has a clock of its own, which is asked before and after. */
const unasked = { now: () => 0, isCurrent: () => true }

/**
 * Results of queries of one model in the memory of this process, for a short time. Rows are removed by the writes that name them. Nothing
 * names a result, so each read checks whether anything that it was read from has been written since.
 */
export class L1Results {
  readonly #l1: L1<KeptResult>
  readonly ttlMs: number

  constructor(options: L1Options, observer: Pick<ModelObserver, 'hotIds' | 'l1Evictions'>) {
    this.ttlMs = options.ttlMs
    this.#l1 = new L1(options, 0, unasked, observer)
  }

  /**
   * Returns the memory of queries that have the same options and read the same models and values.
   *
   * @param clock shows the writes to what they read. Its times are of no other models.
   */
  of(clock: ResultTime, { fingerprint, ttlMs }: L1ResultsOf): RowMemory<StoredResult> {
    const l1 = this.#l1
    const keyOf = (rowId: RowId): string => fingerprint + String(rowId)
    return {
      get(rowId) {
        const key = keyOf(rowId)
        const kept = l1.get(key)
        if (!kept) return undefined
        if (clock.isHeld(rowId, kept.since)) return kept.result
        l1.forget([key])
        return undefined
      },
      countMiss() {},
      admits: () => true,
      keep({ rowId, since }, readAtMs, result, length) {
        const request = { rowId: keyOf(rowId), since }
        if (!result || !clock.isHeld(rowId, since)) {
          l1.supersede(request.rowId, readAtMs, readAtMs)
          return false
        }
        // What is stored of it is of no use to callers.
        return l1.keep(request, readAtMs, { result: { ...result, text: undefined }, since }, length, ttlMs)
      },
      supersede: (rowId, requestedAtMs, readAtMs) => l1.supersede(keyOf(rowId), requestedAtMs, readAtMs),
    }
  }
}
