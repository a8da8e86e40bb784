import type { ModelCacheDefinition } from '../cache/policy/definition.js'
import type { LookupKeys, NoLookups, BoundLookup } from '../cache/policy/lookup-options.js'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import { createModelCache, type CreateModelCacheOptions } from '../create-model-cache.js'
import { copyByValue } from '../codec/codec.js'
import { bindDefinition } from '../definitions/bind-definition.js'
import { createLoadSource } from '../source/load-source.js'
import type { RowQuery, Source } from '../source/source.js'
import { MemoryStore, type KeyField, keyTextOf } from '../protocol/index.js'

/** A cache over rows in memory, with a record of its loads. */
export interface TestCache<Row, Id, Keys extends LookupKeys = NoLookups> {
  readonly cache: ReadThroughCache<Row, Id, Keys>
  /** The rows of the source, which gives copies of them. Change them to simulate writes by another process. */
  readonly rows: Row[]
  /** The ids of each load, in order. */
  readonly loads: (readonly Id[])[]
  /** The queries of lookups, in order: one for each entry, or several, that the store lacks. */
  readonly finds: RowQuery[]
}

/**
 * Creates a cache from a definition, without Nest, Valkey or a database. Its lookups find rows as PostgreSQL would, except those of
 * relations, whose rows it does not have.
 *
 * @param overrides replaces single dependencies, such as the store or the source. A definition without `schema` needs
 * `facts: schemaFactsOf(prisma)` of `model-cache/advanced`, from which its rows are derived; the client need not be connected.
 * @example
 * ```ts
 * const { cache, loads } = createTestCache(userCache, [ada], { facts: schemaFactsOf(prisma) })
 * ```
 */
export function createTestCache<Row, Id, Keys extends LookupKeys = NoLookups>(
  definition: ModelCacheDefinition<Row, Id, Keys>,
  rows: Row[],
  overrides: Partial<CreateModelCacheOptions<Row, Id>> = {},
): TestCache<Row, Id, Keys> {
  const loads: (readonly Id[])[] = []
  const finds: RowQuery[] = []
  const { idFields: fields, lookups } = bindDefinition(definition, overrides.facts)
  const find = rowFinder(lookups)
  const source: Source<Row, Id> = {
    ...createLoadSource<Row, Id>((_client, ids) => {
      loads.push(ids)
      const wanted = new Set(ids.map((id) => rowId(fields, id)))
      return rows.filter((row) => wanted.has(rowId(fields, row))).map(copyByValue)
    }, undefined),
    find: async (query) => {
      finds.push(query)
      return find(rows, query).map(copyByValue)
    },
  }
  return {
    cache: createModelCache(definition, { store: new MemoryStore(), source, ...overrides }),
    rows,
    loads,
    finds,
  }
}

/** Returns a string that is equal for an id and its row. */
function rowId(fields: readonly string[], value: unknown): string {
  const isRow = typeof value === 'object' && !(value instanceof Date)
  const values = isRow ? fields.map((field) => (value as Fields)[field]) : [value]
  return JSON.stringify(values.map((part) => (part instanceof Date ? part.getTime() : String(part))))
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns a function that answers the queries of lookups from rows in memory, as PostgreSQL would: null equals nothing, and comes last
 * in ascending order. Text is sorted by its code units, in place of a collation.
 */
export function rowFinder(
  lookups: readonly BoundLookup[],
): <Row>(rows: readonly Row[], query: RowQuery) => Row[] {
  const compared = new Map<string, KeyField>()
  for (const { conditions, description } of lookups) {
    if (description.through === undefined)
      for (const field of description.key) compared.set(field.name, field)
    for (const condition of conditions)
      if (condition.is === 'one of') compared.set(condition.name, condition.field)
  }
  return (rows, { orderBy, take, where }) =>
    rows
      .filter((row) => matches(compared, where as Fields, row as Fields))
      .toSorted((a, b) => order(orderBy as readonly Fields[], a as Fields, b as Fields))
      .slice(0, take)
}

function matches(compared: ReadonlyMap<string, KeyField>, where: Fields, row: Fields): boolean {
  return Object.entries(where).every(([name, condition]) => {
    if (name === 'AND') return (condition as Fields[]).every((part) => matches(compared, part, row))
    if (name === 'OR') return (condition as Fields[]).some((part) => matches(compared, part, row))
    const value = row[name]
    if (condition === null) return value === null
    if (isOperator(condition, 'not')) return value !== null
    const field = compared.get(name)
    if (!field)
      throw new Error(
        `createTestCache has no rows of "${name}", which a relation connects; give a \`source\`.`,
      )
    const constants = isOperator(condition, 'in') ? (condition['in'] as unknown[]) : [condition]
    return constants.some((constant) => isEqual(field, value, constant))
  })
}

function isOperator(condition: unknown, operator: 'in' | 'not'): condition is Fields {
  return typeof condition === 'object' && condition !== null && Object.hasOwn(condition, operator)
}

function isEqual(field: KeyField, a: unknown, b: unknown): boolean {
  const textOf = (value: unknown): string | undefined =>
    keyTextOf(field, value) ?? keyTextOf({ ...field, folds: false }, value)
  return a !== null && textOf(a) === textOf(b)
}

function order(orderBy: readonly Fields[], a: Fields, b: Fields): number {
  for (const member of orderBy) {
    const [[name, given]] = Object.entries(member) as [[string, unknown]]
    const { nulls, sort } = (typeof given === 'string' ? { sort: given } : given) as Fields
    const isDescending = sort === 'desc'
    const result = compare(a[name], b[name], (nulls ?? (isDescending ? 'first' : 'last')) === 'first')
    if (result !== 0) return isDescending && a[name] !== null && b[name] !== null ? -result : result
  }
  return 0
}

function compare(a: unknown, b: unknown, isNullFirst: boolean): number {
  if (a === null || b === null) return a === b ? 0 : (a === null) === isNullFirst ? -1 : 1
  if (a instanceof Uint8Array) return Buffer.compare(a, b as Uint8Array)
  if (isDecimal(a)) return a.comparedTo(b)
  const [x, y] = [a, b] as [number, number]
  // Dates are equal by their time.
  return x < y ? -1 : x > y ? 1 : 0
}

function isDecimal(value: unknown): value is { comparedTo(other: unknown): number } {
  return typeof (value as { comparedTo?: unknown }).comparedTo === 'function'
}
