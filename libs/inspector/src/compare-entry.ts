import {
  areMembers,
  type CacheContext,
  type CachedLookup,
  type KeySpace,
  loadToCompare,
  type LookupEntry,
  readManyStored,
  type RowId,
  type StoredValue,
} from 'model-cache/internal'
import { type Comparison, compareRow } from './compare-row.js'

/** The entry of a lookup in the store beside that of the source. */
export interface EntryComparison {
  /**
   * As that of rows. `outdated`: a read would load the entry again, because one of its rows, as the read gets it, does not belong to it,
   * or has moved.
   */
  readonly outcome: Comparison<never>['outcome'] | 'outdated'
  /** The ids of the rows; null if a read would not use what the store has. */
  readonly stored: readonly unknown[] | null
  /** The ids of the rows: none for a unique key that no row has. */
  readonly source: readonly unknown[]
  /** The rows that one of the two names, those of the source first: the first 1,000. */
  readonly rows: readonly ComparedMember[]
}

/** A row that an entry names. */
export interface ComparedMember {
  readonly rowId: RowId
  /** The place of the row in the stored entry, and in that of the source, from 0; -1 if it is not in it. */
  readonly storedAt: number
  readonly sourceAt: number
  /** What the store has of the row itself. */
  readonly value: StoredValue<unknown>
  /** Whether the row belongs to the entry, as a read gets it: from the store, or else from the source. */
  readonly belongs: boolean
}

/** Rows that are looked at, at most: decoding more of them would take too long. */
const maxRows = 1_000

/**
 * Compares an entry in the store with the source, and says what its rows have to do with it. Stores nothing.
 *
 * @param rows that entries name
 * @throws StoreError
 * @throws any error of the source
 */
export async function compareEntry<Row, Id>(
  rows: CacheContext<Row, Id>,
  { context, matcher }: Pick<CachedLookup<Row, Id>, 'context' | 'matcher'>,
  key: unknown,
): Promise<EntryComparison> {
  const { keys } = rows.model
  const { loaded, outcome, stored } = await compareRow(context, key)
  const [storedPlaces, sourcePlaces] = [stored, loaded].map((entry) => placesIn(entry?.ids, keys))
  const rowIds = [...new Set([...sourcePlaces!.keys(), ...storedPlaces!.keys()])].slice(0, maxRows)
  const read = await readManyStored(rows, rowIds)
  const onlyStored = rowIds.filter((rowId) => !sourcePlaces!.has(rowId))
  const fromSource = await sourceRowsOf(
    rows,
    loaded,
    onlyStored.map((rowId) => storedPlaces!.get(rowId)!.id),
  )
  const asRead = new Map(
    rowIds.map((rowId, i) => {
      const value = read[i]!.stored
      return [rowId, value.isHit ? value.row : fromSource.get(rowId)] as const
    }),
  )

  const text = stored?.key ?? loaded?.key
  const belongs = (row: Fields | null | undefined): boolean =>
    !!row && matcher.fulfils(row) && (!matcher.rowsHoldKey || matcher.keyOf(row) === text)
  const isKnown = stored && [...storedPlaces!.keys()].every((rowId) => asRead.has(rowId))
  const areKept =
    !isKnown ||
    areMembers(
      matcher,
      stored,
      [...storedPlaces!.keys()].map((id) => asRead.get(id)),
    )
  return {
    outcome: (outcome === 'same' || outcome === 'different') && !areKept ? 'outdated' : outcome,
    stored: stored === undefined ? null : (stored?.ids ?? []),
    source: loaded?.ids ?? [],
    rows: rowIds.map((rowId, i) => ({
      rowId,
      storedAt: storedPlaces!.get(rowId)?.at ?? -1,
      sourceAt: sourcePlaces!.get(rowId)?.at ?? -1,
      value: read[i]!.stored,
      belongs: belongs(asRead.get(rowId) as Fields | null | undefined),
    })),
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The places of rows in an entry, in its order. */
function placesIn<Row, Id>(
  ids: readonly unknown[] = [],
  keys: KeySpace<Row, Id>,
): ReadonlyMap<RowId, { readonly at: number; readonly id: Id }> {
  return new Map(ids.map((id, at) => [keys.toRowId(id as Id), { at, id: id as Id }]))
}

/** The rows that were loaded with an entry, and those that it does not name. */
async function sourceRowsOf<Row, Id>(
  { model, runtime }: CacheContext<Row, Id>,
  loaded: LookupEntry<Row> | undefined,
  others: readonly Id[],
): Promise<ReadonlyMap<RowId, Row>> {
  const found = others.length > 0 ? await loadToCompare(model, runtime.permits, others) : []
  const all = [...(loaded?.rows ?? []), ...found].map((row) => model.codec.normalize(row))
  return new Map(all.map((row) => [model.keys.rowIdOf(row), row]))
}
