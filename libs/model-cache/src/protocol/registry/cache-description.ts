import { createHash } from 'node:crypto'
import type { CatalogueEntry } from '../backend/store.js'
import { fits, isFlag, isText, jsonObjectIn, optional, type Shape } from '../format/json-object.js'
import { isIdKind, type IdField } from '../format/key-space.js'
import { isKeyKind, type KeyField } from '../format/lookup-key.js'
import type { Tables } from '../../source/tables.js'
import type { Table } from '../../source/schema-facts.js'

/** What a writer needs to know of a cache to invalidate its rows. */
export interface CacheDescription {
  readonly name: string
  /** The Prisma model. */
  readonly model: string
  readonly id: readonly IdField[]
  /** The number of buckets that its rows are divided into; see {@link createKeySpace}. */
  readonly buckets: number
  /** Other models; each write to one of them empties the cache. */
  readonly dependsOn: readonly string[]
  readonly lookups: readonly LookupDescription[]
  /** How its values stand in the store, if not as the codec writes them. */
  readonly atRest?: DescribedForm | undefined
  /** Where the database has its rows; undefined for rows of no Prisma schema. Writers compare these by the names of models and fields. */
  readonly tables: Tables | undefined
}

/** What a writer needs to know of a lookup to invalidate its entries. */
export interface LookupDescription {
  readonly name: string
  /** A hash of its definition, which is part of the keys of its entries. */
  readonly fingerprint: string
  /** The fields of its key; undefined if a newer version described it in a way that this one cannot follow. */
  readonly key: readonly KeyField[] | undefined
  /** The fields besides the key whose change may let a row enter or move. */
  readonly watched: readonly string[]
  /** The implicit many-to-many relation that its rows belong to it by; the key is then that of the row at the other side. */
  readonly through?: string | undefined
}

/** The fields of a row whose change may let it enter an entry of the lookup, or move in it. */
export function ownFieldsOf({ key = [], through, watched }: LookupDescription): readonly string[] {
  return through === undefined ? [...new Set([...key.map(({ name }) => name), ...watched])] : watched
}

/** How values of a cache stand in the store. */
export interface DescribedForm {
  readonly isEncrypted: boolean
  readonly isCompressed: boolean
  /** The id of the key that hashes the ids in keys; undefined if they are clear text. */
  readonly hashedBy: string | undefined
}

/** A form in words, for people; `''` for values as their codec writes them. */
export function describeForm(form: DescribedForm | undefined): string {
  if (!form) return ''
  const { hashedBy, isCompressed, isEncrypted } = form
  const words = [
    isEncrypted && 'encrypted',
    isCompressed && 'compressed',
    hashedBy !== undefined && `ids hashed with the key "${hashedBy}"`,
  ]
  return words.filter((word) => word !== false).join(', ')
}

/** What a cache is affected by: writes to a table, or to a model whose table is unknown. */
export interface AffectingTable {
  readonly model: string
  readonly table: Table | undefined
}

/** A parsed entry of the catalogue: a cache in one schema version. */
export interface DescribedCache {
  readonly name: string
  readonly fingerprint: string
  /** Undefined if the entry does not say, so that every write affects it. */
  readonly affectedBy: readonly AffectingTable[] | undefined
  /** Undefined if a newer version wrote the entry: then its rows cannot be identified. */
  readonly description: CacheDescription | undefined
  /** Equal for entries that differ in nothing but the fingerprint. */
  readonly layout: string
}

/** The version of the format. Every later one keeps `v` and `affectedBy`, so that older writers can empty the cache. */
const version = 6

/** Returns the description as an entry of the catalogue. The field contains a digest of the text, so the text of a field never changes. */
export function entryOf(description: CacheDescription, fingerprint: string): { field: string; text: string } {
  const { name } = description
  const text = textOf(description)
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  return { field: `${name}:${fingerprint}:${digest}`, text }
}

/** Returns the layout of a cache; see {@link DescribedCache.layout}. */
export function layoutOf(description: CacheDescription): string {
  return `${description.name}:${textOf(description)}`
}

