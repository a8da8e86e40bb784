import {
  type CacheDescription,
  type DescribedCache,
  type LookupDescription,
  ownFieldsOf,
} from '../registry/cache-description.js'
import { lookupKeyOf } from '../format/lookup-key.js'
import type { RowId } from '../format/row-id.js'
import type { FieldColumn, JoinTable, Tables, WriterSchema, WriterTable } from '../../source/tables.js'
import { type Table, tableKey } from '../../source/schema-facts.js'
import type { WatchedLookup } from '../../source/write-coordinator.js'
import type { RowFences } from './row-fences.js'

/** A cache whose rows writes fence. */
export interface FencedCache {
  readonly fences: RowFences
  /** Called with the reason, a metric label, when the rows of a write are unknown. */
  readonly onAllWritten: (reason: string) => void
}

/** A cache as writers see it. */
export interface WrittenCache extends FencedCache {
  /** What writes affect it; undefined if all do. */
  readonly affectedBy: DescribedCache['affectedBy']
  /** Undefined for a cache whose rows cannot be identified: then each write counts as one to all of them. */
  readonly description: CacheDescription | undefined
  /** The row id of a row, or of an object with its id fields. @throws InvalidIdError */
  readonly rowIdOf: (row: Readonly<Record<string, unknown>>) => RowId
  /** Equal for all entries of the catalogue that differ in nothing but the fingerprint. */
  readonly layout: string
}

type Row = Readonly<Record<string, unknown>>

/** A cache as the writes to one model affect it. Fields have the names of the writer. */
export interface AffectedCache extends FencedCache {
  /** The fields that {@link rowIdOf} needs of a row; empty if each write counts as a write to all rows. */
  readonly idFields: readonly string[]
  /** @throws InvalidIdError */
  readonly rowIdOf: (row: Row) => RowId
  readonly lookups: readonly AffectedLookup[]
}

/** A lookup as writes to a model affect it. */
export interface AffectedLookup extends WatchedLookup {
  readonly name: string
  /** The key of the entry that a row is in, as of {@link lookupKeyOf}. */
  readonly keyOf: (row: Row) => string | null | undefined
}

/**
 * Returns how writes to a model affect a cache; undefined if they do not. Tables and columns are compared, as deployments and services may
 * have different names for them. What cannot be compared affects the whole cache.
 *
 * @param schema that of the writer. Without it, or if the tables of the cache are unknown, models and fields are compared by name
 */
export function affectedCache(
  cache: WrittenCache,
  model: string,
  schema: WriterSchema | undefined,
): AffectedCache | undefined {
  const { affectedBy, description } = cache
  const table = schema?.models.get(model)
  if (!affectedBy || table?.shared === 'unknown') return asWhole(cache)
  if (!description) {
    const isAffected = affectedBy.some((one) =>
      table && one.table ? writes(table, schema!, one.table) : one.model === model,
    )
    return isAffected ? asWhole(cache) : undefined
  }
  return table && description.tables
    ? affectedByTable(cache, description, description.tables, table, schema!)
    : affectedByName(cache, description, model)
}

function affectedByName(
  cache: WrittenCache,
  description: CacheDescription,
  model: string,
): AffectedCache | undefined {
  const { dependsOn, id, lookups } = description
  if (dependsOn.includes(model)) return asWhole(cache)
  if (description.model !== model) return undefined
  return {
    ...affected(cache),
    idFields: id.map(({ name }) => name),
    rowIdOf: cache.rowIdOf,
    lookups: lookups.map((lookup) => ({
      ...lookupBy(lookup, sameNames, lookup.key && ownFieldsOf(lookup)),
      through: lookup.through,
    })),
  }
}

function affectedByTable(
  cache: WrittenCache,
  description: CacheDescription,
  { joins, models: [own, ...others] }: Tables,
  table: WriterTable,
  schema: WriterSchema,
): AffectedCache | undefined {
  const isSame = (one: Table, other: Table): boolean => areSame(one, other, schema)
  const shared = table.shared === 'unknown' ? undefined : table.shared
  const isShared = (one: Table): boolean => shared?.tables.some((other) => isSame(one, other)) ?? false
  const isPart = shared !== undefined && shared.kind !== 'view'
  const rows = [own!, ...others.filter(({ columns }) => columns.length > 0)]
  const related = others.filter(({ columns }) => columns.length === 0)
  const isSameJoin = (one: JoinTable, other: JoinTable): boolean =>
    isSame(one, other) && one.columns.some((column) => other.columns.includes(column))
  const hasJoin = (one: Table): boolean => table.joins.some((join) => isSame(join, one))
  // Rows of a join table that is a model to one side, and a relation to the other, cannot be told apart.
  const isWhole =
    hasJoin(own!) ||
    related.some((other) => isSame(other, table) || isShared(other) || (!other.isJoin && hasJoin(other))) ||
    (!isPart && rows.some(isShared)) ||
    joins.some(
      (join) =>
        isSame(join, table) ||
        isShared(join) ||
        isShared(join.target) ||
        (isSame(join.target, table) && !hasJoin(join)),
    )
  if (isWhole) return asWhole(cache)
  if (!rows.some((one) => isSame(one, table) || isShared(one))) return undefined
  const fields = translation(own!.columns, table.columns, schema)
  const idFields = description.id.map(({ name }) => fields.of(name)?.field)
  if (!idFields.every(isKnown)) return asWhole(cache)
  return {
    ...affected(cache),
    idFields,
    rowIdOf: fields.reading(description.id, cache.rowIdOf),
    lookups: description.lookups.flatMap((lookup): readonly AffectedLookup[] => {
      const { key, name, through } = lookup
      if (!key) return [{ ...lookupBy(lookup, sameNames, undefined), through }]
      const watched = ownFieldsOf(lookup).map(fields.nameOf).filter(isKnown)
      if (through === undefined) return [lookupBy(lookup, fields, watched)]
      const join = joins.find(({ relation }) => relation === through)
      const others = table.joins.filter((other) => join && isSameJoin(join, other))
      if (others.length === 0)
        return [{ name, key: undefined, fields: watched, through: noRelation, keyOf: unknownKey }]
      return others.map((other) => ({
        ...lookupBy(lookup, translation([join!.key], [other.key], schema), watched),
        through: other.relation,
      }))
    }),
  }
}

