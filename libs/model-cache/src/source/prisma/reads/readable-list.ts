import type { AnsweringCache, AnsweringLookup } from '../../read-caches.js'
import { CostsByShape } from './list-costs.js'
import type { KeyColumn } from './readable-key.js'
import { orderText } from './row-order.js'

/** A list of a cache, as queries request it. */
export interface ReadableList {
  readonly lookup: AnsweringLookup
  /** The fields of the key. */
  readonly fields: readonly KeyColumn[]
  /** The number of fields that the `where` of such a query has. */
  readonly conditions: number
  /** The order of the list, as {@link orderText} gives it. */
  readonly totalOrder: string | undefined
  /** The orders that the list answers. One without the id at its end is among them: the database may then return equal rows in any order. */
  readonly orders: ReadonlySet<string | undefined>
  readonly costs: CostsByShape
}

export function readableListOf(
  lookup: AnsweringLookup,
  fields: readonly KeyColumn[],
  { holdsRows, idFields }: Pick<AnsweringCache, 'holdsRows' | 'idFields'>,
): ReadableList {
  const { orderBy, where } = lookup
  const orders = [orderText(orderBy)]
  for (let end = orderBy.length - 1; end >= 0 && isOfId(orderBy[end]!, idFields); end--)
    orders.push(orderText(orderBy.slice(0, end)))
  return {
    lookup,
    fields,
    conditions: fields.length + Object.keys(where).length,
    totalOrder: orders[0],
    orders: new Set(orders),
    costs: new CostsByShape(holdsRows),
  }
}

/** Whether it is a member of the order as the id is added to it. */
function isOfId(member: object, idFields: readonly string[]): boolean {
  return idFields.some((field) => orderText([member]) === orderText([{ [field]: 'asc' }]))
}
