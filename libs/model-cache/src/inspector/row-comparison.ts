import { setTimeout as delay } from 'node:timers/promises'
import type { Comparison } from '../cache/inspection/compare-row.js'
import type { RowComparison, ShownValue } from './report.js'
import { maskedValue, shownValue } from './show-value.js'

/** How long the source may take. */
const deadlineMs = 3_000
/** Fields of a row that are shown, at most. */
const maxFields = 200

/**
 * Shows a comparison field by field. Never rejects: the source may fail, and the rest is worth showing.
 *
 * @param isShown whether the values of a field may be shown
 */
export async function comparisonOf(
  compare: () => Promise<Comparison<unknown>>,
  isShown: (field: string) => boolean,
): Promise<RowComparison> {
  const limit = new AbortController()
  try {
    const tooLate = delay(deadlineMs, undefined, { signal: limit.signal }).then(() => {
      throw new Error(`the row was not read within ${deadlineMs / 1_000} s`)
    })
    const { outcome, source, stored } = await Promise.race([compare(), tooLate])
    return { outcome, exists: source !== null, error: null, fields: fieldsOf(stored, source, isShown) }
  } catch (error) {
    return { outcome: 'failed', exists: null, error: reasonOf(error), fields: [] }
  } finally {
    limit.abort()
  }
}

function fieldsOf(
  stored: unknown,
  source: unknown,
  isShown: (field: string) => boolean,
): RowComparison['fields'] {
  const [before, now] = [fieldsIn(stored), fieldsIn(source)]
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])].slice(0, maxFields)
  const isComparable = Boolean(stored) && Boolean(source)
  return names.map((name) => {
    const show = isShown(name) ? shownValue : maskedValue
    return {
      name,
      isDifferent: isComparable && !isEqual(before[name], now[name]),
      stored: stored ? show(before[name]) : absent,
      source: source ? show(now[name]) : absent,
    }
  })
}

const absent: ShownValue = { kind: 'absent' }

function fieldsIn(row: unknown): Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : {}
}

/** Both come from the same codec, so that equal values are of the same classes. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, exactly) === JSON.stringify(other, exactly)
}

/** What JSON has no values for, as text that no other value has. */
function exactly(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key]
  if (typeof value === 'bigint') return `bigint ${value}`
  if (typeof value === 'number' && !Number.isFinite(value)) return `number ${value}`
  if (original instanceof Uint8Array) return `bytes ${Buffer.from(original).toString('base64')}`
  return value
}

/** The kind of an error. Messages of databases may have values of rows. */
function reasonOf(error: unknown): string {
  const { code, message, name } = Object(error) as { code?: unknown; message?: unknown; name?: unknown }
  if (typeof code === 'string') return `${String(name)} (${code})`
  return error instanceof Error && error.constructor === Error ? String(message) : String(name)
}
