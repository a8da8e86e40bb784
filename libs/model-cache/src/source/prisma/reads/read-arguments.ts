import { isPlain } from '../../plain.js'
import type { Args, QueryParams } from '../internals.js'
import type { BypassReason } from './read-outcome.js'

/** A query, and its arguments at the time. */
export interface GivenRead {
  /** A copy, which the caller cannot change. */
  readonly args: Args
  /** The query, with the arguments as they were given. */
  readonly params: QueryParams
}

const names = [
  'where',
  'select',
  'include',
  'omit',
  'orderBy',
  'take',
  'skip',
  'cursor',
  'relationLoadStrategy',
] as const
const known: ReadonlySet<string> = new Set(names)

/** The arguments of a query that matter to caches. */
export type ReadArguments = { readonly [Name in (typeof names)[number]]?: unknown }

export const noArguments: ReadArguments = {}

/** @param isStrict whether Prisma refuses `undefined` in arguments */
export function argumentsOf(args: unknown, isStrict: boolean): ReadArguments | BypassReason {
  if (!isPlain(args)) return args === undefined ? 'condition' : 'argument'
  for (const name in args) {
    if (args[name] === undefined) {
      if (isStrict) return 'argument'
    } else if (!known.has(name)) return name === 'distinct' ? 'paging' : 'argument'
  }
  const { where, select, include, omit, orderBy, take, skip, cursor, relationLoadStrategy } = args
  return { where, select, include, omit, orderBy, take, skip, cursor, relationLoadStrategy }
}
