import { Prisma } from '#prisma/client/client.js'
import type { RowText } from './per-key-design.js'

/**
 * The design that model-cache replaces. What JSON cannot say is written with a prefix; a reviver, called for every key,
 * looks for prefixes in every string.
 */
export const v1: RowText = {
  encode: (lot) => JSON.stringify(lot, prefix),
  decode: (text) => JSON.parse(text, withoutPrefix) as unknown,
}

/** `value` is what toJSON made of dates and decimals; the holder still has them. */
function prefix(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key]
  if (raw instanceof Date) return `date:${raw.toISOString()}`
  if (Prisma.Decimal.isDecimal(raw)) return `decimal:${raw.toString()}`
  return value
}

function withoutPrefix(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.startsWith('date:')) return new Date(value.slice(5))
  if (value.startsWith('decimal:')) return new Prisma.Decimal(value.slice(8))
  return value
}
