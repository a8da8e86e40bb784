import { createHash } from 'node:crypto'
import type { CatalogueEntry } from '../store/store.js'
import { isIdKind, type IdField } from './key-space.js'

/** What a writer has to know of a cache to invalidate its rows. */
export interface CacheDescription {
  readonly name: string
  /** The Prisma model. */
  readonly model: string
  readonly id: readonly IdField[]
  /** How many buckets its rows are divided into; see {@link createKeySpace}. */
  readonly buckets: number
  /** Other models of which each write empties the cache. */
  readonly dependsOn: readonly string[]
}

/** An entry of the catalogue: a cache as a process of one schema version keeps it. */
export interface DescribedCache {
  readonly name: string
  readonly fingerprint: string
  /** The models whose writes concern it; undefined for all models, where the entry does not tell. */
  readonly models: readonly string[] | undefined
  /** Undefined where the entry was written by a newer version: then its rows cannot be identified. */
  readonly description: CacheDescription | undefined
  /** The same for entries that differ in nothing but the fingerprint. */
  readonly layout: string
}

/** Of the form of descriptions. Every later one keeps `v`, `model` and `dependsOn`, so that older writers can empty the cache. */
const version = 1

/** The description as an entry of the catalogue. The field covers the text, so the text of a field never changes. */
export function entryOf(description: CacheDescription, fingerprint: string): { field: string; text: string } {
  const { name } = description
  const text = textOf(description)
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  return { field: `${name}:${fingerprint}:${digest}`, text }
}

/** What tells the layouts of caches apart: see {@link DescribedCache.layout}. */
export function layoutOf(description: CacheDescription): string {
  return `${description.name}:${textOf(description)}`
}

function textOf({ model, dependsOn, id, buckets }: CacheDescription): string {
  return JSON.stringify({
    v: version,
    model,
    dependsOn,
    id: id.map(({ name, kind }) => [name, kind]),
    buckets,
  })
}

/** The cache that an entry describes, as far as it can be understood. */
export function cacheOf({ field, text }: Pick<CatalogueEntry, 'field' | 'text'>): DescribedCache {
  const [name = '', fingerprint = ''] = field.split(':')
  const { v, model, dependsOn, id, buckets } = parsed(text)
  const models = typeof model === 'string' && isListOfText(dependsOn) ? [model, ...dependsOn] : undefined
  const isKnown = v === version && models && isId(id) && isBucketCount(buckets)
  const description = isKnown
    ? {
        name,
        model: models[0]!,
        id: id.map(([field, kind]) => ({ name: field, kind })),
        buckets,
        dependsOn: models.slice(1),
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
