import { Decimal } from '../fixtures/fixture.ts'
import { textCandidate } from './candidate.ts'

/**
 * The first design of this project, `v1`. A replacer writes values that JSON cannot express as strings with a prefix;
 * a reviver looks for prefixes in every string.
 */
export const createPrefixes = () =>
  textCandidate(
    'v1',
    (row: unknown) => JSON.stringify(row, replacer),
    (text) => JSON.parse(text, revivePrefix) as unknown,
    { note: 'takes a text that begins with a prefix for a date or decimal' },
  )

/** `value` is the result of toJSON; the holder still has the original. */
function replacer(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key]
  if (raw instanceof Date) return `date:${raw.toISOString()}`
  if (Decimal.isDecimal(raw)) return `decimal:${raw.toString()}`
  if (typeof raw === 'bigint') return `bigint:${raw.toString()}`
  if (raw instanceof Uint8Array) return `bytes:${Buffer.from(raw).toString('base64')}`
  return value
}

export function revivePrefix(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.startsWith('date:')) return new Date(value.slice(5))
  if (value.startsWith('decimal:')) return new Decimal(value.slice(8))
  if (value.startsWith('bigint:')) return BigInt(value.slice(7))
  if (value.startsWith('bytes:')) return new Uint8Array(Buffer.from(value.slice(6), 'base64'))
  return value
}
