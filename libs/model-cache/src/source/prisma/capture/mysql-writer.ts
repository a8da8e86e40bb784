import { lookupsJoined } from '../../joined-lookups.js'
import { cascadesFrom } from '../../referential-actions.js'
import type { Column } from '../../columns/column.js'
import type { Model } from '../../schema-facts.js'
import { type Queryable, sendTo, type SqlResultSet } from './adapter.js'
import { keyOf } from './cascaded-rows.js'
import type { RowReader } from './row-reader.js'
import type { Sent, Write } from './sent-write.js'
import { partOf } from './sql.js'
import { isName, unquoted } from './sql-tokens.js'
import type { Statement } from './statement.js'
import { cellOf } from './value-rows.js'
import { isVague } from './vague-condition.js'
import type { StoredRow } from './values.js'
import { changedByTriggers, type Shown, type WrittenDatabase, type WrittenTable } from './written-table.js'

/** Runs statements of MySQL, which shows no rows that it updates, and finds these. */
export class MysqlWriter {
  readonly #database: WrittenDatabase
  readonly #reader: RowReader

  constructor(database: WrittenDatabase, reader: RowReader) {
    this.#database = database
    this.#reader = reader
  }

  /** Runs an INSERT of one row, and finds it by its primary key, unless the client hides that. */
  async insert(write: Write, { facts, model }: WrittenTable, shown: Shown): Promise<Sent> {
    const { query, statement, tx, wantsRows } = write
    const result: unknown = await sendTo(tx, query, wantsRows)
    const { columns, rows } = statement
    const [cells] = rows?.values() ?? []
    if (!wantsRows || rows!.count !== 1 || !cells || !columns) return { result, rows: undefined }
    const key: Record<string, unknown> = {}
    for (const field of model.primaryKey) {
      const { column } = model.scalars.get(field) ?? {}
      if (column === undefined) return { result, rows: undefined }
      const cell = cells[columns.indexOf(column)]
      const value = typeof cell === 'object' ? query.args[cell.parameter - 1] : undefined
      const isGenerated = value === undefined || value === null || Number(value) === 0
      const { lastInsertId } = result as SqlResultSet
      key[field] = isGenerated && column === facts.numbered && lastInsertId !== '0' ? lastInsertId : value
      if (key[field] === undefined) return { result, rows: undefined }
    }
    const found = await this.#reader.again(tx, model, shown, [key])
    return { result, rows: found?.length === 1 ? found : undefined }
  }

  /**
   * Runs an UPDATE, and selects the rows that match its condition then: those that it has changed do, others may. A transaction sees what it
   * has written itself, so that nothing is locked for it. If the rows were locked before, the places that they have in other indexes would not
   * be, and could be taken by whoever then waits for the rows.
   */
  async sendAndFind({ query, statement, tx, wantsRows }: Write, shown: Shown): Promise<Sent> {
    const { target, where } = statement
    const result: unknown = await sendTo(tx, query, wantsRows)
    const rows = await this.#reader.select(tx, shown, target, partOf(query, where), false)
    return { result, rows }
  }

  /** Runs a statement, and selects its rows again, which were locked before. */
  async sendAndSelect(
    write: Write,
    table: WrittenTable,
    shown: Shown,
    former: readonly StoredRow[],
  ): Promise<Sent> {
    const { query, statement, tx, wantsRows } = write
    const { model } = table
    const seen = isVague(statement) ? seenFields(table, shown) : undefined
    const before = seen && (await this.#textsOf(tx, model, seen, former))
    const result: unknown = await sendTo(tx, query, wantsRows)
    // Nobody else changes rows that are locked. So if as many are written, these are.
    if (wantsRows || result !== former.length) return { result, rows: undefined }
    if (seen) {
      const after = before && !this.#mayFollow(table) && (await this.#textsOf(tx, model, seen, former))
      // If its condition matches other rows meanwhile, as rows of other tables have changed, it has left some of these as they were.
      const haveChanged =
        after && former.every((row) => before.get(keyOf(model, row)) !== after.get(keyOf(model, row)))
      if (!haveChanged) return { result, rows: undefined }
    }
    if (statement.kind === 'delete') return { result, rows: former }
    const changed = table.hasTriggers ? changedByTriggers(this.#database, model) : table.changed
    const isJoining = lookupsJoined(this.#database.coordinator, model.name, changed).length > 0
    const { changesKeys, mayChangeIds, passesOn } = table
    if (!isJoining && !changesKeys && !mayChangeIds && !passesOn) return { result, rows: former }
    const keys = keysAfter(write, model, former)
    const rows = keys && (await this.#reader.again(tx, model, shown, keys))
    return { result, rows: rows?.length === former.length ? rows : undefined }
  }

  /** What a transaction sees of these rows. Of what is locked that changes only if it writes it. */
  async #textsOf(
    tx: Queryable,
    model: Model,
    seen: Shown,
    rows: readonly StoredRow[],
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const found = await this.#reader.again(tx, model, seen, rows)
    return found && new Map(found.map((row) => [keyOf(model, row), JSON.stringify(row)]))
  }

  /** Whether the database, or a trigger, may change a row of the table because of another one. */
  #mayFollow({ change, hasTriggers, model }: WrittenTable): boolean {
    if (change === 'deleted') return false
    const own = [...cascadesFrom(this.#database.models, model.name, change!)]
    return hasTriggers || own.some(({ child }) => child.model === model.name)
  }
}

/** The fields that show whether a statement has written a row: those that it sets as well, unless they may be long. */
function seenFields({ changed, model }: WrittenTable, shown: Shown): Shown {
  const set = [...changed].flatMap((field): [string, Column][] => {
    const column = model.scalars.get(field)
    return column && !isLong(column) ? [[field, column]] : []
  })
  return new Map([...shown, ...set])
}

function isLong({ nativeType, type }: Column): boolean {
  return type === 'Bytes' || type === 'Json' || nativeType?.endsWith('Text') === true
}

/** Whether the rows that an UPDATE has changed match its condition still. */
export function findsAgain(statement: Statement, { changed, hasTriggers, model }: WrittenTable): boolean {
  const { kind, where } = statement
  if (kind !== 'update' || hasTriggers || isVague(statement)) return false
  const columns = new Set(
    [...changed].map((field) => (model.scalars.get(field)?.column ?? field).toLowerCase()),
  )
  return !where.some((token) => isName(token) && columns.has(unquoted(token.text, 'mysql').toLowerCase()))
}

/** The primary keys that rows have after an update; undefined if its parameters do not show them, or the client hides them. */
function keysAfter(
  { query, statement }: Write,
  { primaryKey, scalars }: Model,
  former: readonly StoredRow[],
): readonly StoredRow[] | undefined {
  let after = former
  for (const field of primaryKey) {
    const { column } = scalars.get(field) ?? {}
    if (column === undefined) return undefined
    const tokens = statement.set.get(column)
    if (!tokens) continue
    const cell = cellOf(tokens)
    if (typeof cell !== 'object') return undefined
    after = after.map((row) => ({ ...row, [field]: query.args[cell.parameter - 1] }))
  }
  return after
}