/** Stands for a relation that the writer does not have: rows may move in lookups through it nevertheless. */
const noRelation = ''

function lookupBy(
  { key, name }: LookupDescription,
  translated: Translation,
  fields: readonly string[] | undefined,
): AffectedLookup {
  const names = key?.map((field) => translated.of(field.name)?.field)
  if (!key || !names?.every(isKnown))
    return { name, key: undefined, fields, through: undefined, keyOf: unknownKey }
  const keyOf = translated.reading(key, (row) => lookupKeyOf(key, row))
  return { name, key: names, fields, through: undefined, keyOf }
}

/** For a writer by whom all rows of the cache count as written. */
function asWhole(cache: WrittenCache): AffectedCache {
  return { ...affected(cache), idFields: [], rowIdOf: cache.rowIdOf, lookups: [] }
}

function affected({ onAllWritten, fences }: WrittenCache): FencedCache {
  return { fences, onAllWritten }
}

/** Whether writes to the model of a table may write to another one. */
function writes(table: WriterTable, schema: WriterSchema, other: Table): boolean {
  const shared = table.shared === 'unknown' ? [] : (table.shared?.tables ?? [])
  return [table, ...table.joins, ...shared].some((one) => areSame(one, other, schema))
}

function areSame(one: Table, other: Table, schema: WriterSchema): boolean {
  return folded(tableKey(one), schema) === folded(tableKey(other), schema)
}

function folded(name: string, { ignoresCase }: WriterSchema): string {
  return ignoresCase ? name.toLowerCase() : name
}

/** Translates the fields of a writer to those of a cache. */
interface Translation {
  /** The field of the writer; undefined if it has none, or spells its values in another way. */
  of(field: string): TranslatedField | undefined
  /**
   * The field of the writer that has the same column, however it spells the values. Without such a field the column, which its SQL may
   * change nevertheless, and the database, if it generates it from others.
   */
  nameOf(this: void, field: string): string | undefined
  /** A function of a row of the cache, of these fields, as one of a row of the writer. */
  reading<T>(fields: readonly { readonly name: string }[], read: (row: Row) => T): (row: Row) => T
}

/** The translation of writers that name fields as the cache does. */
const sameNames: Translation = {
  of: (field) => ({ field, valueOf: undefined }),
  nameOf: (field) => field,
  reading: (_, read) => read,
}

interface TranslatedField {
  readonly field: string
  /** The value of the cache for one of the writer; undefined if both are the same. */
  readonly valueOf: ((value: unknown) => unknown) | undefined
}

function translation(
  columns: readonly FieldColumn[],
  ofWriter: readonly FieldColumn[],
  schema: WriterSchema,
): Translation {
  const byColumn = new Map(
    ofWriter.flatMap((one) => (one.column === undefined ? [] : [[folded(one.column, schema), one]])),
  )
  const pairs = new Map(
    columns.flatMap((own) => {
      const other = own.column === undefined ? undefined : byColumn.get(folded(own.column, schema))
      return other ? [[own.field, { own, other }]] : []
    }),
  )
  const columnOf = new Map(columns.map(({ column, field }) => [field, column]))
  const of = (field: string): TranslatedField | undefined => {
    const pair = pairs.get(field)
    if (!pair || pair.own.type !== pair.other.type) return undefined
    return { field: pair.other.field, valueOf: valuesBetween(pair.other, pair.own) }
  }
  return {
    of,
    nameOf: (field) => pairs.get(field)?.other.field ?? columnOf.get(field),
    reading(fields, read) {
      const translated = fields.map(({ name }) => ({ name, ...of(name)! }))
      if (translated.every(({ field, name, valueOf }) => field === name && !valueOf)) return read
      return (row) => {
        const own: Record<string, unknown> = {}
        for (const { field, name, valueOf } of translated)
          own[name] = valueOf ? valueOf(row[field]) : row[field]
        return read(own)
      }
    },
  }
}

/** From the values of one client to those of another, both of which may have other names for those of the database. */
function valuesBetween(from: FieldColumn, to: FieldColumn): TranslatedField['valueOf'] {
  if (JSON.stringify(from.values) === JSON.stringify(to.values)) return undefined
  const inDatabase = new Map(Object.entries(from.values ?? {}).map(([stored, name]) => [name, stored]))
  return (value) => {
    if (typeof value !== 'string') return value
    const stored = inDatabase.get(value) ?? value
    return to.values?.[stored] ?? stored
  }
}

const unknownKey = (): undefined => {}

function isKnown<T>(value: T | undefined): value is T {
  return value !== undefined
}
