import type { CachePolicy, Coherence, ModelContext, Runtime, Telemetry } from './context.js'
import { Filler } from './load/filler.js'
import { LoadedRows } from './load/loaded-rows.js'
import { Loader } from './load/loader.js'
import type { RowDelivery } from './read/delivery.js'
import { HeldRows, type RowReads } from './read/held-rows.js'
import type { L1 } from './read/l1.js'
import { ReadCollector } from './read/read-collector.js'
import { ReadPath } from './read/read-path.js'
import { StoredRows } from './read/stored-rows.js'

/** The groups of dependencies that all parts of a read path share. */
export interface ReadContext<Row, Id> {
  readonly model: ModelContext<Row, Id>
  readonly policy: CachePolicy
  readonly runtime: Runtime
  readonly coherence: Coherence
  readonly telemetry: Telemetry<Id>
}

export interface CreateReadsOptions<Row, Id> extends ReadContext<Row, Id> {
  readonly l1: L1<Row> | undefined
  readonly delivery: RowDelivery<Row>
  /** Whether a row stands for none, as the entry of an empty list does. @default only null does */
  readonly isNothing?: (row: Row) => boolean
}

/** A read path from its entrance on. */
export interface CreatedReads<Row, Id> {
  readonly collector: ReadCollector<Row, Id>
  readonly path: ReadPath<Row, Id>
  readonly filler: Filler<Row>
}

/** Creates the parts that read rows from L1, the store and the source: those of a model, or the entries of a lookup. */
export function createReads<Row, Id>({
  l1,
  delivery,
  isNothing = () => false,
  ...context
}: CreateReadsOptions<Row, Id>): CreatedReads<Row, Id> {
  const filler = new Filler<Row>(context)
  const handler = new LoadedRows<Row, Id>({
    ...context,
    l1,
    filler,
    delivery,
    isNothing,
    readAgain: (reads) => path.readStore(reads),
  })
  const loader = new Loader<Row, Id>({ ...context, handler })
  const stored = new StoredRows<Row, Id>({ ...context, l1, delivery })
  const path: ReadPath<Row, Id> = new ReadPath({ ...context, l1, stored, loader, delivery })
  const collector = new ReadCollector<Row, Id>({
    ...context,
    onTick: (requested) => void context.runtime.inFlight.track(path.answer(requested)),
  })
  return { collector, path, filler }
}

/** Lets requests for shared rows that L1 has pass the collector. */
export function withHeldRows<Row, Id>(
  context: Pick<ReadContext<Row, Id>, 'model' | 'coherence' | 'telemetry' | 'policy'>,
  l1: L1<Row> | undefined,
  collector: ReadCollector<Row, Id>,
): RowReads<Row, Id> {
  return l1 && context.policy.sharesRows ? new HeldRows({ ...context, l1, collector }) : collector
}
