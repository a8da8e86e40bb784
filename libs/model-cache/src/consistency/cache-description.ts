import { createHash } from 'node:crypto'
import type { CatalogueEntry } from '../store/store.js'
import { isIdKind, type IdField } from './key-space.js'
import { type LookupDescription, lookupFromJson, lookupToJson } from './lookup-description.js'
import { type TableDescriptions, tablesFromJson, tablesToJson } from './table-description.js'

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
  /** Where the database has its rows; undefined if that is unknown, so that no follower can tell which rows were written. */
  readonly tables: TableDescriptions | undefined
}

/** A parsed entry of the catalogue: a cache in one schema version. */
export interface DescribedCache {
  readonly name: string
  readonly fingerprint: string
  /** The models whose writes affect it; undefined for all models, if the entry does not say. */
  readonly models: readonly string[] | undefined
  /** Undefined if a newer version wrote the entry: then its rows cannot be identified. */
  readonly description: CacheDescription | undefined
  /** Equal for entries that differ in nothing but the fingerprint. */
  readonly layout: string
}

/** The version of the format. Every later one keeps `v`, `model` and `dependsOn`, so that older writers can empty the cache. */
const version = 3

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

function textOf({ model, dependsOn, id, buckets, lookups, tables }: CacheDescription): string {
  return JSON.stringify({
    v: version,
    model,
    dependsOn,
    id: id.map(({ name, kind }) => [name, kind]),
    buckets,
    lookups: lookups.map(lookupToJson),
    tables: tablesToJson(tables),
  })
}

/** Parses an entry, as far as this version understands it. */
export function cacheOf({ field, text }: Pick<CatalogueEntry, 'field' | 'text'>): DescribedCache {
  const [name = '', fingerprint = ''] = field.split(':')
  const { v, model, dependsOn, id, buckets, lookups, tables } = parsed(text)
  const models = typeof model === 'string' && isListOfText(dependsOn) ? [model, ...dependsOn] : undefined
  const described = lookupsIn(lookups)
  const isKnown = v === version && models && isId(id) && isBucketCount(buckets) && described
  const description = isKnown
    ? {
        name,
        model: models[0]!,
        id: id.map(([field, kind]) => ({ name: field, kind })),
        buckets,
        dependsOn: models.slice(1),
        lookups: described,
        tables: tablesFromJson(tables),
      }
    : undefined
  return { name, fingerprint, models, description, layout: `${name}:${text}` }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
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
