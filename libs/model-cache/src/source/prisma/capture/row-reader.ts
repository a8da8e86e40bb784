import type { Model } from '../../schema-facts.js'
import type { Queryable } from './adapter.js'
import { type Part, rowsWith, selected, tableInSql } from './sql.js'
import type { StoredRow } from './values.js'
import { isUnreadable } from './write-end.js'
import type { Shown, WrittenDatabase } from './written-table.js'

/** Rows that have in `fields` what other rows have in `others`. */
export interface SameValues {
  readonly fields: readonly string[]
  readonly rows: readonly StoredRow[]
  readonly others: readonly string[]
}

/** Selects rows in a transaction, below Prisma. */
export class RowReader {
  readonly #provider: string
  readonly #limit: number

  constructor({ limit, provider }: WrittenDatabase) {
    this.#provider = provider
    this.#limit = limit
  }

  /** Reads the same rows again, as {@link rowsWith} does. */
  again(
    tx: Queryable,
    model: Model,
    shown: Shown,
    rows: readonly StoredRow[],
  ): Promise<readonly StoredRow[] | undefined> {
    const { primaryKey: fields } = model
    return this.rowsWith(tx, model, shown, { fields, rows, others: fields })
  }

  /** As {@link select}, of rows with the values of others. Undefined also if a statement cannot find these values. */
  async rowsWith(
    tx: Queryable,
    model: Model,
    shown: Shown,
    { fields: own, others, rows }: SameValues,
    locks = false,
  ): Promise<readonly StoredRow[] | undefined> {
    if (own.length === 0) return undefined
    const where = rowsWith(model, own, rows, others, this.#provider)
    return where
      ? this.select(tx, shown, tableInSql(model.table, this.#provider), where, locks)
      : where === null
        ? []
        : undefined
  }

  /**
   * Selects the rows of a condition. Returns undefined if there are more than the limit, or they cannot be selected: the table of a raw
   * statement may be another one with the name of the model's, which lacks a column. Only the error of the statement itself counts.
   */
  async select(
    tx: Queryable,
    shown: Shown,
    table: string,
    { args, argTypes, sql }: Part,
    locks: boolean,
  ): Promise<readonly StoredRow[] | undefined> {
    const fields = [...shown.keys()]
    const columns = [...shown.values()].map((scalar) => selected(scalar, this.#provider)).join(', ') || '1'
    const where = sql === '' ? '' : ` WHERE ${sql}`
    const limit = / (?:LIMIT|ORDER) [^)]*$/i.test(sql) ? '' : ` LIMIT ${this.#limit + 1}`
    const lock = locks && this.#provider !== 'sqlite' ? ' FOR UPDATE' : ''
    const select = { sql: `SELECT ${columns} FROM ${table}${where}${limit}${lock}`, args, argTypes }
    const found = await tx.queryRaw(select).catch((error: unknown) => {
      if (isUnreadable(error, this.#provider)) return undefined
      throw error
    })
    if (!found || found.rows.length > this.#limit) return undefined
    return found.rows.map((row) => Object.fromEntries(fields.map((field, i) => [field, row[i]])))
  }
}
