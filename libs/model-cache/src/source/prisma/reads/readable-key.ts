import type { AnsweringCache, AnsweringLookup, CachedRow } from '../../read-caches.js'
import type { FieldFacts } from './id-values.js'

/** A unique key as queries name it. */
export interface KeyFacts {
  readonly fields: readonly FieldFacts[]
  /** The names by which `findUnique` takes a key of several fields; empty for one field. */
  readonly names: ReadonlySet<string>
  /** The maximum number of keys in a query. */
  readonly maxKeys: number
}

/** A unique key by which rows of a cache are requested: its id, or that of a lookup. A key of several fields is an object. */
export interface ReadableKey extends KeyFacts {
  /** Returns what equal keys share, and no others; undefined for one of which only the database knows what it equals. */
  identify(key: unknown): unknown
  /** Whether a row that was found by a key has exactly this one. */
  isOf(row: CachedRow, key: unknown): boolean
  get(key: unknown): Promise<CachedRow | null>
  getMany(keys: readonly unknown[]): Promise<readonly (CachedRow | null)[]>
}

export function idKeyOf(cache: Pick<AnsweringCache, 'get' | 'getMany'>, facts: KeyFacts): ReadableKey {
  const { fields } = facts
  const [first, ...others] = fields.map(({ name }) => name)
  const isSingle = others.length === 0
  return {
    ...facts,
    identify: isSingle
      ? comparable
      : (id) =>
          Object.values(id as CachedRow)
            .map(comparable)
            .join('\0'),
    isOf: isSingle
      ? (row, id) => isSame(row[first!], id)
      : (row, id) => fields.every(({ name }) => isSame(row[name], (id as CachedRow)[name])),
    get: (id) => cache.get(id),
    getMany: (ids) => cache.getMany(ids),
  }
}

export function readableLookupKey(
  { findMany, keyOf }: Pick<AnsweringLookup, 'findMany' | 'keyOf'>,
  facts: KeyFacts,
): ReadableKey {
  const { fields } = facts
  const [first, ...others] = fields.map(({ name }) => name)
  const valuesOf = (key: unknown): CachedRow => (others.length === 0 ? { [first!]: key } : (key as CachedRow))
  const identify = (key: unknown): string | undefined => keyOf(valuesOf(key)) ?? undefined
  const getMany: ReadableKey['getMany'] = async (keys) => {
    const found = await findMany(keys.map(valuesOf))
    return found.map(([row]) => row ?? null)
  }
  return {
    ...facts,
    identify,
    isOf: (row, key) => keyOf(row) === identify(key),
    get: async (key) => (await getMany([key]))[0]!,
    getMany,
  }
}

/** Dates are equal if their times are. */
function comparable(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (one instanceof Date && comparable(one) === comparable(other))
}
