import type { Path } from '../../referential-actions.js'
import type { Model } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import type { Row } from './literals.js'

/** The `where` of the rows at the start of a path, given the `where` of the row at its end. */
export function whereOf(path: Path, where: Args): Args {
  return path.reduceRight<Args>(
    (inner, { field, isList }) => ({ [field]: isList ? { some: inner } : inner }),
    where,
  )
}

/** The maximum number of keys per query. Compound keys cost Prisma noticeable time each. */
const keysPerQuery = { single: 1_000, compound: 50 }

/** Conditions that match rows by their keys, each small enough for one query. Rows without a key are left out. */
export function keysIn(key: readonly string[], rows: readonly Row[]): readonly Args[] {
  const held = rows.filter((row) => key.every((field) => row[field] !== null))
  const [field, ...others] = key
  const size = others.length === 0 ? keysPerQuery.single : keysPerQuery.compound
  return Array.from({ length: Math.ceil(held.length / size) }, (_, index) => {
    const part = held.slice(index * size, (index + 1) * size)
    if (others.length === 0) return { [field!]: { in: part.map((row) => row[field!]) } }
    return { OR: part.map((row) => Object.fromEntries(key.map((name) => [name, row[name]]))) }
  })
}

/** The primary key as a string, for comparison. */
export function keyTextOf({ primaryKey }: Model, row: Row): string {
  return JSON.stringify(
    primaryKey.map((field) => {
      const value = row[field]
      return value instanceof Date ? value.getTime() : String(value)
    }),
  )
}

export function selecting(fields: readonly string[]): Record<string, true> {
  return Object.fromEntries(fields.map((field) => [field, true]))
}
