import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { ReadableKey } from './readable-key.js'

export type Comparator = (one: CachedRow, other: CachedRow) => number

interface Term {
  readonly field: string
  readonly sign: 1 | -1
}

/**
 * Reads `orderBy`. Returns how the rows are ordered, `undefined` if they need not be, and `'order'` if the database alone knows.
 *
 * @param ids how many rows there are at most
 */
export function rowOrderOf(
  orderBy: unknown,
  { fields }: ReadableKey,
  ids: number,
): Comparator | undefined | 'order' {
  if (orderBy === undefined) return undefined
  const terms: Term[] = []
  for (const entry of Array.isArray(orderBy) ? orderBy : [orderBy]) {
    if (!isPlain(entry)) return 'order'
    const names = Object.keys(entry)
    // Prisma refuses several fields in one object.
    if (names.length > 1) return 'order'
    for (const field of names) {
      const direction = entry[field]
      if (direction !== 'asc' && direction !== 'desc') return 'order'
      if (!fields.some(({ name }) => name === field)) return 'order'
      terms.push({ field, sign: direction === 'asc' ? 1 : -1 })
    }
  }
  if (terms.length === 0 || ids <= 1) return undefined
  const isCertain = fields.every(
    ({ name, isOrdered }) => isOrdered && terms.some(({ field }) => field === name),
  )
  return isCertain ? comparatorOf(terms) : 'order'
}

function comparatorOf(terms: readonly Term[]): Comparator {
  return (one, other) => {
    for (const { field, sign } of terms) {
      const [a, b] = [one[field], other[field]] as [number, number]
      if (a !== b) return a < b ? -sign : sign
    }
    return 0
  }
}

/**
 * Returns what `orderBy` says as a text, which equal orders share: `''` for none, and `undefined` for one that Prisma may refuse, or
 * that is not one of fields.
 */
export function orderText(orderBy: unknown): string | undefined {
  let text = ''
  for (const entry of Array.isArray(orderBy) ? orderBy : orderBy === undefined ? [] : [orderBy]) {
    if (!isPlain(entry)) return undefined
    const names = Object.keys(entry)
    if (names.length > 1) return undefined
    for (const field of names) {
      const direction = directionText(entry[field])
      if (direction === undefined) return undefined
      // Quoted, as a caller may give any name.
      text += `${JSON.stringify(field)} ${direction},`
    }
  }
  return text
}

/** Prisma takes the longer form for fields that may be null only. */
function directionText(direction: unknown): string | undefined {
  if (direction === 'asc' || direction === 'desc') return direction
  if (!isPlain(direction)) return undefined
  const { nulls, sort, ...others } = direction
  if ((sort !== 'asc' && sort !== 'desc') || Object.keys(others).length > 0) return undefined
  if (!Object.hasOwn(direction, 'nulls')) return `{${sort}}`
  return nulls === 'first' || nulls === 'last' ? `{${sort} nulls ${nulls}}` : undefined
}
