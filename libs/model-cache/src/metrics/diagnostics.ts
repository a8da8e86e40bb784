import { channel } from 'node:diagnostics_channel'
import type {
  CacheObserver,
  FillOutcome,
  InvalidationKind,
  LoadOutcome,
  ModelObserver,
} from '../cache/telemetry/observer.js'

/** On `model-cache:read`, when the reads of one tick have been answered. */
export interface ReadEvent {
  readonly model: string
  /** Distinct ones. */
  readonly ids: number
  /** From the first `get` to the last answer. */
  readonly seconds: number
}

/** On `model-cache:load`, after each call of a source. */
export interface LoadEvent {
  readonly model: string
  readonly ids: number
  readonly seconds: number
  readonly outcome: LoadOutcome
}

/** On `model-cache:fill`, after each call of the store that writes rows, and for rows that are not written. */
export interface FillEvent {
  readonly model: string
  readonly rows: number
  readonly outcome: FillOutcome
}

/** On `model-cache:invalidate`, before it is done. */
export interface InvalidateEvent {
  readonly model: string
  readonly kind: InvalidationKind
  /** Ids; 1 for all of a model. */
  readonly count: number
}

/** On `model-cache:store`, when the store or a node of it stops to serve reads or writes, or serves them again. */
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
 * Publishes what an observer is told on channels of `node:diagnostics_channel` as well: one event for each batch, never one for
 * each row, and none is made while nobody has subscribed.
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
