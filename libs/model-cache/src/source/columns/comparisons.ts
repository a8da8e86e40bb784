import { comparesPlainly } from '../plain-text.js'
import type { ColumnKind } from './column-kinds.js'

/** Negative, zero or positive, as databases order values; NaN where only the database knows. */
export type Compare = (one: unknown, other: unknown) => number

/** How JavaScript compares values of one kind, neither of which is null. */
interface Comparison {
  /** Whether the database takes two values for equal; undefined where only it knows. */
  readonly isEqual: (one: unknown, other: unknown) => boolean | undefined
  /** Undefined if only the database knows any order of the values. */
  readonly compare?: Compare
  /** Whether Prisma takes `lt`, `lte`, `gt` and `gte`. */
  readonly hasRanges?: true
}

/** A kind as a database compares it: one of `collation` of which nothing but the database is known. */
export type ComparedKind = Exclude<ColumnKind, 'instant'> | 'collation'

const isSame: Comparison['isEqual'] = (one, other) => one === other
const comparePlainly: Compare = (one, other) =>
  (one as number) < (other as number) ? -1 : (one as number) > (other as number) ? 1 : 0
const numbers: Comparison = { isEqual: isSame, compare: comparePlainly, hasRanges: true }

/** A date that JavaScript does not have, such as `infinity` or one after 9999 or before Christ, is an invalid one in a row. */
const compareTimes: Compare = (one, other) => (one as Date).getTime() - (other as Date).getTime()
/** NaN is equal to itself in PostgreSQL, and greater than all numbers. */
const compareDecimals: Compare = (one, other) => (one as ComparableDecimal).comparedTo(other)

const dates: Comparison = { isEqual: equalBy(compareTimes), compare: compareTimes, hasRanges: true }
/** Equal texts are equal in every collation, and plain ones that differ in more than case in none. */
const withoutCase: Comparison = {
  isEqual: (one, other) => one === other || (differ(one as string, other as string) ? false : undefined),
}

export const comparisons: Readonly<Record<ComparedKind, Comparison>> = {
  text: { isEqual: isSame },
  citext: withoutCase,
  collated: withoutCase,
  collation: { isEqual: (one, other) => one === other || undefined },
  padded: { isEqual: () => undefined },
  uuid: { isEqual: isSame, compare: comparePlainly },
  enum: { isEqual: isSame },
  int: numbers,
  bigint: numbers,
  boolean: { isEqual: isSame, compare: comparePlainly },
  tinyint: { isEqual: (one, other) => (one === false && other === false ? undefined : one === other) },
  date: dates,
  day: dates,
  decimal: { isEqual: equalBy(compareDecimals), compare: compareDecimals, hasRanges: true },
  bytes: { isEqual: (one, other) => Buffer.compare(one as Uint8Array, other as Uint8Array) === 0 },
  opaque: { isEqual: () => undefined },
}

interface ComparableDecimal {
  comparedTo(other: unknown): number
}

function equalBy(compare: Compare): Comparison['isEqual'] {
  return (one, other) => {
    const order = compare(one, other)
    return Number.isNaN(order) ? undefined : order === 0
  }
}

function differ(one: string, other: string): boolean {
  return comparesPlainly.test(one) && comparesPlainly.test(other) && one.toLowerCase() !== other.toLowerCase()
}
