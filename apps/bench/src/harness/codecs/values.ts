import type { Codec } from 'model-cache/codec'

/**
 * The floor of decoders: copies of the rows that texts stand for, and one piece of the text for each of their strings; what rows cost that
 * nobody decodes.
 */
export function valuesOf(codec: Codec<unknown>, rows: readonly unknown[]): (text: string) => unknown {
  const known = new Map(rows.map((row) => [codec.encode(row), { row, lengths: lengthsOf(codec.plan, row) }]))
  let piece = ''
  return (text) => {
    const { row, lengths } = known.get(text)!
    let start = 0
    for (const length of lengths) {
      piece = text.substring(start, start + length)
      start += piece.length
    }
    return codec.clone(row)
  }
}

/** The lengths of the strings of a row, in any order. */
function lengthsOf(plan: Codec<unknown>['plan'], value: unknown): number[] {
  if (typeof value === 'string') return [value.length]
  if (typeof value !== 'object' || value === null) return []
  if (plan.kind === 'object') {
    const fields = value as Record<string, unknown>
    return plan.fields.flatMap(({ name, plan }) => lengthsOf(plan, fields[name]))
  }
  if (plan.kind === 'array') return (value as unknown[]).flatMap((item) => lengthsOf(plan.items, item))
  return []
}
