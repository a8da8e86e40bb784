import { type AffectedRows, hasAll } from '../../affected-rows.js'
import type { Cascade } from '../../referential-actions.js'
import type { Model, Models, Relation } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import { pinnedBy, pinnedRows, type Row } from './literals.js'
import { rowAfterCreate } from './row-after.js'

/** Nested operations that connect no rows and disconnect none, unless they delete them or change their keys. */
const unconnecting = new Set(['update', 'updateMany', 'delete', 'deleteMany'])

/**
 * Adds the entries of lookups through a relation that a nested operation of its field affects, in both directions: those of the rows at
 * the other side, which list the parent, and that of the parent.
 *
 * @param parent what is known of the row whose `data` holds the operation
 */
export function addConnected(
  { affected, models }: { readonly affected: AffectedRows; readonly models: Models },
  { field, target, targetField }: Relation,
  { model, row }: { readonly model: Model; readonly row: Row },
  [operation, argument]: readonly [operation: string, argument: unknown],
): void {
  if (unconnecting.has(operation)) return
  affected.addJoinedThrough(
    model.name,
    field,
    connectedRows(models, models.get(target)!, operation, argument),
  )
  affected.addJoinedThrough(target, targetField, [row])
}

/** The rows at the other side that are connected or disconnected, as far as the arguments show them. */
function connectedRows(models: Models, target: Model, operation: string, argument: unknown): readonly Row[] {
  const { where, create } = (argument ?? {}) as Args
  switch (operation) {
    case 'connect':
    case 'disconnect':
      return [pinnedBy(target, argument)]
    case 'create':
      return [rowAfterCreate(models, target, argument)]
    case 'connectOrCreate':
      return [pinnedBy(target, where), rowAfterCreate(models, target, create)]
    case 'upsert':
      return [rowAfterCreate(models, target, create)]
    default:
      // The rows that `set` disconnects are unknown.
      return [{}]
  }
}

/**
 * Adds the entries of lookups by rows of this model that lose their primary keys, or get them: they are deleted, or their keys change. The
 * database deletes, or changes, the rows of join tables with them.
 */
export function addRekeyed(affected: AffectedRows, { relations }: Model, rows: readonly Row[]): void {
  for (const { keyHolder, target, targetField } of relations.values())
    if (keyHolder === 'join-table') affected.addJoinedThrough(target, targetField, rows)
}

/** As {@link addRekeyed}, for an update, if it may change the primary key. */
export function addIfRekeyed(affected: AffectedRows, model: Model, rows: readonly Row[], changes: Row): void {
  if (model.primaryKey.some((field) => field in changes)) addRekeyed(affected, model, [...rows, changes])
}

/** Adds the entries of lookups through relations that are affected by a change of the database to unknown rows. */
export function addCascaded(
  { affected, models }: { readonly affected: AffectedRows; readonly models: Models },
  { change, model: name }: Cascade,
): void {
  const model = models.get(name)!
  if (change === 'deleted' || model.primaryKey.some((field) => change.has(field)))
    addRekeyed(affected, model, [{}])
  if (change !== 'deleted') affected.addJoined(name, [], change)
}

/** The rows that a `where` matches at most, as far as it pins their primary keys. */
export function keyedRows(model: Model, where: unknown): readonly Row[] {
  const pinned = pinnedBy(model, where)
  return hasAll(pinned, model.primaryKey) ? [pinned] : pinnedRows(model, where)
}
