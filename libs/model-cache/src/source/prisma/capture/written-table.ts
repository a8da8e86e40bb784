import type { AffectedRows } from '../../affected-rows.js'
import { allFieldsOf, cascadesFrom, type Change, withOthers } from '../../referential-actions.js'
import type { Column } from '../../columns/column.js'
import type { Model, Models } from '../../schema-facts.js'
import type { UnknownRowsReason, WriteCoordinator } from '../../write-coordinator.js'
import type { Queryable } from './adapter.js'
import type { Statement } from './statement.js'
import { fires, type TableFacts } from './table-facts.js'
import { changedFields, type ClientRow } from './values.js'

/** The fields that rows have to show. */
export type Shown = ReadonlyMap<string, Column>

/** A database as its writers see it. */
export interface WrittenDatabase {
  readonly models: Models
  readonly provider: string
  readonly coordinator: WriteCoordinator
  /** The maximum number of rows that count one by one. */
  readonly limit: number
  factsOf(model: Model, queryable: Queryable): Promise<TableFacts>
}

/** What a statement does to the table of a model. */
export class WrittenTable {
  readonly model: Model
  readonly facts: TableFacts
  readonly provider: string
  readonly coordinator: WriteCoordinator
  /** The fields that each row has to show: the ids of caches, and the primary key if lookups through relations need it. */
  readonly ids: ReadonlySet<string>
  /** The fields that an update may change. */
  readonly changed: ReadonlySet<string>
  /** What happens to rows that exist; undefined if there are none. */
  readonly change: Change | undefined
  /** Whether the database changes rows of cached models along with these. */
  readonly passesOn: boolean
  /** Whether triggers may change the rows that are written. */
  readonly hasTriggers: boolean
  /** Whether triggers may change ids of caches. A primary key they leave as it is. */
  readonly mayChangeIds: boolean
  /** Whether only the rows as they were before show all that the statement affects. */
  readonly needsFormer: boolean
  /** Whether triggers may change rows after the statement has shown them. */
  readonly isChangedAfterwards: boolean
  /** Whether triggers may write a row by a statement of their own, and have the database leave out the one that was sent. */
  readonly isDiverted: boolean
  /** Whether rows may get other ids, or another primary key. */
  readonly changesKeys: boolean
  /** Whether rows get another primary key, or lose it. */
  readonly isRekeyed: boolean
  readonly hasRekeyedLookups: boolean

  constructor(
    database: WrittenDatabase,
    model: Model,
    { kind, isUpsert, set }: Statement,
    facts: TableFacts,
  ) {
    const { coordinator, provider } = database
    this.model = model
    this.facts = facts
    this.provider = provider
    this.coordinator = coordinator
    this.hasRekeyedLookups = hasRekeyedLookups(database, model)
    const own = coordinator.idFieldsOf(model.name).flat()
    this.ids = new Set(this.hasRekeyedLookups ? [...own, ...model.primaryKey] : own)
    const columns = set.size > 0 ? [...set.keys(), ...facts.derived] : []
    this.changed = new Set(changedFields(model, columns))
    const kinds = isUpsert ? (['insert', 'update'] as const) : [kind]
    const firesAny = (time: 'before' | 'after'): boolean =>
      kinds.some((one) => fires(facts, `${time} ${one}`, columns))
    const isBefore = firesAny('before')
    const isAfter = firesAny('after')
    this.hasTriggers = isBefore || isAfter
    const isUpdate = kind === 'update' || isUpsert
    const updated = this.hasTriggers ? withOthers(model, this.changed) : this.changed
    this.change = kind === 'delete' ? 'deleted' : isUpdate ? updated : undefined
    this.passesOn = this.change !== undefined && passesOn(database, model, this.change)
    this.changesKeys = [...this.ids, ...model.primaryKey].some((field) => this.changed.has(field))
    this.mayChangeIds = this.hasTriggers && [...this.ids].some((id) => !model.primaryKey.includes(id))
    // RETURNING shows what other triggers make of a row. MySQL lets none write the table.
    this.isDiverted = provider !== 'mysql' && isBefore
    this.isChangedAfterwards = provider !== 'mysql' && isAfter
    this.needsFormer =
      this.passesOn || this.changesKeys || this.mayChangeIds || (this.isDiverted && this.change !== undefined)
    this.isRekeyed = kind === 'delete' || model.primaryKey.some((field) => this.changed.has(field))
  }
}

