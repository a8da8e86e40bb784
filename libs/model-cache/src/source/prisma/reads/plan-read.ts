import type { CachedRow } from '../../read-caches.js'
import { Projection } from './projection.js'
import { argumentsOf, type ReadArguments } from './read-arguments.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import type { ReadableList } from './readable-list.js'
import { idOfUnique, idsOf, type RequestedIds } from './requested-ids.js'
import { keyOfList } from './requested-list.js'
import { type Comparator, rowOrderOf, orderText } from './row-order.js'
import type { Selections } from './selections.js'

/** How a cache answers a query. */
export type ReadPlan = KeyPlan | ListPlan

interface CommonPlan {
  readonly readable: ReadableCache
  /** Turns a row of the cache into one of the result. */
  readonly project: (row: CachedRow) => CachedRow
}

/** Reads rows by their ids, or by keys of a unique lookup. */
export interface KeyPlan extends CommonPlan {
  readonly key: ReadableKey
  /** Each once. */
  readonly ids: RequestedIds
  /** Undefined if the database may return the rows in any order, or there is at most one. */
  readonly order: Comparator | undefined
  /** The rows to leave out at the beginning. */
  readonly skip: number
  /** The maximum number of rows. */
  readonly take: number
}

/** Reads all rows of a list. */
export interface ListPlan extends CommonPlan {
  readonly list: ReadableList
  readonly listKey: CachedRow
  /** Whether the database returns the rows in one order only. It may put those that `orderBy` takes for equal in any. */
  readonly isOrdered: boolean
}

export interface ReadPlanning {
  /** The caches of the model, those with the most fields first. */
  readonly caches: readonly ReadableCache[]
  readonly selections: Selections
  /** Whether Prisma refuses `undefined` in arguments. */
  readonly isStrict: boolean
}

/** Why a query is not answered: the reason of what came closest to an answer, the last of these. */
const closeness: readonly BypassReason[] = [
  'condition',
  'id_value',
  'too_many_ids',
  'fields',
  'order',
  'paging',
]

/** A query of Prisma, as far as plans depend on it. */
export interface PlannableRead {
  readonly action: string
  readonly args: unknown
}

/** Plans how a cache answers a query, or says why none does. Knows neither clients nor transactions. Never throws. */
export function planRead(query: PlannableRead, planning: ReadPlanning): ReadPlan | BypassReason {
  try {
    return plan(query, planning)
  } catch {
    // An argument that cannot be read. Prisma has its own error for that.
    return 'argument'
  }
}

/** A query with its arguments. */
interface Query {
  readonly action: string
  readonly isUnique: boolean
  readonly args: ReadArguments
  readonly projection: Projection
}

function plan(
  { action, args: given }: PlannableRead,
  { caches, selections, isStrict }: ReadPlanning,
): ReadPlan | BypassReason {
  const args = argumentsOf(given, isStrict)
  if (typeof args === 'string') return args
  const { select, omit, orderBy, take, skip } = args
  const isUnique = action === 'findUnique' || action === 'findUniqueOrThrow'
  if (isUnique && (orderBy !== undefined || take !== undefined || skip !== undefined)) return 'argument'
  const projection = selections.of(select, omit)
  if (!(projection instanceof Projection)) return projection
  const query: Query = { action, isUnique, args, projection }

  let reason = 0
  for (const readable of caches) {
    for (const key of readable.keys) {
      const found = planKeys(query, readable, key)
      if (typeof found !== 'string') return found
      reason = Math.max(reason, closeness.indexOf(found))
    }
    if (isUnique) continue
    for (const list of readable.lists) {
      const found = planList(query, readable, list)
      if (typeof found !== 'string') return found
      reason = Math.max(reason, closeness.indexOf(found))
    }
  }
  return closeness[reason]!
}

function planKeys(
  { action, args, isUnique, projection }: Query,
  readable: ReadableCache,
  key: ReadableKey,
): KeyPlan | BypassReason {
  const { where, orderBy, take, skip } = args
  const ids = isUnique ? idOfUnique(where, key) : idsOf(where, key)
  if (typeof ids === 'string') return ids
  const project = projection.of(readable)
  if (!project) return 'fields'
  if (isUnique) return { readable, key, ids, project, order: undefined, skip: 0, take: 1 }
  const order = rowOrderOf(orderBy, key, ids.length)
  if (order === 'order') return order
  const isFirst = action !== 'findMany'
  // Prisma refuses other values.
  if (isFirst && take !== undefined && take !== 1) return 'paging'
  if (!isCount(take) || !isCount(skip)) return 'paging'
  const most = isFirst ? 1 : (take ?? Infinity)
  const isCut = most < ids.length || (skip ?? 0) > 0
  const isOrdered = order !== undefined || ids.length <= 1
  if (isCut && !isOrdered) return isFirst ? 'order' : 'paging'
  return { readable, key, ids, project, order, skip: skip ?? 0, take: most }
}

function planList(
  { action, args, projection }: Query,
  readable: ReadableCache,
  list: ReadableList,
): ListPlan | BypassReason {
  const { where, orderBy, take, skip } = args
  const { limit } = list.lookup
  const isFirst = action !== 'findMany'
  if (isFirst && limit !== 1) return 'condition'
  const listKey = keyOfList(where, list)
  if (typeof listKey === 'string') return listKey
  const project = projection.of(readable)
  if (!project) return 'fields'
  const order = orderText(orderBy)
  if (order === undefined || !list.orders.has(order)) return 'order'
  if (take !== limit && !(isFirst && take === undefined)) return 'paging'
  if (skip !== undefined && skip !== 0) return 'paging'
  // Without an order, the database may return any rows.
  if (order === '' && limit !== undefined) return isFirst ? 'order' : 'paging'
  return { readable, list, listKey, project, isOrdered: order === list.totalOrder }
}

function isCount(value: unknown): value is number | undefined {
  return (
    value === undefined ||
    (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31)
  )
}
