import { type FencedWriteUnit, tableKey } from 'model-cache/internal'
import type { FollowedModel, FollowedTable, FollowedTables } from './followed-tables.js'
import type { LoggedChange, LoggedRow } from './logged-change.js'

type RowChange = Exclude<LoggedChange, { kind: 'truncate' }>

/** Reports a committed change to the caches that it concerns. What the log does not show counts as anything. */
export function recordChange(unit: FencedWriteUnit, followed: FollowedTables, change: LoggedChange): void {
  for (const logged of change.kind === 'truncate' ? change.tables : [change.table]) {
    const table = followed.tables.get(tableKey(logged))
    if (!table) recordUnknown(unit, followed)
    else if (change.kind === 'truncate') recordTable(unit, table, 'unknown')
    else recordRowChange(unit, table, change)
  }
}

/** Reports that any row of some tables may have changed. */
export function recordAll(unit: FencedWriteUnit, { tables }: FollowedTables, names: readonly string[]): void {
  for (const name of names) {
    const table = tables.get(name)
    if (table) recordTable(unit, table, 'gap')
  }
}

function recordTable(
  unit: FencedWriteUnit,
  { models, relations }: FollowedTable,
  reason: 'gap' | 'unknown',
): void {
  for (const { model } of models) unit.markAllWritten(model, reason)
  for (const { model, relation } of relations) unit.markJoinedThrough(model, relation, [{}])
}

function recordRowChange(unit: FencedWriteUnit, table: FollowedTable, change: RowChange): void {
  const key = keyColumnsOf(change)
  for (const model of table.models) recordRow(unit, model, change, key)
  for (const { model, relation, rowsOf } of table.relations)
    unit.markJoinedThrough(model, relation, textsOf(change).flatMap(rowsOf))
}

/** @param key the columns that the log shows of rows before a change */
function recordRow(
  unit: FencedWriteUnit,
  { ids, isView, model, rowOf }: FollowedModel,
  change: RowChange,
  key: ReadonlySet<string>,
): void {
  if (isView) return unit.markAllWritten(model, 'dependency')
  // The caches that depend on the model need no row of it.
  if (ids.length === 0) return unit.markWritten(model, [{}])
  const rows = textsOf(change).map(rowOf)
  const shown = ids.filter(
    ({ columns, fields }) =>
      (change.kind === 'insert' || columns.every((column) => key.has(column))) &&
      rows.every((row) => fields.every((field) => field in row)),
  )
  if (shown.length > 0) unit.markWritten(model, rows)
  if (shown.length < ids.length)
    unit.markAllWritten(
      model,
      'unknown',
      shown.map(({ fields }) => fields),
    )
  if (change.kind === 'insert') unit.markJoined(model, rows)
  else if (change.kind === 'update') unit.markJoined(model, rows.slice(-1), changedFields(change, rowOf))
}

/** What the log has of the row, before the change and after it. */
function textsOf(change: RowChange): readonly LoggedRow[] {
  switch (change.kind) {
    case 'insert':
      return [change.row]
    case 'delete':
      return [change.before]
    case 'update':
      return change.before ? [change.before, change.row] : [change.row]
  }
}

function changedFields(
  { before, row, table }: Extract<LoggedChange, { kind: 'update' }>,
  rowOf: FollowedModel['rowOf'],
): Pick<ReadonlySet<string>, 'has'> {
  // The default replica identity does not show which.
  if (!before || !table.isWhole) return { has: () => true }
  const [old, now] = [rowOf(before), rowOf(row)]
  // Fields that no cache reads of the row are not in it, but lookups may watch them.
  return { has: (field) => !(field in old) || !(field in now) || textOf(old[field]) !== textOf(now[field]) }
}

/** Records a change of a table that no cache has described: it may concern those that have described none. */
function recordUnknown(unit: FencedWriteUnit, { unknown }: FollowedTables): void {
  for (const { affectedBy } of unknown) {
    if (affectedBy) for (const { model } of affectedBy) unit.markAllWritten(model, 'unknown')
    else unit.markEverything('unknown')
  }
}

/** The columns whose values from before a change the log shows: those of a key that does not change stay as they are. */
function keyColumnsOf(change: RowChange): ReadonlySet<string> {
  const { columns, isWhole } = change.table
  // A partition may have less in the log than its table says: then nothing is known to stay.
  if (isWhole && change.kind === 'update' && !change.before) return new Set()
  return new Set(columns.flatMap(({ isKey, name }) => (isKey || isWhole ? [name] : [])))
}

/** Equal for values of a field that are equal, and for no others: a text may be 'null', and bytes are no text. */
function textOf(value: unknown): string | null {
  if (value === null) return null
  if (value instanceof Date) return String(value.getTime())
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  const { toFixed } = Object(value) as { toFixed?: () => string }
  return typeof value === 'object' && toFixed ? toFixed() : String(value)
}
