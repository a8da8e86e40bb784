import type { CachedRow } from '../../read-caches.js'
import type { QueryParams } from '../internals.js'
import { isPlain } from '../../plain.js'
import { Projection } from './projection.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadableCache } from './readable-cache.js'
import { idOfUnique, idsOf, type RequestedIds } from './requested-ids.js'
import { type Comparator, orderOf } from './row-order.js'
import type { Selections } from './selections.js'

/** How a cache answers a query. */
export interface ReadPlan {
  readonly readable: ReadableCache
  /** Each once. */
  readonly ids: RequestedIds
  /** Turns a row of the cache into one of the result. */
  readonly project: (row: CachedRow) => CachedRow
  /** Undefined if the database may return the rows in any order, or there is at most one. */
  readonly order: Comparator | undefined
  /** The rows to leave out at the beginning. */
  readonly skip: number
  /** The maximum number of rows. */
  readonly take: number
}

export interface Planning {
  /** The caches of the model, those with the most fields first. */
  readonly caches: readonly ReadableCache[]
  readonly selections: Selections
  /** Whether Prisma refuses `undefined` in arguments. */
  readonly isStrict: boolean
}

/** The arguments of a query that matter here. */
interface Arguments {
  where: unknown
  select: unknown
  omit: unknown
  orderBy: unknown
  take: unknown
  skip: unknown
}

/** Plans how a cache answers a query, or says why none does. Knows neither clients nor transactions. Never throws. */
export function planRead(
  query: Pick<QueryParams, 'action' | 'args'>,
  planning: Planning,
): ReadPlan | BypassReason {
  try {
    return plan(query, planning)
  } catch {
    // An argument that cannot be read. Prisma has its own error for that.
    return 'argument'
  }
}

function plan(
  { action, args }: Pick<QueryParams, 'action' | 'args'>,
  { caches, selections, isStrict }: Planning,
): ReadPlan | BypassReason {
  const found = argumentsOf(args, isStrict)
  if (typeof found === 'string') return found
  const { where, select, omit, orderBy, take, skip } = found
  const isUnique = action === 'findUnique' || action === 'findUniqueOrThrow'
  if (isUnique && (orderBy !== undefined || take !== undefined || skip !== undefined)) return 'argument'
  const projection = selections.of(select, omit)
  if (!(projection instanceof Projection)) return projection

  let reason: BypassReason = 'condition'
  for (const readable of caches) {
    const ids = isUnique ? idOfUnique(where, readable) : idsOf(where, readable)
    if (typeof ids === 'string') {
      if (ids !== 'condition') reason = ids
      continue
    }
    const project = projection.of(readable)
    if (!project) {
      reason = 'fields'
      continue
    }
    if (isUnique) return { readable, ids, project, order: undefined, skip: 0, take: 1 }
    const order = orderOf(orderBy, readable, ids.length)
    if (order === 'order') return order
    const isOrdered = order !== undefined || ids.length <= 1
    return withPage({ readable, ids, project, order }, { action, take, skip, isOrdered })
  }
  return reason
}

function argumentsOf(args: unknown, isStrict: boolean): Arguments | BypassReason {
  if (!isPlain(args)) return args === undefined ? 'condition' : 'argument'
  const found: Arguments = {
    where: undefined,
    select: undefined,
    omit: undefined,
    orderBy: undefined,
    take: undefined,
    skip: undefined,
  }
  for (const name in args) {
    const value = args[name]
    if (value === undefined) {
      if (isStrict) return 'argument'
      continue
    }
    switch (name) {
      case 'where':
      case 'select':
      case 'omit':
      case 'orderBy':
      case 'take':
      case 'skip':
        found[name] = value
        break
      case 'include':
        return 'relations'
      case 'cursor':
      case 'distinct':
        return 'paging'
      default:
        return 'argument'
    }
  }
  return found
}

interface Page {
  readonly action: string
  readonly take: unknown
  readonly skip: unknown
  /** Whether the order of the rows is certain. */
  readonly isOrdered: boolean
}

function withPage(
  plan: Omit<ReadPlan, 'skip' | 'take'>,
  { action, take, skip, isOrdered }: Page,
): ReadPlan | BypassReason {
  const isFirst = action !== 'findMany'
  // Prisma refuses other values.
  if (isFirst && take !== undefined && take !== 1) return 'paging'
  if (!isCount(take) || !isCount(skip)) return 'paging'
  const rows = plan.ids.length
  const most = isFirst ? 1 : (take ?? Infinity)
  const isCut = most < rows || (skip ?? 0) > 0
  if (isCut && !isOrdered) return isFirst ? 'order' : 'paging'
  return { ...plan, skip: skip ?? 0, take: most }
}

function isCount(value: unknown): value is number | undefined {
  return (
    value === undefined ||
    (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31)
  )
}
