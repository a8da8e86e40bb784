import type { WirePlan } from '../../codec/wire-plan.js'
import { type IdField, type IdKind, isIdKind } from '../../protocol/index.js'
import { invalidIdFieldError } from '../../configuration-errors.js'

/**
 * Resolves the id fields of a definition against its schema.
 *
 * @throws ConfigurationError when the schema has no such field, or one that cannot be an id
 */
export function idFieldsIn(name: string, { dayFields, idFields, plan }: IdOfRows): readonly IdField[] {
  return idFields.map((field) => {
    const kind = idKindOf({ name, idFields, plan }, field)
    return { name: field, kind: dayFields.includes(field) ? 'day' : kind }
  })
}

/** What tells the id of rows. */
export interface IdOfRows {
  readonly plan: WirePlan
  readonly idFields: readonly string[]
  /** The id fields that are dates without a time. */
  readonly dayFields: readonly string[]
}

function idKindOf(
  { name, idFields, plan }: { name: string; idFields: readonly string[]; plan: WirePlan },
  field: string,
): IdKind {
  if (plan.kind === 'union') {
    const idKindsFound = plan.branches.map((branch) => idKindOf({ name, idFields, plan: branch.plan }, field))
    if (new Set(idKindsFound).size === 1) return idKindsFound[0]!
    throw invalidIdFieldError(
      name,
      idFields,
      `: "${field}" is of another kind in each object of the union; an id is of one kind in all of them.`,
    )
  }
  if (plan.kind !== 'object') throw invalidIdFieldError(name, idFields, 'needs a schema that is an object.')
  const found = plan.fields.find((candidate) => candidate.name === field)
  if (!found) {
    const known = plan.fields.map((candidate) => candidate.name).join(', ')
    throw invalidIdFieldError(
      name,
      idFields,
      `: "${field}" is not a field of the schema, which has ${known}.`,
    )
  }
  const { plan: ofField } = found
  const kinds =
    ofField.kind === 'literal' ? new Set(ofField.values.map((value) => typeof value)) : [ofField.kind]
  const [kind, ...others] = kinds
  if (others.length > 0) {
    throw invalidIdFieldError(
      name,
      idFields,
      `: "${field}" has constants of several types, ${[kind, ...others].join(' and ')}; an id is of one type.`,
    )
  }
  if (!isIdKind(kind) || found.optional || ofField.nullable || ofField.undefinable) {
    throw invalidIdFieldError(
      name,
      idFields,
      `: "${field}" is ${ofField.nullable ? 'nullable' : ofField.undefinable ? 'optional' : `a ${kind}`}; ` +
        'an id is a string, a number, a bigint or a Date that is always there.',
    )
  }
  return kind
}
