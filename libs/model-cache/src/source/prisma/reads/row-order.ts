import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { ReadableCache } from './readable-cache.js'

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
export function orderOf(
  orderBy: unknown,
  { id }: ReadableCache,
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
      if (!id.some(({ name }) => name === field)) return 'order'
      terms.push({ field, sign: direction === 'asc' ? 1 : -1 })
    }
  }
  if (terms.length === 0 || ids <= 1) return undefined
  const isCertain = id.every(({ name, isOrdered }) => isOrdered && terms.some(({ field }) => field === name))
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
