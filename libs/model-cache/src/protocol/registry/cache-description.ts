import { createHash } from 'node:crypto'
import type { CatalogueEntry } from '../backend/store.js'
import { jsonObjectIn } from '../format/json-object.js'
import { isIdKind, type IdField } from '../format/key-space.js'
import { type LookupDescription, lookupFromJson, lookupToJson } from './lookup-description.js'
import { tablesFromJson, tablesToJson } from './table-description.js'
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
const version = 4
/** Of caches whose keys an older writer could not make, so that it empties them. */
const hashedVersion = 5

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
  const { atRest, model, dependsOn, id, buckets, lookups, tables } = description
  return JSON.stringify({
    v: versionOf(atRest),
    affectedBy: affectingTables(description).map(({ model, table }) => [
      model,
      ...(table ? [table.schema, table.name] : []),
    ]),
    model,
    dependsOn,
    id: id.map(({ name, kind }) => [name, kind]),
    buckets,
    lookups: lookups.map(lookupToJson),
    tables: tablesToJson(tables),
    // Nothing for others, so that older writers know them as before.
    atRest: atRest && [atRest.isEncrypted, atRest.isCompressed, atRest.hashedBy ?? null],
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
  const entry = jsonObjectIn(text) ?? {}
  return {
    name,
    fingerprint,
    affectedBy: Array.isArray(entry.affectedBy) ? tablesIn(entry.affectedBy) : undefined,
    description: descriptionIn(name, entry),
    layout: `${name}:${text}`,
  }
}

function descriptionIn(name: string, entry: Record<string, unknown>): CacheDescription | undefined {
  const { buckets, dependsOn, id, lookups, model, tables } = entry
  const atRest = formIn(entry.atRest)
  if (atRest === null || entry.v !== versionOf(atRest)) return undefined
  const described = lookupsIn(lookups)
  const knownTables = tablesFromJson(tables)
  if (typeof model !== 'string' || !isListOfText(dependsOn) || !isId(id) || !isBucketCount(buckets))
    return undefined
  if (!described || (tables !== null && !knownTables)) return undefined
  return {
    name,
    model,
    id: id.map(([field, kind]) => ({ name: field, kind })),
    buckets,
    dependsOn,
    lookups: described,
    tables: knownTables,
    ...(atRest && { atRest }),
  }
}

/** What a writer has to know to make the keys of a cache. */
const versionOf = (atRest: DescribedForm | undefined): number =>
  atRest?.hashedBy === undefined ? version : hashedVersion

/** Null for a form that this version does not know. */
function formIn(value: unknown): DescribedForm | undefined | null {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length !== 3) return null
  const [isEncrypted, isCompressed, hashedBy] = value as readonly unknown[]
  if (typeof isEncrypted !== 'boolean' || typeof isCompressed !== 'boolean') return null
  if (hashedBy !== null && typeof hashedBy !== 'string') return null
  return { isEncrypted, isCompressed, hashedBy: hashedBy ?? undefined }
}

/** Undefined if one of them is written in another way. */
function tablesIn(json: readonly unknown[]): readonly AffectingTable[] | undefined {
  if (json.length === 0) return undefined
  const tables: AffectingTable[] = []
  for (const each of json) {
    if (!isListOfText(each)) return undefined
    const [model, schema, name] = each
    if (model === undefined || each.length === 2 || each.length > 3) return undefined
    tables.push({ model, table: name === undefined ? undefined : { schema: schema!, name } })
  }
  return tables
}

function lookupsIn(value: unknown): readonly LookupDescription[] | undefined {
  try {
    return (value as unknown[]).map(lookupFromJson)
  } catch {
    return undefined
  }
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isId(value: unknown): value is [string, IdField['kind']][] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => Array.isArray(part) && typeof part[0] === 'string' && isIdKind(part[1]))
  )
}

function isBucketCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(Math.log2(value)) && value >= 1 && value <= 1_024
}
