import { createPrefixes, revivePrefix } from '../../codec/candidates/prefixes.ts'
import { Decimal } from '../../codec/fixtures/fixture.ts'
import { loadSimdjson } from '../../simdjson/simdjson.ts'
import type { ScenarioRows } from '../scenarios.ts'

/** Stored texts to rows, in the same order. */
export type Parse = (texts: readonly string[]) => unknown[]

export type ParserName =
  | 'json'
  | 'simdjson-traversal'
  | 'simdjson-paths'
  | 'array-json'
  | 'array-simdjson-traversal'
  | 'array-simdjson-paths'

/**
 * The ways of reading that are compared. All of them read the same text: JSON in which dates and decimals are strings with a prefix.
 * How it is parsed, whether one value at a time or all in one array, and how the prefixes are found: in all values, or at the
 * places that are declared.
 */
export const PARSERS: Readonly<Record<ParserName, (scenario: ScenarioRows) => Parse>> = {
  json: () => {
    const { decode } = createPrefixes()
    return (texts) => texts.map((text) => decode(text as never))
  },
  'simdjson-traversal': () => {
    const { parse } = loadSimdjson()
    return (texts) => texts.map((text) => reviveAll(parse(text)))
  },
  'simdjson-paths': ({ places }) => {
    const { parse } = loadSimdjson()
    return (texts) => texts.map((text) => revivePlaces(parse(text), places))
  },
  'array-json': () => {
    const { decode } = createPrefixes()
    return (texts) => decode(joined(texts) as never) as unknown[]
  },
  'array-simdjson-traversal': () => {
    const { parse } = loadSimdjson()
    return (texts) => reviveAll(parse(joined(texts))) as unknown[]
  },
  'array-simdjson-paths': ({ places }) => {
    const { parse } = loadSimdjson()
    return (texts) => {
      const rows = parse(joined(texts)) as unknown[]
      for (const row of rows) revivePlaces(row, places)
      return rows
    }
  },
}

const joined = (texts: readonly string[]): string => `[${texts.join(',')}]`

/** Looks for prefixes in every string, in place. */
export function reviveAll(value: unknown): unknown {
  if (typeof value === 'string') return revivePrefix('', value)
  if (typeof value !== 'object' || value === null) return value
  const parent = value as Record<string, unknown>
  for (const key of Object.keys(parent)) parent[key] = reviveAll(parent[key])
  return parent
}

/** Takes the prefixes off at the declared places, in place. */
export function revivePlaces(row: unknown, places: ScenarioRows['places']): unknown {
  const fields = row as Record<string, unknown>
  for (const [name, kind] of places) {
    const text = fields[name]
    if (typeof text !== 'string') continue
    fields[name] =
      kind === 'date' ? new Date(text.slice('date:'.length)) : new Decimal(text.slice('decimal:'.length))
  }
  return fields
}
