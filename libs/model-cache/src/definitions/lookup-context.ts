import type { LookupDefinition } from '../cache/policy/lookup-options.js'
import type { PlanField } from '../codec/wire-plan.js'
import { invalidLookupError } from '../configuration-errors.js'
import type { ConfigurationError } from '../errors.js'
import type { Model, SchemaFacts } from '../source/schema-facts.js'

/** What a lookup is checked against. */
export interface LookupContext {
  /** The name of the cache, for messages. */
  readonly cache: string
  readonly lookup: LookupDefinition
  /** The fields of the rows. */
  readonly fields: readonly PlanField[]
  readonly idFields: readonly string[]
  /** What the Prisma schema says; undefined if the rows come from elsewhere, where values are equal if they are so in JavaScript. */
  readonly schema: { readonly facts: SchemaFacts; readonly model: Model } | undefined
}

/** @param problem continues "lookup "open" …": what is wrong, and what to do */
export function refusedLookup({ cache, lookup }: LookupContext, problem: string): ConfigurationError {
  return invalidLookupError(cache, lookup.name, problem)
}

/**
 * Returns a field of the rows.
 *
 * @param option the option that names it, for messages
 * @throws ConfigurationError
 */
export function fieldOf(context: LookupContext, option: string, name: string): PlanField {
  const { fields, schema } = context
  const found = fields.find((field) => field.name === name)
  if (!found) throw refusedLookup(context, `has "${name}" in \`${option}\`, ${whyMissing(context, name)}`)
  if (schema?.model.relations.has(name) || name === '_count')
    throw refusedLookup(
      context,
      `has the relation "${name}" in \`${option}\`; expected fields of the row itself.`,
    )
  return found
}

function whyMissing({ fields, schema }: LookupContext, name: string): string {
  if (schema?.model.relations.has(name)) return 'which is a relation; expected fields of the row itself.'
  const scalar = schema?.model.scalars.get(name)
  if (scalar?.isKeptOut)
    return 'which is marked `/// @cache(omit)` in the Prisma schema; remove it from one of the two.'
  if (scalar) return 'which its rows leave out; add it to `select`, or remove it from `omit`.'
  const generate = schema ? ' Correct it, or run `prisma generate` if the Prisma schema has it.' : ''
  return `which its rows lack; they have ${fields.map((field) => field.name).join(', ')}.${generate}`
}
