import type { IdField, KeySpace } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { createTelemetry, observerOf } from '../create-telemetry.js'
import type { WriteSide } from '../create-write-side.js'
import { Invalidator } from '../invalidator.js'
import { Siblings } from '../sibling-caches.js'
import { ofExistence } from '../mapped-register.js'
import { Filler } from '../load/filler.js'
import { loadToCompare } from '../load/load-to-compare.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { L1Options } from '../read/l1.js'
import { ReadCollector } from '../read/read-collector.js'
import { ReadPath } from '../read/read-path.js'
import { type CurrentTransaction, TransactionReads } from '../read/transaction-reads.js'
import type { AuditSettings } from '../telemetry/auditor.js'
import type { CacheObserver } from '../telemetry/observer.js'
import { CachedLookup } from './cached-lookup.js'
import { EntryDelivery, type MemberRows } from './entry-delivery.js'
import { createEntryKeys } from './entry-keys.js'
import { EntryL1 } from './entry-l1.js'
import { ExpectedRows } from './expected-rows.js'
import { L1Lists } from './l1-lists.js'
import { areMembers, createEntryCodec, type LookupEntry } from './lookup-entry.js'
import { createLookupSource } from './lookup-source.js'
import { compileMatcher } from './matcher.js'

/** What a lookup shares with the rows of its cache, and with the other lookups. */
export interface LookupSurroundings<Row, Id> {
  readonly id: readonly IdField[]
  readonly rows: MemberRows<Row, Id>
  readonly l1: L1Options | undefined
  readonly writeSide: WriteSide
  /** The transaction of the caller; undefined without `extendPrisma`. */
  readonly transactions: CurrentTransaction | undefined
  readonly observer: CacheObserver
  readonly audit: AuditSettings
}

/**
 * Creates a lookup: a cache of entries, which are read, loaded, leased and stored as rows are, and whose delivery reads the rows that
 * they name.
 */
export function createLookup<Row, Id>(
  lookup: BoundLookup,
  surroundings: LookupSurroundings<Row, Id>,
): CachedLookup<Row, Id> {
  const { audit, id, rows, transactions, writeSide } = surroundings
  const { coherence, model, policy, runtime, telemetry } = rows.context
  const { permits } = runtime
  const { history, log } = telemetry
  const name = `${model.name}.${lookup.name}`
  const observer = observerOf(surroundings.observer, log, model.name, lookup.name)
  const matcher = compileMatcher(lookup)
  const keys = createEntryKeys(model.name, lookup, model.keys)
  const source = createLookupSource({
    lookup,
    matcher,
    keys,
    source: model.source,
    idOf: idReader(id, model.keys),
    onTooLong: (lists) => observer.fills('too_long', lists),
  })
  const context: CacheContext<LookupEntry<Row>, unknown> = {
    ...createTelemetry<LookupEntry<Row>, unknown>({
      model: {
        name,
        codec: createEntryCodec(lookup.description.fingerprint, id, lookup.orderBy.length > 0),
        keys,
        store: model.store,
        isEncrypted: model.isEncrypted,
        source,
        isNothing: ({ ids }) => ids.length === 0,
        mayStore: ({ isStorable = true }) => isStorable,
      },
      observer,
      history,
      largePayloads: telemetry.largePayloads.ofLists(name, observer),
      log,
      permits,
      audit,
      isRefused: async (entry) => {
        const ids = entry.ids as readonly Id[]
        const found = ids.length === 0 ? [] : await loadToCompare(model, permits, ids)
        const byId = new Map(found.map((row) => [model.keys.rowIdOf(row), row]))
        const members = ids.map((each) => byId.get(model.keys.toRowId(each)))
        return !areMembers(matcher, entry, members)
      },
    }),
    policy,
    runtime,
    coherence: ofExistence(coherence),
  }

  const l1 =
    surroundings.l1 && new EntryL1<Row>(surroundings.l1, policy.notFoundTtlMs, coherence.clock, observer)
  writeSide.memory.add(l1)
  // What is in memory needs no round trip.
  const expected = l1 || rows.l1 ? undefined : new ExpectedRows(rows.context, rows.reads)
  const path = new ReadPath(
    context,
    l1,
    new Filler(context),
    (reloads) => new EntryDelivery(context, { ...rows, expected }, matcher, reloads),
  )
  const reads = new ReadCollector(context, {
    answer(of) {
      expected?.begin(of)
      return path.answer(of)
    },
  })
  const l1Lists =
    l1 && rows.l1 && policy.sharesRows
      ? new L1Lists(context, { matcher, entries: l1, rows: rows.l1, rowKeys: model.keys })
      : undefined
  const transactionReads = new TransactionReads(context, transactions, reads)
  const siblings = new Siblings(writeSide.namespaceCaches, writeSide.listing, lookup.name)
  const invalidator = new Invalidator(context, writeSide.fences, transactionReads, 'existence', siblings)
  return new CachedLookup(lookup, context, {
    rows,
    matcher,
    l1,
    reads,
    l1Lists,
    transactionReads,
    invalidator,
  })
}

/** Entries outlive the rows that they are made of, which callers may change. */
function idReader<Row, Id>(
  [first, ...others]: readonly IdField[],
  keys: KeySpace<Row, Id>,
): (row: Row) => Id {
  // A snapshot of an id of several fields takes these alone.
  if (others.length > 0) return (row) => keys.snapshot(row as unknown as Id)
  const name = first!.name as keyof Row
  return (row) => keys.snapshot(row[name] as Id)
}