/** Whether a write of the table can affect anything that is cached. */
export function concerns(database: WrittenDatabase, model: Model, { kind, set }: Statement): boolean {
  // The database may derive other columns from those that are set.
  const changed = set.size > 0 ? allFieldsOf(model) : new Set<string>()
  return isAffected(database, model, kind === 'delete' ? 'deleted' : changed)
}

/** What triggers may change: any field, and columns of which the writer has none. Of these, those that lookups watch are known. */
export function changedByTriggers({ coordinator }: WrittenDatabase, model: Model): ReadonlySet<string> {
  const watched = coordinator.lookupsOf(model.name).flatMap(({ fields }) => fields ?? [])
  return new Set([...allFieldsOf(model), ...watched])
}

/** Whether lookups through relations have entries by rows of the model. */
export function hasRekeyedLookups({ coordinator }: WrittenDatabase, { relations }: Model): boolean {
  return [...relations.values()].some(
    ({ keyHolder, target }) =>
      keyHolder === 'join-table' &&
      coordinator.lookupsOf(target).some(({ through }) => through !== undefined),
  )
}

/** Whether the database may change rows of cached models together with a row of this one. */
function passesOn(database: WrittenDatabase, { name }: Model, change: Change): boolean {
  const { models } = database
  // Each statement asks this: most end at the first child.
  for (const { child } of cascadesFrom(models, name, change))
    if (isNoted(database, models.get(child.model)!)) return true
  return false
}

/** Whether a change of a row of the model affects anything that is cached. */
export function isAffected(database: WrittenDatabase, model: Model, change: Change): boolean {
  return isNoted(database, model) || passesOn(database, model, change)
}

/** Whether anything that is cached has rows of the model, or entries by them. */
function isNoted(database: WrittenDatabase, model: Model): boolean {
  return database.coordinator.idFieldsOf(model.name).length > 0 || hasRekeyedLookups(database, model)
}

/**
 * Adds the entries of lookups by rows of this model that lose their primary keys, or get them: they are deleted, or their keys change. The
 * database deletes, or changes, the rows of join tables with them.
 */
export function addRekeyed(affected: AffectedRows, { relations }: Model, rows: readonly ClientRow[]): void {
  for (const { keyHolder, target, targetField } of relations.values())
    if (keyHolder === 'join-table') affected.addJoinedThrough(target, targetField, rows)
}

/**
 * Adds all rows of a table, and those that the database may change with them.
 *
 * @param empties whether also rows are deleted that only refer to these
 */
export function addAll(
  affected: AffectedRows,
  models: Models,
  name: string,
  reason: UnknownRowsReason = 'unknown',
  empties = false,
): void {
  addWhole(affected, models, name, reason)
  if (empties) for (const each of descendants(models, name)) addWhole(affected, models, each, 'cascade')
  addCascades(affected, models, name)
}

/** Adds all rows that the database may change with those of a table. */
export function addCascades(affected: AffectedRows, models: Models, name: string): void {
  for (const change of ['deleted', allFieldsOf(models.get(name)!)] as const)
    for (const { child } of cascadesFrom(models, name, change))
      addWhole(affected, models, child.model, 'cascade')
}

function addWhole(affected: AffectedRows, models: Models, name: string, reason: UnknownRowsReason): void {
  affected.addModel(name, reason)
  addRekeyed(affected, models.get(name)!, [{}])
}

function descendants(models: Models, name: string): readonly string[] {
  const found = new Set([name])
  // Iterating a set also visits what is added meanwhile.
  for (const one of found) for (const { model } of models.get(one)!.children) found.add(model)
  return [...found]
}

/** The fields that rows have to show: ids, keys of lookups, and what other rows refer to or are referred to by. */
export function shownFields({ coordinator }: WrittenDatabase, model: Model): Shown {
  const { children, name, primaryKey, relations, scalars } = model
  const fields = new Set([
    ...primaryKey,
    ...coordinator.idFieldsOf(name).flat(),
    ...coordinator.lookupsOf(name).flatMap(({ key, through }) => (through === undefined ? (key ?? []) : [])),
    ...children.flatMap(({ relation }) => relation.references),
    ...[...relations.values()].flatMap(({ fields: own }) => own),
  ])
  return new Map([...fields].flatMap((field) => (scalars.has(field) ? [[field, scalars.get(field)!]] : [])))
}
