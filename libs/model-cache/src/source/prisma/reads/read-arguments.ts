import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'

/** The arguments of a query that matter to caches. */
export interface ReadArguments {
  where: unknown
  select: unknown
  include: unknown
  omit: unknown
  orderBy: unknown
  take: unknown
  skip: unknown
  cursor: unknown
  relationLoadStrategy: unknown
}

export const noArguments: Readonly<ReadArguments> = {
  where: undefined,
  select: undefined,
  include: undefined,
  omit: undefined,
  orderBy: undefined,
  take: undefined,
  skip: undefined,
  cursor: undefined,
  relationLoadStrategy: undefined,
}

/** @param isStrict whether Prisma refuses `undefined` in arguments */
export function argumentsOf(args: unknown, isStrict: boolean): ReadArguments | BypassReason {
  if (!isPlain(args)) return args === undefined ? 'condition' : 'argument'
  const found = { ...noArguments }
  for (const name in args) {
    const value = args[name]
    if (value === undefined) {
      if (isStrict) return 'argument'
      continue
    }
    switch (name) {
      case 'where':
      case 'select':
      case 'include':
      case 'omit':
      case 'orderBy':
      case 'take':
      case 'skip':
      case 'cursor':
      case 'relationLoadStrategy':
        found[name] = value
        break
      case 'distinct':
        return 'paging'
      default:
        return 'argument'
    }
  }
  return found
}
