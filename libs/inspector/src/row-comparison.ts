import type { Comparison } from './compare-row.js'
import type { RowComparison, ShownValue } from './row-report.js'
import { maskedValue, shownValue } from './show-value.js'
import { withinDeadline } from './within-deadline.js'

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
  const { error, result } = await withinDeadline('row', compare)
  if (!result) return { outcome: 'failed', exists: null, error, fields: [] }
  const { outcome, source, stored } = result
  return { outcome, exists: source !== null, error: null, fields: fieldsOf(stored, source, isShown) }
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
