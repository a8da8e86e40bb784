import { Decimal } from './fixtures/fixture.ts'

/** Copies a row with each value that is not a plain object or an array changed; fields keep their order. */
export function mapValues(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => mapValues(entry, change))
  if (typeof value !== 'object' || value === null) return change(value)
  if (value instanceof Date || value instanceof Uint8Array || Decimal.isDecimal(value)) return change(value)
  const copy: Record<string, unknown> = {}
  for (const [key, entry] of Object.entries(value)) copy[key] = mapValues(entry, change)
  return copy
}
