import type { CachedRow } from '../../read-caches.js'
import type { ReadableCache } from './readable-cache.js'

type Project = (row: CachedRow) => CachedRow

/** The fields that a query asks for, in the order of their keys in its result. */
export class Projection {
  /** Those without relations. */
  readonly fields: readonly string[]
  readonly relations: readonly string[]
  /** All of them. */
  readonly #names: readonly string[]
  /** By cache; undefined for one that lacks a field. */
  readonly #projects = new Map<ReadableCache, Project | undefined>()

  constructor(
    fields: readonly string[],
    {
      names = fields,
      relations = [],
    }: { readonly names?: readonly string[]; readonly relations?: readonly string[] } = {},
  ) {
    this.fields = fields
    this.relations = relations
    this.#names = names
  }

  /** Adds the rows of relations to a projected row, in the order of {@link relations}. */
  compose(row: CachedRow, related: readonly unknown[]): CachedRow {
    const result: Record<string, unknown> = {}
    for (const name of this.#names) {
      const relation = this.relations.indexOf(name)
      result[name] = relation < 0 ? row[name] : related[relation]
    }
    return result
  }

  /** Returns what turns a row of the cache into a result; undefined if the cache lacks a field. */
  of(readable: ReadableCache): Project | undefined {
    if (!this.#projects.has(readable)) this.#projects.set(readable, this.#projectOf(readable))
    return this.#projects.get(readable)
  }

  #projectOf(readable: ReadableCache): Project | undefined {
    const { fields } = this
    if (!fields.every((field) => readable.fields.has(field))) return undefined
    const isWhole = fields.length === readable.cache.fields.length
    const decimals = fields.filter((field) => readable.decimals.has(field))
    const project: Project = (row) => {
      // Each row is the caller's own already.
      if (isWhole && hasKeys(row, fields)) return row
      const result: Record<string, unknown> = {}
      for (let i = 0; i < fields.length; i++) result[fields[i]!] = row[fields[i]!]
      return result
    }
    return decimals.length === 0 ? project : (row) => withOwnDecimals(project(row), decimals, readable)
  }
}

/** Of rows that are only counted. */
export const noFields = new Projection([])

/** Rows share decimals within a process, as no method changes one; Prisma gives each caller its own. */
function withOwnDecimals(
  row: CachedRow,
  decimals: readonly string[],
  { copyDecimal }: ReadableCache,
): CachedRow {
  const own = row as Record<string, unknown>
  for (const field of decimals) {
    const value = own[field]
    if (Array.isArray(value)) own[field] = value.map(copyDecimal)
    else if (value !== null) own[field] = copyDecimal(value as object)
  }
  return own
}

/** Whether a row has exactly these keys, in order. */
function hasKeys(row: CachedRow, keys: readonly string[]): boolean {
  let at = 0
  for (const key in row) if (key !== keys[at++]) return false
  return at === keys.length
}
