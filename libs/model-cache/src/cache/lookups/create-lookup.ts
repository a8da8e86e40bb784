import type { IdField, RowFences, RegisterSnapshot } from '../../protocol/index.js'
import type { CacheContext, Coherence, ModelContext, Telemetry } from '../context.js'
import { compareEntry } from '../inspection/compare-entry.js'
import { Invalidator } from '../invalidator.js'
import { Filler } from '../load/filler.js'
import { loadToCompare } from '../load/load-to-compare.js'
import type { Primer } from '../load/primer.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { L1, L1Options } from '../read/l1.js'
import { ReadCollector, type RowReads } from '../read/read-collector.js'
import { ReadPath } from '../read/read-path.js'
import type { EntrySnapshot } from '../read/read.js'
import { type CurrentTransaction, TransactionReads } from '../read/transaction-reads.js'
import { Auditor, type AuditorDependencies } from '../telemetry/auditor.js'
import { observedSource } from '../telemetry/observed-source.js'
import type { ModelObserver } from '../telemetry/observer.js'
import { CachedLookup } from './cached-lookup.js'
import { EntryDelivery } from './entry-delivery.js'
import { createEntryKeys } from './entry-keys.js'
import { EntryL1 } from './entry-l1.js'
import { HeldLists } from './held-lists.js'
import { areMembers, createEntryCodec, type LookupEntry } from './lookup-entry.js'
import { createLookupSource } from './lookup-source.js'
import { compileMatcher } from './matcher.js'

export interface CreateLookupOptions<Row, Id> {
  readonly lookup: BoundLookup
  /** Of the rows. */
  readonly context: CacheContext<Row, Id>
  readonly id: readonly IdField[]
  readonly rows: RowReads<Row, Id>
  readonly primer: Primer<Row, Id>
  readonly writes: RowFences
  readonly transactions: CurrentTransaction | undefined
  readonly l1: L1Options | undefined
  /** The rows in memory. */
  readonly rowL1: L1<Row> | undefined
  readonly observer: ModelObserver
  readonly audit: Pick<AuditorDependencies<Row, Id>, 'rate' | 'fenceMs'>
}

/** A lookup, and what it holds in memory. */
export interface CreatedLookup<Row> {
  readonly lookup: CachedLookup<Row>
  readonly auditor: Auditor<LookupEntry<Row>, unknown> | undefined
  readonly l1: EntryL1<Row> | undefined
}

/**
 * Creates a lookup: a cache of entries, which are read, loaded, leased and stored as rows are, and whose delivery reads the rows that
 * they name.
 */
export function createLookup<Row, Id>(options: CreateLookupOptions<Row, Id>): CreatedLookup<Row> {
  const { context, id, lookup, observer, primer, rows, writes } = options
  const { coherence, model, policy, runtime } = context
  const matcher = compileMatcher(lookup)
  const keys = createEntryKeys<Row>(model.name, lookup, model.keys)
  const entries: ModelContext<LookupEntry<Row>, unknown> = {
    name: `${model.name}.${lookup.name}`,
    codec: createEntryCodec(lookup.description.fingerprint, id),
    keys,
    store: model.store,
    source: observedSource(
      createLookupSource<Row>({
        lookup,
        matcher,
        keys,
        source: model.source as never,
        idOf: idReader(id),
        onTooLong: (lists) => observer.fills('too_long', lists),
      }),
      observer,
    ),
    isNothing: ({ ids }) => ids.length === 0,
  }
  const { largePayloads, log } = context.telemetry
  const auditor =
    options.audit.rate > 0
      ? new Auditor({
          ...options.audit,
          model: entries,
          runtime,
          telemetry: { observer, log },
          isRefused: async (entry) => {
            const found = entry.ids.length === 0 ? [] : await loadToCompare(model, runtime, entry.ids as Id[])
            const byId = new Map(found.map((row) => [model.keys.rowIdOf(row), row]))
            const rows = entry.ids.map((id) => byId.get(model.keys.toRowId(id as Id)))
            return !areMembers(matcher, entry, rows)
          },
        })
      : undefined
  const telemetry: Telemetry<unknown> = {
    ...context.telemetry,
    observer,
    largePayloads: largePayloads.ofLists(entries.name, observer),
    auditor,
  }
  const ofEntries: CacheContext<LookupEntry<Row>, unknown> = {
    model: entries,
    policy,
    runtime,
    coherence: ofExistence(coherence),
    telemetry,
  }
  const l1 = options.l1 && new EntryL1<Row>(options.l1, policy.notFoundTtlMs, coherence.clock)
  const path = new ReadPath(
    ofEntries,
    l1,
    new Filler(ofEntries),
    (reloads) =>
      new EntryDelivery<Row>({
        model,
        policy,
        runtime,
        telemetry,
        matcher,
        rows: rows as RowReads<Row, unknown>,
        rowL1: options.rowL1,
        primer: primer as never,
        path: reloads,
      }),
  )
  const collector = new ReadCollector(ofEntries, path)
  const transactionReads = new TransactionReads(ofEntries, options.transactions, collector)
  return {
    l1,
    auditor,
    lookup: new CachedLookup<Row>({
      ...ofEntries,
      name: lookup.name,
      kind: lookup.kind,
      l1,
      reads: collector,
      held:
        l1 && options.rowL1 && policy.sharesRows
          ? new HeldLists({
              keys,
              rowKeys: model.keys as never,
              matcher,
              coherence,
              telemetry,
              entries: l1,
              rows: options.rowL1,
            })
          : undefined,
      transactionReads,
      invalidator: new Invalidator({
        model: entries,
        telemetry,
        writes,
        transactionReads,
        unknownScope: 'existence',
      }),
      compare: (key) =>
        compareEntry({ entries: ofEntries, rows: context, runtime, matcher }, key, keys.toRowId(key)),
      shape: (row) => model.codec.normalize(row),
    }),
  }
}

/** Entries carry the existence epoch, as negative entries do: they stand for which rows there are, not for what these hold. */
function ofExistence({ register, ...others }: Coherence): Coherence {
  const toEntries = ({ epoch, existence, mayFill, losses }: RegisterSnapshot): EntrySnapshot => ({
    epoch: existence,
    existence,
    epochOfRows: epoch,
    mayFill,
    losses,
  })
  return {
    ...others,
    register: {
      get fingerprints() {
        return register.fingerprints
      },
      get joiningForMs() {
        return register.joiningForMs
      },
      get losses() {
        return register.losses
      },
      read: () => register.read().then(toEntries),
      readForLoaded: () => register.readForLoaded().then(toEntries),
    },
  }
}

function idReader<Row>(id: readonly IdField[]): (row: Row) => unknown {
  const names = id.map(({ name }) => name as keyof Row)
  const [first, ...others] = names
  if (others.length === 0) return (row) => row[first!]
  return (row) => Object.fromEntries(names.map((name) => [name, row[name]]))
}
