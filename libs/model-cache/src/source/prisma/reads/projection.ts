import type { CachedRow } from '../../read-caches.js'
import type { ReadableCache } from './readable-cache.js'

type Project = (row: CachedRow) => CachedRow

/** The fields that a query asks for, in the order of their keys in its result. */
export class Projection {
  /** The fields that are no relations. */
  readonly fields: readonly string[]
  readonly relations: readonly string[]
  /** All of them, each with its position among {@link relations}; -1 for the others. */
  readonly #places: readonly (readonly [name: string, relation: number])[]
  /** By cache; undefined for one that lacks a field. */
  readonly #projects = new Map<ReadableCache, Project | undefined>()

  /** @param isRelation tells relations from other fields. @default there are none */
  constructor(names: readonly string[], isRelation: (name: string) => boolean = () => false) {
    this.fields = names.filter((name) => !isRelation(name))
    this.relations = names.filter(isRelation)
    this.#places = names.map((name) => [name, this.relations.indexOf(name)])
  }

  /** Adds the rows of relations to a projected row, in the order of {@link relations}. */
  compose(row: CachedRow, related: readonly unknown[]): CachedRow {
    const result: Record<string, unknown> = {}
    for (const [name, relation] of this.#places) result[name] = relation < 0 ? row[name] : related[relation]
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

/** The projection of rows that are only counted. */
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
