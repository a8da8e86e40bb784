import type { CachedRow } from '../../read-caches.js'
import { copyResult } from './copy-result.js'
import type { ReadableCache } from './readable-cache.js'

/** Makes the rows of a result of those of one cache. */
export interface ResultForm {
  /**
   * Returns the result of a row without relations.
   *
   * @param isOwn whether nobody else has the row, so that the result may be the row itself
   */
  of(this: void, row: CachedRow, isOwn: boolean): CachedRow
  /**
   * As {@link of}, with what the row has of each relation.
   *
   * @param related by relation, in the order of {@link Projection.relations}; of each the value of every row
   * @param at the row's place in these
   */
  withRelated(
    this: void,
    row: CachedRow,
    isOwn: boolean,
    related: readonly (readonly unknown[])[],
    at: number,
  ): CachedRow
}

/** The fields that a query asks for, in the order of their keys in its result. */
export class Projection {
  /** The fields that are no relations. */
  readonly fields: readonly string[]
  readonly relations: readonly string[]
  readonly #names: readonly string[]
  /** How a result is made of the rows of a cache; undefined for a cache that lacks a field. */
  readonly #forms = new Map<ReadableCache, ResultForm | undefined>()

  /** @param isRelation tells relations from other fields. @default there are none */
  constructor(names: readonly string[], isRelation: (name: string) => boolean = () => false) {
    this.#names = names
    this.fields = names.filter((name) => !isRelation(name))
    this.relations = names.filter(isRelation)
  }

  /** Returns undefined for a cache that lacks a field. */
  of(readable: ReadableCache): ResultForm | undefined {
    if (!this.#forms.has(readable)) this.#forms.set(readable, this.#formOf(readable))
    return this.#forms.get(readable)
  }

  #formOf(readable: ReadableCache): ResultForm | undefined {
    const { fields, relations } = this
    if (!fields.every((field) => readable.fields.has(field))) return undefined
    const isWhole = fields.length === readable.cache.fields.length
    // Rows share decimals within a process, as no method changes one; Prisma gives each caller its own.
    const decimals = fields.filter((field) => readable.decimals.has(field))
    // Copies begin with all fields: V8 makes a dictionary of an object that gets many of them one by one.
    const blank = Object.fromEntries(this.#names.map((name) => [name, null]))
    const readers = this.#names.map((name) => {
      const relation = relations.indexOf(name)
      return { name, relation, isDecimal: relation < 0 && readable.decimals.has(name) }
    })
    const make: ResultForm['withRelated'] = (row, isOwn, related, at) => {
      const result: Record<string, unknown> = { ...blank }
      for (const { isDecimal, name, relation } of readers) {
        if (relation >= 0) {
          result[name] = related[relation]![at]
          continue
        }
        const value = row[name]
        const isShared = typeof value === 'object' && value !== null && (!isOwn || isDecimal)
        result[name] = !isShared ? value : isDecimal ? ownDecimals(value, readable) : copyResult(value)
      }
      return result
    }
    const withOwnDecimals = (row: Record<string, unknown>): CachedRow => {
      for (const name of decimals) {
        const value = row[name]
        if (typeof value === 'object' && value !== null) row[name] = ownDecimals(value, readable)
      }
      return row
    }
    return {
      of: (row, isOwn) =>
        isOwn && isWhole && hasKeys(row, fields) ? withOwnDecimals(row) : make(row, isOwn, none, 0),
      withRelated: make,
    }
  }
}

/** The projection of rows that are only counted. */
export const noFields = new Projection([])

const none: readonly never[] = []

function ownDecimals(value: object, { copyDecimal }: ReadableCache): unknown {
  return Array.isArray(value) ? value.map(copyDecimal) : copyDecimal(value)
}

/** Whether a row has exactly these keys, in order. */
function hasKeys(row: CachedRow, keys: readonly string[]): boolean {
  let at = 0
  for (const key in row) if (key !== keys[at++]) return false
  return at === keys.length
}
