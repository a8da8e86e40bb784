import { Decimal } from './fixtures/fixture.ts'

/**
 * Changes the values of a row that are no plain objects or arrays. What nothing changes in stays the object that it is,
 * and copies have the hidden class of what they copy: to a writer they are as quick or slow as the row.
 */
export function mapValues(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return change(value)
  if (value instanceof Date || value instanceof Uint8Array || Decimal.isDecimal(value)) return change(value)
  let copy: Record<string, unknown> | undefined
  for (const [key, entry] of Object.entries(value)) {
    const changed = mapValues(entry, change)
    if (changed === entry) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[key] = changed
  }
  return copy ?? value
}
