/** Writes in SQL of the tables of a random schema: in the forms of Prisma's own statements, and in others. */
import type { Random } from '../differential/random.ts'
import type { Dialect } from './dialects.ts'
import type { Query } from './random-nested-write.ts'
import { columnsOf, type Model, type Schema } from './random-schema.ts'
import type { Rows } from './random-rows.ts'

export function randomRawQuery(random: Random, { dialect, models, most }: Schema, rows: Rows): Query {
  return new RawGenerator(random, dialect, models, rows, most).query()
}

class RawGenerator {
  readonly #random: Random
  readonly #dialect: Dialect
  readonly #models: readonly Model[]
  readonly #rows: Rows
  readonly #most: number
  readonly #values: unknown[] = []

  constructor(random: Random, dialect: Dialect, models: readonly Model[], rows: Rows, most: number) {
    this.#random = random
    this.#dialect = dialect
    this.#models = models
    this.#rows = rows
    this.#most = most
  }

  query(): Query {
    const model = this.#random.pick(this.#models)
    const table = this.#dialect.quote(model.table)
    const choices = [
      () => `UPDATE ${table} SET ${this.#set(model)} WHERE ${this.#where(model)}`,
      () => `UPDATE ${table} SET ${this.#set(model)} WHERE ${this.#where(model)}`,
      () => `update ${table} as x set ${this.#set(model)} where x.${this.#where(model)}`,
      () => `/* all */ UPDATE ${table} SET ${this.#set(model)} -- of them`,
      () => `DELETE FROM ${table} WHERE ${this.#where(model)}`,
      () => `DELETE FROM ${table} WHERE ${this.#where(model)} OR ${this.#where(model)}`,
      () => this.#insert(model),
      () => this.#insert(model),
      ...this.#others(model, table),
    ]
    const sql = this.#random.pick(choices)()
    const isReturning = this.#dialect.provider !== 'mysql' && /^(?:UPDATE|DELETE|INSERT)\b/.test(sql)
    const returned = isReturning && this.#random.chance(30)
    const operation = returned || sql.startsWith('WITH') ? '$queryRawUnsafe' : '$executeRawUnsafe'
    const text = returned && !sql.includes('RETURNING') ? `${sql} RETURNING ${this.#column(model, 'n')}` : sql
    return { model: '', operation, args: [text, ...this.#values] }
  }

  /** Of one database only. */
  #others(model: Model, table: string): readonly (() => string)[] {
    const key = this.#columnsOf(model, model.keys[0]!)
    switch (this.#dialect.provider) {
      case 'postgresql':
        return [
          () =>
            `WITH "d" AS (DELETE FROM ${table} WHERE ${this.#where(model)} RETURNING *) SELECT count(*)::int FROM "d"`,
          () => `TRUNCATE ${table} CASCADE`,
          () => `MERGE INTO ${table} USING (SELECT 1) AS s ON ${this.#where(model)} WHEN MATCHED THEN DELETE`,
          () =>
            `UPDATE ONLY ${table} SET ${this.#set(model)} FROM (SELECT 1) AS s WHERE ${this.#where(model)}`,
          () => `${this.#insert(model)} ON CONFLICT (${key}) DO UPDATE SET ${this.#set(model)}`,
          () => `${this.#insert(model)} ON CONFLICT DO NOTHING`,
        ]
      case 'mysql':
        return [
          () => `REPLACE ${this.#insert(model).slice('INSERT '.length)}`,
          () => `${this.#insert(model)} ON DUPLICATE KEY UPDATE ${this.#set(model)}`,
          () => this.#insert(model).replace('INSERT', 'INSERT IGNORE'),
          () => `UPDATE ${table} SET ${this.#set(model)} WHERE ${this.#where(model)} ORDER BY ${key} LIMIT 1`,
          () => `DELETE x FROM ${table} AS x WHERE x.${this.#where(model)}`,
        ]
      case 'sqlite':
        return [
          () => this.#insert(model).replace('INSERT', 'INSERT OR REPLACE'),
          () => `REPLACE ${this.#insert(model).slice('INSERT '.length)}`,
          () => `UPDATE OR REPLACE ${table} SET ${this.#set(model)} WHERE ${this.#where(model)}`,
          () => `${this.#insert(model)} ON CONFLICT (${key}) DO UPDATE SET ${this.#set(model)}`,
          () => `WITH "w" AS (SELECT 1) DELETE FROM ${table} WHERE ${this.#where(model)}`,
        ]
    }
  }

  #insert(model: Model): string {
    const fields = [...model.fields].flatMap(([field, { setBy }]) => (setBy ? [] : [field]))
    const rows = Array.from({ length: 1 + this.#random.below(2) }, () =>
      fields.map((field) => this.#parameter(this.#value(model, field))).join(', '),
    )
    return `INSERT INTO ${this.#dialect.quote(model.table)} (${this.#columnsOf(model, fields)}) VALUES (${rows.join('), (')})`
  }

  #set(model: Model): string {
    const fields = [...model.fields].flatMap(([field, { setBy }]) => (setBy ? [] : [field]))
    const set = [...new Set([this.#random.pick(fields), ...this.#random.some(fields, 15)])]
    return set
      .map((field) => {
        const column = this.#column(model, field)
        const isDerived = field === 'n' && this.#random.chance(40)
        return `${column} = ${isDerived ? '1 + 1' : this.#parameter(this.#value(model, field))}`
      })
      .join(', ')
  }

  #where(model: Model): string {
    const field = this.#random.chance(50) ? model.keys[0]![0]! : this.#random.pick([...model.fields.keys()])
    const column = this.#column(model, field)
    const value = (): string => this.#parameter(this.#value(model, field) ?? 1)
    return this.#random.oneOf(
      () => `${column} = ${value()}`,
      () => `${column} IN (${value()}, ${value()})`,
      () => `${column} > ${value()}`,
      () => `${column} IS NOT NULL`,
    )
  }

  /** Often that of a row. */
  #value(model: Model, field: string): number | null {
    const rows = this.#rows.get(model.name)!
    const { isNullable } = model.fields.get(field)!
    if (isNullable && this.#random.chance(15)) return null
    if (rows.length > 0 && this.#random.chance(60)) return this.#random.pick(rows)[field] ?? 1
    return 1 + this.#random.below(this.#random.chance(60) ? this.#most : 12)
  }

  #parameter(value: number | null): string {
    this.#values.push(value)
    return this.#dialect.parameter(this.#values.length)
  }

  #column(model: Model, field: string): string {
    return this.#columnsOf(model, [field])
  }

  #columnsOf(model: Model, names: readonly string[]): string {
    return columnsOf(this.#dialect, model, names)
  }
}
