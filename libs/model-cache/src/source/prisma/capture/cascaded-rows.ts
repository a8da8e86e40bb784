import type { AffectedRows } from '../../affected-rows.js'
import { type Change, type PassedOn, passedOn, withOthers } from '../../referential-actions.js'
import type { Model, Relation } from '../../schema-facts.js'
import type { Queryable } from './adapter.js'
import type { RowReader } from './row-reader.js'
import type { TableFacts } from './table-facts.js'
import { changedFields, clientRow, type StoredRow } from './values.js'
import {
  addAll,
  addRekeyed,
  changedByTriggers,
  isAffected,
  shownFields,
  type WrittenDatabase,
} from './written-table.js'

/** Rows that the database changes with those above them. */
export interface Level {
  readonly model: Model
  readonly relation: Relation
  readonly isCascade: boolean
  readonly change: Change
  readonly rows: readonly StoredRow[]
  readonly below: readonly Level[]
}

/** Finds the rows that the database changes because they refer to others: before a statement, and again after it. */
export class CascadedRows {
  readonly #database: WrittenDatabase
  readonly #reader: RowReader
  readonly #affected: AffectedRows
  readonly #tx: Queryable
  readonly #seen = new Set<string>()
  /** The rows that are deleted, unless a trigger keeps them. */
  readonly #deleted = new Set<string>()

  constructor(database: WrittenDatabase, reader: RowReader, affected: AffectedRows, tx: Queryable) {
    this.#database = database
    this.#reader = reader
    this.#affected = affected
    this.#tx = tx
  }

  /** Locks and selects the rows below these, level by level. Rows that cannot be selected count as all of their model. */
  async lockBelow(model: Model, rows: readonly StoredRow[], change: Change): Promise<readonly Level[]> {
    if (change === 'deleted') for (const row of rows) this.#deleted.add(keyOf(model, row))
    const levels: Level[] = []
    for (const passed of passedOn(this.#database.models, model.name, change)) {
      const { relation } = passed.child
      const child = this.#database.models.get(passed.child.model)!
      const most = [passed.change, withOthers(child, passed.change)]
      if (!most.some((one) => isAffected(this.#database, child, one))) continue
      const facts = await this.#database.factsOf(child, this.#tx)
      const found = await this.#children(passed, child, rows, facts)
      if (!found) {
        addAll(this.#affected, this.#database.models, child.name, 'cascade')
        continue
      }
      const changed = changeOf(this.#database, child, passed.change, facts)
      const fresh = found.filter((row) => this.#isNew(child, relation, changed, row))
      if (fresh.length > 0)
        levels.push({
          model: child,
          relation,
          isCascade: isCascade(passed, change),
          change: changed,
          rows: fresh,
          below: await this.lockBelow(child, fresh, changed),
        })
    }
    return levels
  }

  /** Undefined if it is not known which rows change, or what happens to them. */
  async #children(
    { change, child: { relation } }: PassedOn,
    child: Model,
    rows: readonly StoredRow[],
    facts: TableFacts,
  ): Promise<readonly StoredRow[] | undefined> {
    const mayBeKept = change === 'deleted' && mayDivert(facts, 'delete')
    if (!facts.returnsRows || !facts.locksRows || mayBeKept) return undefined
    const { fields, references } = relation
    return this.#reader.rowsWith(
      this.#tx,
      child,
      shownFields(this.#database, child),
      { fields, rows, others: references },
      true,
    )
  }

  #isNew(child: Model, { field }: Relation, change: Change, row: StoredRow): boolean {
    const name = `${child.name}.${field} ${change === 'deleted'} ${JSON.stringify(row)}`
    return !this.#seen.has(name) && this.#seen.add(name) !== undefined
  }

  /**
   * Adds what has become of the rows below others.
   *
   * @param parents as they are after the write; undefined if they are deleted, or unknown
   */
  async add(levels: readonly Level[], parents: readonly StoredRow[] | undefined): Promise<void> {
    for (const level of levels) await this.add(level.below, await this.#addLevel(level, parents))
  }

  async #addLevel(
    { change, isCascade: follows, model, relation, rows }: Level,
    parents: readonly StoredRow[] | undefined,
  ): Promise<readonly StoredRow[] | undefined> {
    const { name, primaryKey } = model
    const before = rows.map((row) => clientRow(model, row))
    this.#affected.addRows(name, before, 'cascade')
    const isRekeyed = change === 'deleted' || primaryKey.some((field) => change.has(field))
    if (isRekeyed) addRekeyed(this.#affected, model, before)
    if (change === 'deleted') return undefined
    const shown = shownFields(this.#database, model)
    const { fields, references } = relation
    // A write may change the primary key of a row that is below another one of its table.
    const found =
      parents && follows
        ? await this.#reader.rowsWith(this.#tx, model, shown, { fields, rows: parents, others: references })
        : isRekeyed
          ? undefined
          : await this.#reader.again(this.#tx, model, shown, rows)
    const keys = new Set(found?.map((row) => keyOf(model, row)))
    const isKnown = (row: StoredRow): boolean => {
      const key = keyOf(model, row)
      return keys.has(key) || this.#deleted.has(key)
    }
    const areAll = keys.size >= rows.length || (!isRekeyed && rows.every(isKnown))
    if (!found || !areAll) this.#affected.addModel(name, 'cascade')
    const after = (found ?? []).map((row) => clientRow(model, row))
    const ids = this.#database.coordinator.idFieldsOf(name).flat()
    if (ids.some((id) => change.has(id))) this.#affected.addRows(name, after, 'cascade')
    this.#affected.addJoined(name, found ? after : [{}], change)
    if (isRekeyed) addRekeyed(this.#affected, model, found ? after : [{}])
    return found
  }
}

/** Names a row by its primary key. */
export function keyOf({ name, primaryKey }: Model, row: StoredRow): string {
  return JSON.stringify([name, ...primaryKey.map((field) => row[field])])
}

/** Whether triggers may do something else with the rows. */
function mayDivert({ triggers }: TableFacts, kind: 'update' | 'delete'): boolean {
  return triggers.has(`before ${kind}`) || triggers.has(`after ${kind}`)
}

/** What happens to rows: the change itself, with the fields that change along. */
function changeOf(database: WrittenDatabase, model: Model, change: Change, facts: TableFacts): Change {
  if (change === 'deleted') return change
  if (mayDivert(facts, 'update')) return withOthers(model, change, changedByTriggers(database, model))
  return new Set([...change, ...changedFields(model, [...facts.derived])])
}

function isCascade({ child: { relation } }: PassedOn, change: Change): boolean {
  return (change === 'deleted' ? relation.onDelete : relation.onUpdate) === 'Cascade'
}
