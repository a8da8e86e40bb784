import type { BoundCondition } from '../cache/policy/lookup-options.js'
import { expectedOf, type KeyField, keyTextOf } from '../protocol/index.js'
import { isPlain } from '../source/plain.js'
import { type LookupContext, refusedLookup } from './lookup-context.js'
import { keyFieldOf, scalarFieldOf } from './lookup-fields.js'

/**
 * Returns the conditions of a lookup: those that can be decided from a row in JavaScript.
 *
 * @throws ConfigurationError
 */
export function conditionsOf(context: LookupContext): readonly BoundCondition[] {
  return Object.entries(context.lookup.where).map(([name, given]) => conditionOf(context, name, given))
}

function conditionOf(context: LookupContext, name: string, given: unknown): BoundCondition {
  if (['AND', 'OR', 'NOT'].includes(name))
    throw refusedLookup(context, `has \`${name}\` in \`where\`; ${allowed}`)
  const { isNullable } = scalarFieldOf(context, 'where', name)
  const operators = isPlain(given) ? Object.keys(given) : undefined
  const isNotNull = operators?.join() === 'not' && (given as { not: unknown }).not === null
  if ((given === null || isNotNull) && !isNullable)
    throw refusedLookup(
      context,
      `compares "${name}" in \`where\` with null, which it never is; remove the condition.`,
    )
  if (given === null) return { name, is: 'null' }
  if (isNotNull) return { name, is: 'not null' }
  if (given === undefined)
    throw refusedLookup(
      context,
      `has "${name}: undefined" in \`where\`, which Prisma ignores; remove it, or write null.`,
    )
  const field = keyFieldOf(context, 'where', name)
  if (!operators) return { name, is: 'one of', field, values: [constantOf(context, field, given)] }
  const { in: list } = given as { in?: unknown }
  if (operators.join() !== 'in' || !Array.isArray(list))
    throw refusedLookup(context, `has "${name}" with \`${operators.join('`, `')}\` in \`where\`; ${allowed}`)
  if (list.length === 0)
    throw refusedLookup(
      context,
      `has an empty list at "${name}" in \`where\`, so that no row would be in it.`,
    )
  if (context.schema?.model.scalars.get(name)?.takesLists === false)
    throw refusedLookup(
      context,
      `has a list at "${name}" in \`where\`, where Prisma takes none; write the constant itself, such as \`${name}: ${list[0]}\`.`,
    )
  return { name, is: 'one of', field, values: list.map((value) => constantOf(context, field, value)) }
}

const allowed =
  'expected conditions that a row shows in JavaScript: a constant, null, `{ not: null }` or `{ in: [...] }` for each field, all of ' +
  'which hold.'

function constantOf(context: LookupContext, field: KeyField, value: unknown): unknown {
  const { name } = field
  if (value === null)
    throw refusedLookup(
      context,
      `has null in the list at "${name}" in \`where\`, which equals nothing; remove it.`,
    )
  if (keyTextOf(field, value) !== undefined) return value
  if (field.folds && field.kind === 'string' && keyTextOf({ ...field, folds: false }, value) !== undefined) {
    throw refusedLookup(
      context,
      `compares "${name}" in \`where\` with text that has other characters than those of ASCII, or a space at its end; databases ` +
        'that ignore case differ in how they compare these.',
    )
  }
  throw refusedLookup(
    context,
    `has a constant of another type at "${name}" in \`where\`; expected ${expectedOf(field)}.`,
  )
}
