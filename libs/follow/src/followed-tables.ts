import {
  type CacheDescription,
  type DescribedCache,
  type FieldColumn,
  type IdKind,
  type KeyField,
  type KeyKind,
  type ModelTable,
  type Table,
  tableKey,
  type Tables,
} from 'model-cache/internal'
import type { LoggedRow } from './logged-change.js'
import { valueOf } from './logged-value.js'

/** A row, or as much of it as is known. */
type Row = Readonly<Record<string, unknown>>

/** How the rows of a table concern the caches of a model. */
export interface FollowedModel {
  readonly model: string
  /** Each id by which a cache identifies them; empty for a model that the rows of other caches depend on. */
  readonly ids: readonly FollowedId[]
  /** Whether each change may change all rows of the model, which is a view. */
  readonly isView: boolean
  /** The known fields of a row of the table. */
  readonly rowOf: (row: LoggedRow) => Row
}

/** An id by which a cache identifies rows. */
export interface FollowedId {
  readonly fields: readonly string[]
  readonly columns: readonly string[]
}

/** How the rows of the table of an implicit many-to-many relation concern the lookups of a model. */
export interface FollowedRelation {
  readonly model: string
  readonly relation: string
  /** The rows at the other side, by their keys. */
  readonly rowsOf: (row: LoggedRow) => readonly Row[]
}

export interface FollowedTable extends Table {
  readonly models: readonly FollowedModel[]
  readonly relations: readonly FollowedRelation[]
  /** The columns that are read of its rows. */
  readonly columns: ReadonlySet<string>
  /** The columns without which a deleted row cannot be identified. */
  readonly idColumns: ReadonlySet<string>
}

/** What the caches of a namespace need of the log of their database. */
export interface FollowedTables {
  /** The followed tables by {@link tableKey}. */
  readonly tables: ReadonlyMap<string, FollowedTable>
  /** The caches whose tables are unknown: each change of an unknown table may concern them. */
  readonly unknown: readonly DescribedCache[]
}

/** Works out from the catalogue how the rows of each table concern caches. @param providers those of the database that is followed */
export function followedTables(
  caches: readonly DescribedCache[],
  providers: ReadonlySet<string>,
): FollowedTables {
  const tables = new Map<string, TableBuilder>()
  const tableAt = (place: Table): TableBuilder => {
    const table = tables.get(tableKey(place)) ?? new TableBuilder(place)
    tables.set(tableKey(place), table)
    return table
  }
  // Schemas of one cache differ in their fingerprints alone.
  const layouts = new Map(caches.map((cache) => [cache.layout, cache]))
  for (const cache of layouts.values()) {
    const described = followableTables(cache, providers)
    if (!described) continue
    const { id, lookups, model } = cache.description!
    const idFields = id.map(({ name }) => name)
    const kinds = kindsIn(cache.description!)
    for (const table of followedOf(described))
      tableAt(table).addModel(table, table.columns.length > 0 ? idFields : [], kinds, model)
    for (const { columns, relation, ...place } of described.joins) {
      const [key] = lookups.find(({ through }) => through === relation)?.key ?? []
      tableAt(place).addRelation(model, relation, columns, key)
    }
  }
  return {
    tables: new Map([...tables].map(([key, table]) => [key, table.build()])),
    unknown: [...layouts.values()].filter((cache) => !followableTables(cache, providers)),
  }
}

/** The tables of a cache; undefined if a follower cannot tell which of its rows a change concerns. */
export function followableTables(
  { description }: DescribedCache,
  providers: ReadonlySet<string>,
): Tables | undefined {
  const tables = description?.tables
  if (!tables || !providers.has(tables.provider)) return undefined
  const kinds = kindsIn(description)
  const isRead = tables.models[0]!.columns.filter(({ field }) => kinds.has(field))
  return isRead.every(({ column }) => column !== undefined) ? tables : undefined
}

/** The tables of a cache whose changes a log has. */
export function followedOf({ models }: Tables): readonly ModelTable[] {
  return models.filter(({ isAlias }) => !isAlias)
}

type Kinds = ReadonlyMap<string, IdKind | KeyKind>

/** The kinds of the fields of a row that are part of an id or of a key. */
function kindsIn({ id, lookups }: CacheDescription): Kinds {
  const own = lookups.flatMap(({ key = [], through }) => (through === undefined ? key : []))
  return new Map([...own, ...id].map(({ kind, name }) => [name, kind]))
}

interface FieldReader {
  readonly kind: IdKind | KeyKind | undefined
  readonly description: FieldColumn
}

interface ModelBuilder {
  readonly model: string
  isView: boolean
  readonly ids: Map<string, readonly string[]>
  readonly fields: Map<string, FieldReader>
}

class TableBuilder {
  readonly #place: Table
  readonly #models: ModelBuilder[] = []
  readonly #relations: FollowedRelation[] = []
  readonly #columns = new Set<string>()
  readonly #idColumns = new Set<string>()

  constructor({ name, schema }: Table) {
    this.#place = { schema, name }
  }

  /**
   * Fields of all caches of a model are read together, unless two of them read one field differently, as around a migration.
   *
   * @param own the model of the cache
   */
  addModel({ columns, model }: ModelTable, idFields: readonly string[], kinds: Kinds, own: string): void {
    // The values of other columns that writers watch do not matter.
    const read = columns
      .filter(({ field }) => kinds.has(field))
      .map((description) => ({ description, kind: kinds.get(description.field) }))
    let builder = this.#models.find(
      (known) => known.model === model && read.every((field) => fits(known, field)),
    )
    if (!builder) {
      builder = { model, isView: false, ids: new Map(), fields: new Map() }
      this.#models.push(builder)
    }
    if (model === own && columns.length === 0) builder.isView = true
    if (idFields.length > 0) builder.ids.set(idFields.join(), idFields)
    for (const field of read) {
      const { column, field: name } = field.description
      builder.fields.set(name, field)
      this.#columns.add(column!)
      if (idFields.includes(name)) this.#idColumns.add(column!)
    }
  }

  addRelation(model: string, relation: string, columns: readonly string[], key: KeyField | undefined): void {
    for (const column of columns) this.#columns.add(column)
    // The key of a lookup that this version cannot follow is unknown.
    const readers = columns.map((column) =>
      key ? rowReader([{ description: { field: key.name, column, type: '' }, kind: key.kind }]) : () => ({}),
    )
    this.#relations.push({ model, relation, rowsOf: (row) => readers.map((read) => read(row)) })
  }

  build(): FollowedTable {
    return {
      ...this.#place,
      models: this.#models.map(({ fields, ids, isView, model }) => ({
        model,
        isView,
        ids: [...ids.values()].map((names) => ({
          fields: names,
          columns: names.map((name) => fields.get(name)!.description.column!),
        })),
        rowOf: rowReader([...fields.values()]),
      })),
      relations: this.#relations,
      columns: this.#columns,
      idColumns: this.#idColumns,
    }
  }
}

function fits({ fields }: ModelBuilder, field: FieldReader): boolean {
  const known = fields.get(field.description.field)
  return !known || JSON.stringify(known) === JSON.stringify(field)
}

function rowReader(fields: readonly FieldReader[]): (row: LoggedRow) => Row {
  return (row) => {
    const known: Record<string, unknown> = {}
    for (const { description, kind } of fields) {
      const { column, field, values } = description
      const text = row.get(column!)
      const value = typeof text === 'string' && kind ? valueOf(kind, values?.[text] ?? text) : text
      if (value !== undefined) known[field] = value
    }
    return known
  }
}
