import { isPlain } from '../../plain.js'
import type { ResultRows } from '../../query-results.js'
import {
  deriveRowShape,
  type RowField,
  type RowShape,
  type RowShapeFacts,
  type Selection,
} from '../../row-shape.js'
import { findActions } from '../operations.js'

/** Returns what the rows look like that a query returns; undefined if it returns none, or only Prisma knows. */
export function resultRows(
  facts: RowShapeFacts,
  { action, args, model }: { readonly action: string; readonly args: object; readonly model: string },
): ResultRows | undefined {
  if (!findActions.has(action)) return undefined
  try {
    const shape = inSelectedOrder(deriveRowShape(facts, model, args as Selection), args)
    return { shape, isList: action === 'findMany' }
  } catch {
    return undefined
  }
}

/** Prisma returns what `select` names in its order, and what `include` names in its order behind the other fields. */
function inSelectedOrder(shape: RowShape, { include, select }: Selection): RowShape {
  const given = (select ?? include ?? {}) as Readonly<Record<string, unknown>>
  const order = Object.keys(given)
  const at = ({ name }: RowField): number => order.indexOf(name)
  return shape
    .toSorted((one, other) => at(one) - at(other))
    .map((field) => withOrderedRows(field, given[field.name]))
}

function withOrderedRows(field: RowField, given: unknown): RowField {
  if (field.kind !== 'rows' || !isPlain(given)) return field
  return { ...field, fields: inSelectedOrder(field.fields, given as Selection) }
}
