import type { Column } from '../../columns/column.js'
import type { Reader } from '../../columns/readers.js'
import type { AnsweringCache, AnsweringLookup, CachedRow } from '../../read-caches.js'

/** A column by whose values queries ask for rows. */
export type KeyColumn = Column & { readonly read: Reader }

/** A unique key as queries name it. */
export interface KeyFacts {
  readonly fields: readonly KeyColumn[]
  /** The names by which `findUnique` takes a key of several fields; empty for one field. */
  readonly names: ReadonlySet<string>
  /** The maximum number of keys in a query. */
  readonly maxKeys: number
}

/** A unique key by which rows of a cache are requested: its id, or that of a lookup. A key of several fields is an object. */
export interface ReadableKey extends KeyFacts {
  /** Returns what equal keys share, and no others; undefined for one of which only the database knows what it equals. */
  identify(key: unknown): unknown
  /** Whether a row that was found by a key has exactly this one, and not one that the database takes for equal. */
  isOf(row: CachedRow, key: unknown): boolean
  /** Whether two keys are exactly the same. */
  isSame(one: unknown, other: unknown): boolean
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
      ? (row, id) => fields[0]!.isEqual(row[first!], id) === true
      : (row, id) => hasExactly(fields, row, id as CachedRow),
    // Equal ones share what identifies them.
    isSame: () => true,
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
    isOf: (row, key) => hasExactly(fields, row, valuesOf(key)),
    isSame: (one, other) => hasExactly(fields, valuesOf(one), valuesOf(other)),
    get: async (key) => (await getMany([key]))[0]!,
    getMany,
  }
}

/** Dates are equal if their times are. */
function comparable(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value
}

/** Whether a row has these values, and none that the database may only take for equal. */
export function hasExactly(fields: readonly KeyColumn[], row: CachedRow, values: CachedRow): boolean {
  return fields.every(({ isEqual, name }) => {
    const [own, value] = [row[name], values[name]]
    return own === value || (own != null && value != null && isEqual(own, value) === true)
  })
}
