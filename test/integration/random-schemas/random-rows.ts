/** Rows of a random schema that its foreign keys and unique keys allow. */
import type { Random } from '../differential/random.ts'
import { columnsOf, type Model, type Schema } from './random-schema.ts'

export type Row = Record<string, number | null>
/** By model; of join tables by their names, with `A` and `B`. */
export type Rows = ReadonlyMap<string, readonly Row[]>

export function randomRows(random: Random, { joinTables, models: all, most }: Schema): Rows {
  const models = all.filter(({ viewOf }) => !viewOf)
  const rows = new Map(
    models.map((model) => [model.name, random.list(6, () => randomRow(random, model, most))]),
  )
  for (const model of models) rows.set(model.name, withoutTwins(model, rows.get(model.name)!))
  // Most foreign keys lead to rows that exist.
  for (const model of models)
    for (const { fields, holder, references, target } of model.relations)
      for (const row of holder === 'this' ? rows.get(model.name)! : []) {
        const others = rows.get(target.name)!
        if (others.length === 0 || random.chance(20)) continue
        const other = random.pick(others)
        fields.forEach((field, index) => {
          const value = other[references[index]!] ?? null
          const isFixed =
            model.keys[0]!.includes(field) || (value === null && !model.fields.get(field)!.isNullable)
          if (!isFixed) row[field] = value
        })
      }
  for (const model of models) rows.set(model.name, withoutTwins(model, rows.get(model.name)!))
  // Until nothing leads to a row that does not exist.
  for (let isChanged = true; isChanged;) {
    isChanged = false
    for (const model of models) {
      const former = JSON.stringify(rows.get(model.name))
      const kept = rows.get(model.name)!.filter((row) => isKept(model, row, rows))
      isChanged ||= JSON.stringify(kept) !== former
      rows.set(model.name, kept)
    }
  }
  for (const { a, b, table } of joinTables) {
    const pairs = rows
      .get(a.model.name)!
      .flatMap((one) =>
        rows
          .get(b.model.name)!
          .map((other) => ({ A: one[a.model.keys[0]![0]!]!, B: other[b.model.keys[0]![0]!]! })),
      )
    rows.set(table, random.some(pairs, 30))
  }
  for (const { name, viewOf } of all) if (viewOf) rows.set(name, rows.get(viewOf.name)!)
  return rows
}

function randomRow(random: Random, model: Model, most: number): Row {
  const row: Row = Object.fromEntries(
    [...model.fields].map(([field, { isNullable }]) => [
      field,
      isNullable && random.chance(25) ? null : 1 + random.below(most),
    ]),
  )
  if (model.fields.has('g')) row.g = row.n! + 1
  return row
}

function withoutTwins({ keys }: Model, rows: readonly Row[]): Row[] {
  return rows.filter((row, index) =>
    keys.every((key) =>
      rows
        .slice(0, index)
        .every((other) => key.some((field) => row[field] === null || row[field] !== other[field])),
    ),
  )
}

/** Whether all foreign keys of a row lead to rows. Those that may be null become null otherwise. */
function isKept(model: Model, row: Row, rows: Rows): boolean {
  return model.relations.every(({ fields, holder, references, target }) => {
    if (holder !== 'this' || fields.some((field) => row[field] === null)) return true
    const isThere = rows
      .get(target.name)!
      .some((other) => fields.every((field, index) => row[field] === other[references[index]!]))
    if (isThere) return true
    const free = fields.find((field) => model.fields.get(field)!.isNullable)
    if (free === undefined) return false
    row[free] = null
    return true
  })
}

/** SQL that makes the tables hold these rows, and no others. */
export function refilling({ dialect, joinTables, models: all }: Schema, rows: Rows): string {
  const { quote } = dialect
  const models = all.filter(({ viewOf }) => !viewOf)
  const valuesOf = (row: Row, names: readonly string[]): string =>
    `(${names.map((name) => row[name] ?? 'NULL').join(', ')})`
  const inserts = models.map((model) => {
    const fields = [...model.fields].flatMap(([field, { setBy }]) => (setBy === 'database' ? [] : [field]))
    return insert(
      quote(model.table),
      columnsOf(dialect, model, fields),
      rows.get(model.name)!.map((row) => valuesOf(row, fields)),
    )
  })
  const joined = joinTables.map(({ table }) =>
    insert(
      quote(table),
      [quote('A'), quote('B')].join(),
      rows.get(table)!.map((row) => valuesOf(row, ['A', 'B'])),
    ),
  )
  const emptied = [...joinTables, ...models].map(({ table }) => `DELETE FROM ${quote(table)};`)
  // Rows may lead to each other.
  return dialect.unchecked([...emptied, ...inserts, ...joined].filter((statement) => statement !== ''))
}

function insert(table: string, columns: string, values: readonly string[]): string {
  return values.length === 0 ? '' : `INSERT INTO ${table} (${columns}) VALUES ${values.join(', ')};`
}
