import type { AnsweringLookup } from '../../read-caches.js'
import type { FieldFacts } from './id-values.js'
import { orderText } from './row-order.js'

/** A list of a cache, as queries request it. */
export interface ReadableList {
  readonly lookup: AnsweringLookup
  /** Those of its key. */
  readonly fields: readonly FieldFacts[]
  /** The number of fields that the `where` of such a query has. */
  readonly conditions: number
  /** Its order as {@link orderText} gives it: as it was declared, and with the id as its last members. */
  readonly orders: { readonly declared: string | undefined; readonly total: string | undefined }
}

export function readableListOf(lookup: AnsweringLookup, fields: readonly FieldFacts[]): ReadableList {
  const { orderBy, where } = lookup
  return {
    lookup,
    fields,
    conditions: fields.length + Object.keys(where).length,
    orders: { declared: orderText(orderBy.declared), total: orderText(orderBy.total) },
  }
}
