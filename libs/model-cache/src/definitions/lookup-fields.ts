import type { WirePlan } from '../codec/wire-plan.js'
import { isKeyKind, type KeyField, type KeyKind } from '../protocol/index.js'
import type { Column } from '../source/columns/column.js'
import { scalarKindOf } from '../source/row-shape.js'
import type { Model } from '../source/schema-facts.js'
import { typeNameOf } from './id-keys.js'
import { fieldOf, type LookupContext, refusedLookup } from './lookup-context.js'

/** A field that holds one scalar value. */
interface ScalarField {
  readonly kind: KeyKind
  readonly isNullable: boolean
}

/**
 * Returns what a field of the rows holds.
 *
 * @param option the option that names it, for messages
 * @throws ConfigurationError unless it is one scalar value
 */
export function scalarFieldOf(context: LookupContext, option: string, name: string): ScalarField {
  const { plan } = fieldOf(context, option, name)
  if (plan.undefinable)
    throw refusedLookup(
      context,
      `has "${name}" in \`${option}\`, which rows may lack; make it required, or nullable.`,
    )
  const kinds = plan.kind === 'literal' ? new Set(plan.values.map((value) => typeof value)) : [plan.kind]
  const [kind, ...others] = kinds
  const isNullable = context.schema?.model.scalars.get(name)?.isNullable ?? plan.nullable
  if (isKeyKind(kind) && others.length === 0) return { kind, isNullable }
  throw refusedLookup(
    context,
    `has "${name}" in \`${option}\`, which is ${describe(plan)}; expected fields of one scalar value.`,
  )
}

/**
 * Returns how values of a field of the rows are compared.
 *
 * @throws ConfigurationError if JavaScript cannot compare them as the database does
 */
export function keyFieldOf(context: LookupContext, option: 'by' | 'where', name: string): KeyField {
  const { lookup, schema } = context
  const { kind } = scalarFieldOf(context, option, name)
  if (!schema) return { name, kind, folds: kind === 'string' && lookup.comparesText === 'without case' }
  const scalar = schema.model.scalars.get(name)
  if (!scalar)
    throw refusedLookup(context, `has "${name}" in \`${option}\`, which is no field of ${schema.model.name}.`)
  if (kind !== kindOfScalar(scalar)) {
    throw refusedLookup(
      context,
      `has "${name}" in \`${option}\`, which is a ${kind} in its schema and ${typeNameOf(scalar)} in the Prisma schema; correct the schema.`,
    )
  }
  return comparedField(context, option, { name, kind, scalar, model: schema.model })
}

/**
 * Returns the id fields of the rows at the other side of an implicit many-to-many relation, which are the key of its lists.
 *
 * @throws ConfigurationError
 */
export function relatedKeyOf(context: LookupContext, through: string): readonly KeyField[] {
  const { schema } = context
  if (!schema) throw refusedLookup(context, 'has `through`, which needs a model of Prisma.')
  const { facts, model } = schema
  const relations = [...model.relations.values()].filter(
    ({ isVisible, keyHolder }) => isVisible && keyHolder === 'join-table',
  )
  const relation = relations.find(({ field }) => field === through)
  if (!relation) {
    throw refusedLookup(
      context,
      `has \`through: '${through}'\`, which is not an implicit many-to-many relation of ${model.name}; those are ` +
        `${relations.map(({ field }) => field).join(', ') || 'none'}. For an explicit join model, define a list of that model.`,
    )
  }
  const target = facts.models.get(relation.target)!
  if (target.problem !== undefined)
    throw refusedLookup(
      context,
      `is through ${target.name}, which is not known: ${target.problem}. Remove the lookup.`,
    )
  return target.primaryKey.map((name) => {
    const scalar = target.scalars.get(name)
    const kind = scalar && kindOfScalar(scalar)
    if (!kind)
      throw refusedLookup(context, `is through ${relation.target}, whose id has no type that can be a key.`)
    return comparedField(context, 'through', { name, kind, scalar, model: target })
  })
}

function comparedField(
  context: LookupContext,
  option: string,
  { name, kind, scalar, model }: { name: string; kind: KeyKind; scalar: Column; model: Model },
): KeyField {
  const { lookup, schema } = context
  const { provider } = schema!.facts
  const field = `${model.name}.${name}`
  if (scalar.objection !== undefined)
    throw refusedLookup(
      context,
      `has ${field} in \`${option}\`, but ${scalar.objection}; ${remedyFor(option)}.`,
    )
  switch (scalar.kind) {
    case 'uuid':
    case 'day':
      return { name, kind: scalar.kind, folds: false }
    case 'citext':
      if (lookup.comparesText !== 'exactly') return { name, kind, folds: true }
      throw refusedLookup(
        context,
        `has \`caseSensitive\`, but ${field} is ${typeNameOf(scalar)}, which ignores case.`,
      )
    case 'collated':
      if (lookup.comparesText === 'exactly') return { name, kind: 'casedString', folds: true }
      if (lookup.comparesText === 'without case') return { name, kind, folds: true }
      throw refusedLookup(
        context,
        `has the text ${field} in \`${option}\`, and ${provider} compares text as its collation says, which the Prisma schema does ` +
          `not show. Add \`fold: 'case'\`, or \`caseSensitive: true\` if the collation of the column distinguishes case.`,
      )
    case 'padded':
    case 'opaque':
      throw refusedLookup(
        context,
        `has ${field} in \`${option}\`, whose type ${typeNameOf(scalar)} JavaScript cannot compare as ${provider} does; ` +
          `${remedyFor(option)}.`,
      )
    // Not by default, which would compare values of a new kind as JavaScript does.
    case 'text':
    case 'enum':
    case 'int':
    case 'bigint':
    case 'boolean':
    case 'tinyint':
    case 'date':
    case 'instant':
    case 'decimal':
    case 'bytes':
      return { name, kind, folds: false }
  }
}

function remedyFor(option: string): string {
  if (option === 'where') return 'conditions on it may be `null` or `{ not: null }` only'
  return option === 'through' ? 'define a list of an explicit join model' : 'choose another key'
}

function describe({ kind }: WirePlan): string {
  if (kind === 'json') return 'JSON'
  if (kind === 'literal') return 'not of one type'
  return kind === 'array' || kind === 'tuple' ? 'a list' : 'an object'
}

function kindOfScalar({ type, isList }: Column): KeyKind | undefined {
  const kind = scalarKindOf(type)
  return !isList && isKeyKind(kind) ? kind : undefined
}
