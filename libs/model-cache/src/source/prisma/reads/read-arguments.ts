import { isPlain } from '../../plain.js'
import type { BypassReason } from './read-outcome.js'

/** The arguments of a query that matter to caches. */
export interface ReadArguments {
  readonly where?: unknown
  readonly select?: unknown
  readonly include?: unknown
  readonly omit?: unknown
  readonly orderBy?: unknown
  readonly take?: unknown
  readonly skip?: unknown
  readonly cursor?: unknown
  readonly relationLoadStrategy?: unknown
}

export const noArguments: ReadArguments = {}

const known: ReadonlySet<string> = new Set([
  'where',
  'select',
  'include',
  'omit',
  'orderBy',
  'take',
  'skip',
  'cursor',
  'relationLoadStrategy',
] satisfies (keyof ReadArguments)[])

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
