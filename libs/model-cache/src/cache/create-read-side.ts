import type { CacheContext } from './context.js'
import { Filler } from './load/filler.js'
import { Primer } from './load/primer.js'
import { createLookup, type LookupSurroundings } from './lookups/create-lookup.js'
import { Lookups } from './lookups/lookups.js'
import type { BoundLookup } from './policy/lookup-options.js'
import { Delivery } from './read/delivery.js'
import { L1Reads } from './read/l1-reads.js'
import { L1 } from './read/l1.js'
import { ReadCollector, type RowReads } from './read/read-collector.js'
import { ReadPath } from './read/read-path.js'
import { TransactionReads } from './read/transaction-reads.js'

export interface ReadSideOptions<Row, Id> extends Omit<LookupSurroundings<Row, Id>, 'rows'> {
  readonly context: CacheContext<Row, Id>
  readonly lookups: readonly BoundLookup[]
}

/** What answers the calls of a cache. */
export interface ReadSide<Row, Id> {
  readonly l1: L1<Row> | undefined
  readonly reads: RowReads<Row, Id>
  readonly transactionReads: TransactionReads<Row, Id>
  readonly primer: Primer<Row, Id>
  readonly lookups: Lookups<Row, Id>
}

/** Creates the parts that read rows from L1, the store and the source, by their ids and by the lookups of the cache. */
export function createReadSide<Row, Id>(options: ReadSideOptions<Row, Id>): ReadSide<Row, Id> {
  const { context, transactions, writeSide } = options
  const { coherence, model, policy, telemetry } = context
  const l1 = options.l1 && new L1<Row>(options.l1, policy.notFoundTtlMs, coherence.clock, telemetry.observer)
  writeSide.memory.add(l1)
  const filler = new Filler(context)
  const path = new ReadPath(context, l1, filler, () => new Delivery(context))
  const collector = new ReadCollector(context, path)
  const reads = l1 && policy.sharesRows ? new L1Reads(context, l1, collector) : collector
  const transactionReads = new TransactionReads(context, transactions, reads)
  const primer = new Primer(context, filler)
  const surroundings = { ...options, rows: { context, l1, reads, primer } }
  const lookups = options.lookups.map((bound) => createLookup(bound, surroundings))
  return { l1, reads, transactionReads, primer, lookups: new Lookups(model.name, lookups) }
}
