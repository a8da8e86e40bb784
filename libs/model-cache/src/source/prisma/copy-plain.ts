import { isPlain } from '../plain.js'

/**
 * Copies the arguments or the result of a query, so that later changes by the caller have no effect. Only plain objects, lists, dates
 * and bytes can change. Other values are shared: decimals, field references, and the null values of Json fields.
 */
export function copyPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyPlain)
  if (value instanceof Date) return new Date(value)
  // What Prisma says of a query that it refuses tells them apart.
  if (Buffer.isBuffer(value)) return Buffer.from(value)
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (!isPlain(value)) return value
  const copy: Record<string, unknown> = { ...value }
  for (const [name, inner] of Object.entries(copy)) {
    if (typeof inner === 'object' && inner !== null) copy[name] = copyPlain(inner)
  }
  return copy
}
