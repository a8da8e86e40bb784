import type { OperatorLog } from '../protocol/index.js'
import type { CacheContext, ModelContext, Telemetry } from './context.js'
import type { CachePermits } from './load/load-permits.js'
import { type AuditSettings, Auditor } from './telemetry/auditor.js'
import { observedSource } from './telemetry/observed-source.js'
import { type CacheObserver, type ModelObserver, observedEvents, verifyEvents } from './telemetry/observer.js'
import { shieldEvents } from './telemetry/shield-observer.js'

export interface CreateTelemetryOptions<Row, Id> extends Omit<Telemetry<Id>, 'auditor'> {
  /** The model, whose source nobody observes yet. */
  readonly model: ModelContext<Row, Id>
  /** The audit loads rows with these. */
  readonly permits: CachePermits
  readonly audit: AuditSettings
  /** Whether reads would refuse a stored row that differs from the source, and load it again. @default none is refused */
  readonly isRefused?: (stored: Row) => Promise<boolean>
  /** Called before each call of the source. */
  readonly onUse?: () => void
}

/**
 * Creates the parts that operators see, of the rows of a model or of the entries of a lookup. Returns the model as its caches use it: with
 * a source that is observed.
 */
export function createTelemetry<Row, Id>(
  options: CreateTelemetryOptions<Row, Id>,
): Pick<CacheContext<Row, Id>, 'model' | 'telemetry'> {
  const { audit, history, isRefused, largePayloads, log, observer, onUse, permits } = options
  const model = { ...options.model, source: observedSource(options.model.source, observer, onUse) }
  const seen = { observer, history, largePayloads, log }
  const auditor = audit.rate > 0 ? new Auditor(model, permits, seen, audit, isRefused) : undefined
  return { model, telemetry: { ...seen, auditor } }
}

/**
 * The observer of a model, or of one of its lookups, whose errors fail no reads.
 *
 * @throws ConfigurationError if it lacks an event
 */
export function observerOf(
  observer: CacheObserver,
  log: OperatorLog,
  name: string,
  lookup?: string,
): ModelObserver {
  const own = observer.forModel(name, lookup)
  verifyEvents(own, name, lookup)
  return shieldEvents(own, observedEvents, (error) =>
    log.warn(
      `ModelCache "${name}": its observer throws, so its counts are missing; reads and writes go on: ` +
        (error instanceof Error ? error.message : String(error)),
    ),
  )
}
