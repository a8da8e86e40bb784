import type { Constant, PlanField } from '../wire-plan.js'

/**
 * Returns the fields in the order of their values in a record: required ones first, then optional ones, each sorted by name;
 * names of integers, such as `1`, come before all others. The order does not depend on that of the plan, and neither does the
 * fingerprint, so plans that differ only in the order of their fields read each other's records.
 *
 * ArkType 2.2 sorts fields in this way.
 */
export function inWireOrder(fields: readonly PlanField[]): readonly PlanField[] {
  const sorted = sortedByText(fields, ({ name }) => name).toSorted(
    (a, b) => Number(a.optional) - Number(b.optional),
  )
  // An object puts names of integers first.
  return Object.values(Object.fromEntries(sorted.map((field) => [field.name, field])))
}

/** Returns the constants in the order of their digits in a record, which does not depend on that of the plan either. */
export function constantsInWireOrder(constants: readonly Constant[]): readonly Constant[] {
  return sortedByText(constants, (constant) => constant)
}

/** Sorts by JSON text, in UTF-16 units; the brace, which no text begins with, puts 10 before 1, as ArkType does. */
function sortedByText<T>(entries: readonly T[], valueOf: (entry: T) => Constant): readonly T[] {
  return entries
    .map((entry) => ({ entry, text: `${JSON.stringify(valueOf(entry))}}` }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ entry }) => entry)
}
