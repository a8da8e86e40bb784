import { channel } from 'node:diagnostics_channel'
import {
  type CacheObserver,
  type FillOutcome,
  type InvalidationKind,
  type LoadOutcome,
  type ModelObserver,
  observedEvents,
  type TickOutcome,
  verifyEvents,
} from '../cache/telemetry/observer.js'

/** What an event is about. */
interface Subject {
  readonly model: string
  /** The lookup whose entries it is about; absent if it is about rows. */
  readonly lookup?: string
}

/** Published on `model-cache:read` after the reads of one tick have resolved. */
export interface ReadEvent extends Subject {
  /** Number of distinct ids, or keys of the lookup. */
  readonly ids: number
  /** Time from the first `get` to the last row. */
  readonly seconds: number
  /** `'miss'` if a row had to be loaded. */
  readonly outcome: TickOutcome
}

/** Published on `model-cache:load` after each load from a source. */
export interface LoadEvent extends Subject {
  /** Number of ids, or keys of the lookup. */
  readonly ids: number
  readonly seconds: number
  readonly outcome: LoadOutcome
}

/** Published on `model-cache:fill` after each call that writes to the store, and for what is not written. */
export interface FillEvent extends Subject {
  /** Number of rows, or entries of the lookup. */
  readonly rows: number
  readonly outcome: FillOutcome
}

/** Published on `model-cache:invalidate` before the invalidation. */
export interface InvalidateEvent extends Subject {
  readonly kind: InvalidationKind
  /** Number of ids, or keys of the lookup; 1 for all rows of a model. */
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
 * one per row, and no event object is created without a subscriber. What the observer returns is returned, as it may be a promise that
 * rejects.
 */
export function withDiagnostics(observer: CacheObserver): CacheObserver {
  return {
    forModel(model, lookup) {
      const own = observer.forModel(model, lookup)
      verifyEvents(own, model, lookup)
      return withModelDiagnostics(lookup === undefined ? { model } : { model, lookup }, own)
    },
    foreignKeys: (count) => observer.foreignKeys?.(count),
    storeChanged(side, state, reason) {
      if (store.hasSubscribers) store.publish({ side, state, reason } satisfies StoreEvent)
      return observer.storeChanged(side, state, reason)
    },
  }
}

function withModelDiagnostics(subject: Subject, observer: ModelObserver): ModelObserver {
  return {
    ...methodsOf(observer),
    readSeconds(seconds, ids, outcome) {
      if (reads.hasSubscribers) reads.publish({ ...subject, ids, seconds, outcome } satisfies ReadEvent)
      return observer.readSeconds(seconds, ids, outcome)
    },
    load(outcome, seconds, ids) {
      if (loads.hasSubscribers) loads.publish({ ...subject, ids, seconds, outcome } satisfies LoadEvent)
      return observer.load(outcome, seconds, ids)
    },
    fills(outcome, rows) {
      if (fills.hasSubscribers) fills.publish({ ...subject, rows, outcome } satisfies FillEvent)
      return observer.fills(outcome, rows)
    },
    invalidations(kind, count) {
      if (invalidations.hasSubscribers)
        invalidations.publish({ ...subject, kind, count } satisfies InvalidateEvent)
      return observer.invalidations(kind, count)
    },
  }
}

/** Not a copy of its properties: an instance of a class has its methods elsewhere. */
function methodsOf(observer: ModelObserver): ModelObserver {
  const methods = observedEvents.map((name) => [name, observer[name].bind(observer)])
  return Object.fromEntries(methods) as ModelObserver
}
