import { channel } from 'node:diagnostics_channel'
import type {
  CacheObserver,
  FillOutcome,
  InvalidationKind,
  LoadOutcome,
  ModelObserver,
} from '../cache/telemetry/observer.js'

/** Published on `model-cache:read` after the reads of one tick have resolved. */
export interface ReadEvent {
  readonly model: string
  /** Number of distinct ids. */
  readonly ids: number
  /** Time from the first `get` to the last row. */
  readonly seconds: number
}

/** Published on `model-cache:load` after each load from a source. */
export interface LoadEvent {
  readonly model: string
  readonly ids: number
  readonly seconds: number
  readonly outcome: LoadOutcome
}

/** Published on `model-cache:fill` after each call that writes rows to the store, and for rows that are not written. */
export interface FillEvent {
  readonly model: string
  readonly rows: number
  readonly outcome: FillOutcome
}

/** Published on `model-cache:invalidate` before the invalidation. */
export interface InvalidateEvent {
  readonly model: string
  readonly kind: InvalidationKind
  /** Number of ids; 1 for all rows of a model. */
  readonly count: number
}

/** Published on `model-cache:store` when the store or one of its nodes becomes unavailable or available again. */
export interface StoreEvent {
  readonly side: 'reads' | 'writes'
  readonly state: 'up' | 'down'
  readonly reason: string
}

const reads = channel('model-cache:read')
const loads = channel('model-cache:load')
const fills = channel('model-cache:fill')
const invalidations = channel('model-cache:invalidate')
const store = channel('model-cache:store')

/**
 * Wraps an observer so that its calls are also published on `node:diagnostics_channel`. There is one event per batch, never
 * one per row, and no event object is created without a subscriber.
 */
export function withDiagnostics(observer: CacheObserver): CacheObserver {
  return {
    forModel: (model) => withModelDiagnostics(model, observer.forModel(model)),
    foreignKeys: (count) => observer.foreignKeys?.(count),
    storeChanged(side, state, reason) {
      observer.storeChanged(side, state, reason)
      if (store.hasSubscribers) store.publish({ side, state, reason } satisfies StoreEvent)
    },
  }
}

function withModelDiagnostics(model: string, observer: ModelObserver): ModelObserver {
  return {
    ...observer,
    readSeconds(seconds, ids) {
      observer.readSeconds(seconds, ids)
      if (reads.hasSubscribers) reads.publish({ model, ids, seconds } satisfies ReadEvent)
    },
    load(outcome, seconds, ids) {
      observer.load(outcome, seconds, ids)
      if (loads.hasSubscribers) loads.publish({ model, ids, seconds, outcome } satisfies LoadEvent)
    },
    fills(outcome, rows) {
      observer.fills(outcome, rows)
      if (fills.hasSubscribers) fills.publish({ model, rows, outcome } satisfies FillEvent)
    },
    invalidations(kind, count) {
      observer.invalidations(kind, count)
      if (invalidations.hasSubscribers)
        invalidations.publish({ model, kind, count } satisfies InvalidateEvent)
    },
  }
}
