import type { Change, PassedOn } from '../../referential-actions.js'

/** Whether the database changes fields that the write sets, in a row of the same model that leads to itself in the end. */
export function isReset({ child: { model, relation } }: PassedOn, change: Change): boolean {
  if (change === 'deleted') return false
  const { fields, references, target } = relation
  return fields.some((field, index) => {
    const source = references[index]!
    // A field that leads to itself gets what the write sets, and one that leads to an unchanged field stays.
    const isKept = target === model && (source === field || !change.has(source))
    return change.has(field) && !isKept
  })
}