function textOf(description: CacheDescription): string {
  const { atRest, buckets, dependsOn, id, lookups, model, tables } = description
  return JSON.stringify({
    v: version,
    affectedBy: affectingTables(description).map(({ model, table }) => [
      model,
      ...(table ? [table.schema, table.name] : []),
    ]),
    model,
    id,
    buckets,
    dependsOn,
    lookups,
    tables,
    atRest,
  })
}

/** What writes affect a cache, for those who know no more of it. */
export function affectingTables({ dependsOn, model, tables }: CacheDescription): readonly AffectingTable[] {
  if (!tables) return [model, ...dependsOn].map((name) => ({ model: name, table: undefined }))
  const own = tables.models.map(({ model, name, schema }) => ({ model, table: { schema, name } }))
  const joined = tables.joins.flatMap(({ name, schema, target }) => [{ schema, name }, target])
  return [...own, ...joined.map((table) => ({ model, table }))]
}

/** Parses an entry, as far as this version understands it. */
export function cacheOf({ field, text }: Pick<CatalogueEntry, 'field' | 'text'>): DescribedCache {
  const [name = '', fingerprint = ''] = field.split(':')
  const { affectedBy, ...entry } = jsonObjectIn(text) ?? {}
  return {
    name,
    fingerprint,
    affectedBy: tablesIn(affectedBy),
    description: descriptionIn(name, entry),
    layout: `${name}:${text}`,
  }
}

/** Returns the tables in a description; undefined if one of them is written in another way. */
function tablesIn(json: unknown): readonly AffectingTable[] | undefined {
  if (!fits(json, [[isText]])) return undefined
  const lists = json as readonly (readonly [model: string, schema?: string, name?: string])[]
  if (lists.length === 0 || lists.some(({ length }) => ![1, 3].includes(length))) return undefined
  return lists.map(([model, schema, name]) => ({
    model,
    table: name === undefined ? undefined : { schema: schema!, name },
  }))
}

function descriptionIn(
  name: string,
  { v, ...entry }: Readonly<Record<string, unknown>>,
): CacheDescription | undefined {
  if (v !== version || !fits(entry, descriptionShape)) return undefined
  const description = entry as unknown as CacheDescription
  return { ...description, name, lookups: description.lookups.map(knownLookup) }
}

/** A later version that describes lookups of another kind gives their keys another form. */
function knownLookup(lookup: LookupDescription): LookupDescription {
  const { fingerprint, name } = lookup
  return fits(lookup, lookupShape) ? lookup : { name, fingerprint, key: undefined, watched: [] }
}

const lookupShape: Shape = {
  key: [{ name: isText, kind: isKeyKind, folds: isFlag }],
  watched: [isText],
  through: optional(isText),
}

const tableShape = { schema: isText, name: isText }

const columnShape: Shape = {
  field: isText,
  column: optional(isText),
  type: isText,
  values: optional((values) => fits(values, {}) && fits(Object.values(values as object), [isText])),
}

const descriptionShape: Shape = {
  model: isText,
  id: oneOrMore({ name: isText, kind: isIdKind }),
  buckets: isBucketCount,
  dependsOn: [isText],
  lookups: [{ name: isText, fingerprint: isText }],
  tables: optional({
    provider: isText,
    models: oneOrMore({
      ...tableShape,
      model: isText,
      columns: [columnShape],
      isJoin: optional(isFlag),
      isAlias: optional(isFlag),
    }),
    joins: [{ ...tableShape, relation: isText, columns: [isText], target: tableShape, key: columnShape }],
  }),
  atRest: optional({ isEncrypted: isFlag, isCompressed: isFlag, hashedBy: optional(isText) }),
}

function oneOrMore(shape: Shape): Shape {
  return (value) => fits(value, [shape]) && (value as readonly unknown[]).length > 0
}

function isBucketCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(Math.log2(value)) && value >= 1 && value <= 1_024
}
