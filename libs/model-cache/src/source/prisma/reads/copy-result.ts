import { isPlain } from '../../plain.js'

/** Copies the result of a query, which the caller may change. Decimals do not change, and are shared. */
export function copyResult(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyResult)
  if (value instanceof Date) return new Date(value)
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = { ...value }
  for (const name in copy) {
    const inner = copy[name]
    if (typeof inner === 'object' && inner !== null) copy[name] = copyResult(inner)
  }
  return copy
}
