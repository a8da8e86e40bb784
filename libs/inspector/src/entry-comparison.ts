import type { RowId } from 'model-cache/internal'
import type { ComparedMember, EntryComparison } from './compare-entry.js'
import type { EntryComparisonReport, EntryRow } from './row-report.js'
import { storedReportOf } from './stored-report.js'
import { withinDeadline } from './within-deadline.js'

/** Rows of an entry that are shown, at most. */
export const maxEntryRows = 100

/**
 * Shows a comparison row by row. Never rejects for the source.
 *
 * @param textOf returns the text of an id
 * @param lastWritesTo returns the last write to each of some rows, as far as processes remember
 */
export async function entryComparisonOf(
  compare: () => Promise<EntryComparison>,
  textOf: (rowId: RowId) => string,
  lastWritesTo: (ids: readonly string[]) => Promise<ReadonlyMap<string, EntryRow['lastWrite']>>,
): Promise<EntryComparisonReport> {
  const { error, result } = await withinDeadline('entry', compare)
  if (!result) return { outcome: 'failed', error, storedRows: null, sourceRows: null, rows: [] }
  const { outcome, source, stored } = result
  const shown = differingFirst(result.rows).slice(0, maxEntryRows)
  const ids = shown.map(({ rowId }) => textOf(rowId))
  const lastWrites = await lastWritesTo(ids)
  return {
    outcome,
    error: null,
    storedRows: stored?.length ?? null,
    sourceRows: source.length,
    rows: shown.map(({ belongs, sourceAt, storedAt, value }, i) => ({
      id: ids[i]!,
      storedPlace: placeOf(storedAt),
      sourcePlace: placeOf(sourceAt),
      stored: storedReportOf(value),
      belongs,
      lastWrite: lastWrites.get(ids[i]!) ?? null,
    })),
  }
}

/**
 * That rows before it have left changes the place of a row, which says nothing about it. Without a stored entry, all rows differ, and
 * keep their order.
 */
function differingFirst(rows: readonly ComparedMember[]): readonly ComparedMember[] {
  const isDifferent = ({ belongs, sourceAt, storedAt }: ComparedMember): boolean =>
    sourceAt < 0 || storedAt < 0 || !belongs
  return rows.toSorted((one, other) => Number(isDifferent(other)) - Number(isDifferent(one)))
}

const placeOf = (at: number): number | null => (at < 0 ? null : at + 1)
