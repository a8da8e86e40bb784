import { isPlain } from '../../plain.js'
import type { ListCosts } from './list-costs.js'
import { sizeOf } from './query-shape.js'
import type { ReadArguments } from './read-arguments.js'
import type { BypassReason } from './read-outcome.js'
import type { ReadPlanning } from './read-planning.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableList } from './readable-list.js'
import { isPage, isTotalOrder, namesIn, orderText, rowOrderOf, tiesOf } from './row-order.js'
import { allRows, isCertain, type RowSelection } from './row-selection.js'
import { compileRowTest, type FieldLookup, type RelationLookup } from './row-test.js'
import { rowsTaken } from './rows-taken.js'
import type { WhereMember } from './where.js'

export interface SelectionRequest {
  readonly action: string
  readonly args: Pick<ReadArguments, 'cursor' | 'orderBy' | 'skip' | 'take'>
  /** The conditions that the key or the list has not. */
  readonly others: readonly WhereMember[]
  readonly readable: ReadableCache
  /** Finds the relations of conditions. */
  readonly relationOf: RelationLookup
  readonly planning: Pick<ReadPlanning, 'takesAnyRow' | 'weighsCosts'>
}

/** Where the rows come from: by keys, of which there are so many at most, or from one or more lists. */
export type RowOrigin =
  { readonly most: number } | { readonly list: ReadableList; readonly isOneList: boolean }

/** Plans which of the rows that a cache finds are the result of a query, or says why only the database can tell. */
export function planSelection(request: SelectionRequest, origin: RowOrigin): RowSelection | BypassReason {
  const { action, args, others, planning, readable, relationOf } = request
  const { fieldOf } = readable
  const { cursor, skip: skipped = 0, take } = args
  const isCut = isPage(args)
  const isOfOneRow = 'most' in origin && origin.most <= 1
  // As most queries are: of one row by its key.
  if (isOfOneRow && others.length === 0 && args.orderBy === undefined && !isCut) return allRows
  const isOrdered = isOfOneRow || !isCut || orderText(args.orderBy) !== ''
  const orderBy = isOrdered ? args.orderBy : readable.pageOrder
  const test = compileRowTest(others, { fieldOf, relationOf })
  if (typeof test === 'string') return test
  const isFirst = action.startsWith('findFirst')
  // Prisma refuses other values.
  if (isFirst && take !== undefined && take !== 1) return 'paging'
  const taken = take === undefined ? Infinity : rowsTaken(take)
  const skip = rowsTaken(skipped)
  if (taken === undefined || skip === undefined || skip === Infinity) return 'paging'
  const isAny = isFirst && planning.takesAnyRow
  const most = isFirst ? 1 : taken
  const isCursor = cursor === undefined ? undefined : cursorOf(cursor, readable)
  if (typeof isCursor === 'string') return isCursor
  if (isCursor && (mayBeginWithNull(orderBy, fieldOf) || (test && !isPagedByDatabase(orderBy, readable))))
    return 'paging'
  const page = {
    ...allRows,
    test,
    isCursor,
    skip,
    take: most,
    cutReason: isFirst ? 'order' : 'paging',
    costs: 'list' in origin && planning.weighsCosts ? costsOf(request, origin.list, most) : undefined,
  } as const

  const uniqueKeys = uniqueKeysOf(readable, origin)
  if ('list' in origin) {
    const { limit } = origin.list.lookup
    if (limit !== undefined && action === 'count') return { ...page, completeBelow: limit }
    const order = orderText(orderBy)
    const isOwn = order !== undefined && order !== '' && origin.list.orders.has(order)
    const isTotal = order === origin.list.totalOrder || (isOwn && isTotalOrder(namesIn(orderBy), uniqueKeys))
    // The page ends with the list.
    const isWhole = skip === 0 && most === limit
    const own = isOwn && {
      ...page,
      isOrdered: isTotal,
      areTied: isTotal || isWhole ? undefined : tiesOf(orderBy, fieldOf),
    }
    if (limit !== undefined) {
      if (test || !origin.isOneList) return 'condition'
      if (order === '') return isAny ? { ...page, isOrdered: false } : page.cutReason
      if (!own) return 'order'
      return isCursor || skip + most > limit ? 'paging' : own
    }
    if (own && origin.isOneList) return isCursor && !isTotal ? 'paging' : own
  }
  const rows = 'list' in origin ? Infinity : origin.most
  const order = rowOrderOf(orderBy, { fieldOf, most: rows, uniqueKeys })
  if (order === 'order') return order
  if (order?.isTotal || rows <= 1) return { ...page, compare: order?.compare }
  if (!order && isAny) return { ...page, isOrdered: false }
  // Without an order, the database may return any of the rows first.
  if (isCursor || (!order && isFirst && rows < Infinity)) return page.cutReason
  return { ...page, compare: order?.compare, isOrdered: false, areTied: tiesOf(orderBy, fieldOf) }
}

