import { Prisma } from '#prisma/client/client.js'
import type { RowCodec } from './per-key-design.js'

/**
 * The design that model-cache replaces. Dates and decimals become strings with a prefix. A reviver, called for every key,
 * checks every string for a prefix.
 */
export const v1: RowCodec = {
  encode: (lot) => JSON.stringify(lot, addPrefix),
  decode: (payload) => JSON.parse(payload, removePrefix) as unknown,
}

/** `value` is the result of toJSON. The holder, `this`, still has the date or decimal. */
function addPrefix(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key]
  if (raw instanceof Date) return `date:${raw.toISOString()}`
  if (Prisma.Decimal.isDecimal(raw)) return `decimal:${raw.toString()}`
  return value
}

function removePrefix(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.startsWith('date:')) return new Date(value.slice(5))
  if (value.startsWith('decimal:')) return new Prisma.Decimal(value.slice(8))
  return value
}
