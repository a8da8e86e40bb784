import type { AffectedRows } from '../../affected-rows.js'
import { cascadesFrom, type Change, type PassedOn, passedOn } from '../../referential-actions.js'
import type { Model, Relation } from '../../schema-facts.js'
import type { Queryable } from './adapter.js'
import type { RowReader } from './row-reader.js'
import type { TableFacts } from './table-facts.js'
import { clientRow, fieldsOf, type StoredRow } from './values.js'
import { addRekeyed, isAffected, shownFields, withOthers, type WrittenDatabase } from './written-table.js'

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
  readonly #factsOf: (model: Model) => Promise<TableFacts>
  readonly #seen = new Set<string>()

  constructor(
    database: WrittenDatabase,
    reader: RowReader,
    affected: AffectedRows,
    tx: Queryable,
    factsOf: (model: Model) => Promise<TableFacts>,
  ) {
    this.#database = database
    this.#reader = reader
    this.#affected = affected
    this.#tx = tx
    this.#factsOf = factsOf
  }

  /** Locks and selects the rows below these, level by level. Rows that cannot be selected count as all of their model. */
  async lockBelow(model: Model, rows: readonly StoredRow[], change: Change): Promise<readonly Level[]> {
    const levels: Level[] = []
    for (const passed of passedOn(this.#database.models, model.name, change)) {
      const { relation } = passed.child
      const child = this.#database.models.get(passed.child.model)!
      const isDeleted = passed.change === 'deleted'
      const most = isDeleted ? passed.change : withOthers(child, passed.change)
      if (!isAffected(this.#database, child, most)) continue
      const facts = await this.#factsOf(child)
      const changed = isDeleted ? passed.change : changedWith(child, passed.change, facts)
      if (!isAffected(this.#database, child, changed)) continue
      const found = await this.#children(child, relation, rows, facts)
      const fresh = found?.filter((row) => this.#isNew(child, relation, changed, row))
      if (!fresh) this.#addWhole(child, changed)
      else if (fresh.length > 0) {
        const below = await this.lockBelow(child, fresh, changed)
        levels.push({
          model: child,
          relation,
          isCascade: isCascade(passed, change),
          change: changed,
          rows: fresh,
          below,
        })
      }
    }
    return levels
  }

  async #children(
    child: Model,
    { fields, references }: Relation,
    rows: readonly StoredRow[],
    { locksRows, returnsRows }: TableFacts,
  ): Promise<readonly StoredRow[] | undefined> {
    if (!returnsRows || !locksRows) return undefined
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

  #addWhole({ name }: Model, change: Change): void {
    const { models } = this.#database
    for (const one of [name, ...cascadesFrom(models, name, change).map(({ child }) => child.model)]) {
      this.#affected.addModel(one, 'cascade')
      addRekeyed(this.#affected, models.get(one)!, [{}])
    }
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
    if (change === 'deleted') {
      // A trigger may have kept the rows, and changed them.
      if (mayDivert(await this.#factsOf(model), 'delete')) this.#addWhole(model, change)
      return undefined
    }
    const shown = shownFields(this.#database, model)
    const { fields, references } = relation
    const found =
      parents && follows
        ? await this.#reader.rowsWith(this.#tx, model, shown, { fields, rows: parents, others: references })
        : isRekeyed
          ? undefined
          : await this.#reader.rowsWith(this.#tx, model, shown, {
              fields: primaryKey,
              rows,
              others: primaryKey,
            })
    if (!found || found.length < rows.length) this.#affected.addModel(name, 'cascade')
    const after = (found ?? []).map((row) => clientRow(model, row))
    if (
      this.#database.coordinator
        .idFieldsOf(name)
        .flat()
        .some((field) => change.has(field))
    )
      this.#affected.addRows(name, after, 'cascade')
    this.#affected.addJoined(name, found ? after : [{}], change)
    if (isRekeyed) addRekeyed(this.#affected, model, found ? after : [{}])
    return found
  }
}

/** Whether triggers may do something else with the rows. */
function mayDivert({ triggers }: TableFacts, kind: 'update' | 'delete'): boolean {
  return triggers.has(`before ${kind}`) || triggers.has(`after ${kind}`)
}

/** The fields that may change along with others. */
function changedWith(model: Model, change: ReadonlySet<string>, facts: TableFacts): ReadonlySet<string> {
  if (mayDivert(facts, 'update')) return withOthers(model, change)
  if (facts.derived.size === 0) return change
  const fields = fieldsOf(model)
  return new Set([...change, ...Array.from(facts.derived, (column) => fields.get(column) ?? column)])
}

function isCascade({ child: { relation } }: PassedOn, change: Change): boolean {
  return (change === 'deleted' ? relation.onDelete : relation.onUpdate) === 'Cascade'
}