/** The fields that no two of the rows have in common. All rows of one list have its key. */
function uniqueKeysOf({ uniqueKeys }: ReadableCache, origin: RowOrigin): readonly (readonly string[])[] {
  if (!('list' in origin) || !origin.isOneList || origin.list.lookup.through !== undefined) return uniqueKeys
  const { by } = origin.list.lookup
  return uniqueKeys.map((key) => key.filter((field) => !by.includes(field)))
}

/** Returns undefined for a query whose result is the whole list. */
function costsOf(request: SelectionRequest, list: ReadableList, take: number): ListCosts | undefined {
  const { action, args, others } = request
  const { cursor, skip = 0 } = args
  const isPart =
    action === 'count' || take < Infinity || skip !== 0 || cursor !== undefined || others.length > 0
  return isPart ? costsOfPart(list, request, String(take)) : undefined
}

/** What it costs to read a list of which only a part is the result, or leads to it. */
export function costsOfPart(
  { costs, lookup }: ReadableList,
  { action, args, others }: Pick<SelectionRequest, 'action' | 'args' | 'others'>,
  part: string,
): ListCosts | undefined {
  // A list with a limit is short.
  if (lookup.limit !== undefined) return undefined
  const { cursor, skip = 0 } = args
  const isCount = action === 'count'
  // There may be any number of pages, and all of them read the whole list.
  const shape = `${isCount} ${part} ${sizeOf(skip)} ${cursor !== undefined} ${others.map(({ name }) => name).join()}`
  return costs.of(shape, isCount)
}

interface OfList {
  readonly list: ReadableList
  readonly selection: RowSelection
}

/** Returns the plan that is certain to give an answer, or reads fewer rows. */
export function betterOf<Plan extends OfList>(one: Plan, other: Plan): Plan {
  const [cost, otherCost] = [one, other].map(({ list, selection }) => [
    isCertain(selection) ? 0 : 1,
    list.lookup.limit ?? Infinity,
    -list.conditions,
  ])
  const decisive = cost!.findIndex((each, i) => each !== otherCost![i])
  return decisive < 0 || cost![decisive]! < otherCost![decisive]! ? one : other
}

/** Finds a row by its id. */
function cursorOf(cursor: unknown, { id }: ReadableCache): RowSelection['isCursor'] | BypassReason {
  const [first, ...others] = id.fields
  if (!isPlain(cursor) || !first || others.length > 0 || Object.keys(cursor).join() !== first.name)
    return 'paging'
  const value = first.read(cursor[first.name])
  return value === undefined ? 'paging' : (row) => row[first.name] === value
}

/** Where null stands first in ascending order, Prisma finds no rows after a cursor whose row has null in it. */
function mayBeginWithNull(orderBy: unknown, fieldOf: FieldLookup): boolean {
  return namesIn(orderBy).some((name) => {
    const field = fieldOf(name)
    return !field || (field.isNullable && field.nulls !== 'last')
  })
}

/** Whether the statement begins at a cursor. Otherwise Prisma looks for its row among those that fulfil all conditions. */
function isPagedByDatabase(orderBy: unknown, { fieldOf, uniqueKeys }: ReadableCache): boolean {
  const names = namesIn(orderBy)
  return names.every((name) => fieldOf(name)?.isNullable === false) && isTotalOrder(names, uniqueKeys)
}
