import { createHash } from 'node:crypto'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import { idFieldsIn, type IdOfRows } from '../cache/policy/id-fields.js'
import type { BoundCondition, BoundLookup, LookupDefinition } from '../cache/policy/lookup-options.js'
import { type KeyField, keyTextOf } from '../protocol/index.js'
import { invalidLookupError } from '../configuration-errors.js'
import type { ConfigurationError } from '../errors.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import { DatabaseNames } from './database-names.js'
import { conditionsOf } from './lookup-conditions.js'
import { type LookupContext, refusedLookup } from './lookup-context.js'
import { keyFieldOf, relatedKeyOf, scalarFieldOf } from './lookup-fields.js'

/** Raise it whenever entries of the same lookup change in any other way. */
const ENTRY_VERSION = 3

/**
 * Finds out how the lookups of a definition are compared, and checks that JavaScript can decide from a row which entries it belongs to.
 *
 * @param facts what the Prisma schema says. Without it values count as equal if they are so in JavaScript.
 * @throws ConfigurationError
 */
export function bindLookups(
  definition: AnyModelCacheDefinition,
  rows: IdOfRows,
  facts: SchemaFacts | undefined,
): readonly BoundLookup[] {
  return Object.freeze(
    definition.lookups.map((lookup) => bindLookup(contextOf(definition, lookup, rows, facts), rows)),
  )
}

function contextOf(
  { load, model: modelName, name }: AnyModelCacheDefinition,
  lookup: LookupDefinition,
  { idFields, plan }: IdOfRows,
  facts: SchemaFacts | undefined,
): LookupContext {
  const refuse = (problem: string): ConfigurationError => invalidLookupError(name, lookup.name, problem)
  if (load)
    throw refuse(
      'needs rows of a Prisma model: the query of `load` is not known. Remove the lookup, or `load`.',
    )
  if (plan.kind !== 'object')
    throw refuse('needs rows that are one object; those of its schema are a union. Remove one of the two.')
  const model = facts?.models.get(modelName)
  if (facts && !model) throw refuse(`needs the Prisma schema, which has no readable model "${modelName}".`)
  if (model?.problem !== undefined)
    throw refuse(`needs to know its model, which it does not: ${model.problem}. Remove the lookup.`)
  const schema = facts && model ? { facts, model } : undefined
  return { cache: name, lookup, fields: plan.fields, idFields, schema }
}

function bindLookup(context: LookupContext, rows: IdOfRows): BoundLookup {
  const { idFields } = rows
  const { cache, lookup } = context
  const { by, kind, limit, name, through } = lookup
  const key =
    through === undefined
      ? by.map((field) => keyFieldOf(context, 'by', field))
      : relatedKeyOf(context, through)
  if (kind === 'unique') assertUnique(context)
  const conditions = conditionsOf(context)
  assertFolds(context, key, conditions)
  const order = orderOf(context)
  const watched = [...Object.keys(lookup.where), ...order.map(({ field }) => field), ...idFields]
  const names = databaseNamesOf(context, [
    ...idFields,
    ...watched,
    ...by,
    ...(through === undefined ? [] : [through]),
  ])
  const definition: EntryDefinition = { kind, key, through, conditions, order, limit, names }
  return Object.freeze({
    ...lookup,
    orderBy: order.map(toPrismaOrder),
    conditions,
    orderedBy: order.map(({ field }) => field).filter((field) => !idFields.includes(field)),
    description: {
      name,
      fingerprint: lookupFingerprintOf(definition, idFieldsIn(cache, rows)),
      key,
      watched: [...new Set(watched)],
      ...(through !== undefined && { through }),
    },
  })
}

/**
 * Checks that a source can find rows by the keys of lookups.
 *
 * @throws ConfigurationError
 */
export function verifyLookupSource(
  { lookups, name }: { readonly name: string; readonly lookups: readonly BoundLookup[] },
  source: { readonly find?: unknown },
): void {
  const [lookup] = lookups
  if (!lookup || source.find) return
  throw invalidLookupError(
    name,
    lookup.name,
    'needs a source with `find`, and its source loads rows by id only. Implement `find`, or remove the lookup.',
  )
}

/** Without the schema, the fields of a unique key are unique as the definition says. */
function assertUnique(context: LookupContext): void {
  const { lookup, schema } = context
  if (!schema) return
  const { name, nullableKeys, uniqueKeys } = schema.model
  const keys = [...uniqueKeys.values(), ...nullableKeys.values()]
  const { by } = lookup
  if (keys.some((key) => key.length === by.length && key.every((field) => by.includes(field)))) return
  const known = keys.map((key) => key.join(' + ')).join(', ')
  throw refusedLookup(
    context,
    `is by ${by.join(' + ')}, which is not unique in ${name}; unique are ${known || 'none'}. Choose one of them, or define a list.`,
  )
}

function assertFolds(
  context: LookupContext,
  key: readonly KeyField[],
  conditions: readonly BoundCondition[],
): void {
  const { lookup, schema } = context
  if (lookup.comparesText !== 'without case' || !schema) return
  const compared = conditions.flatMap((condition) => (condition.is === 'one of' ? [condition.field] : []))
  if ([...key, ...compared].some(({ folds }) => folds)) return
  throw refusedLookup(
    context,
    `has \`fold\`, but ${schema.facts.provider} compares none of its fields without case. Remove \`fold\`, or give the column the ` +
      'type `@db.Citext` where the database has it.',
  )
}

/** Everything that determines the entries of a lookup, besides its name. */
interface EntryDefinition {
  readonly kind: LookupDefinition['kind']
  readonly key: readonly KeyField[]
  readonly through: string | undefined
  readonly conditions: readonly BoundCondition[]
  readonly order: readonly OrderMember[]
  readonly limit: number | undefined
  /** The tables and columns of all fields. */
  readonly names: readonly unknown[]
}

function databaseNamesOf({ schema }: LookupContext, fields: readonly string[]): readonly unknown[] {
  if (!schema) return []
  const { facts, model } = schema
  return new DatabaseNames(facts.models, model.name).addQuery(model.name, fields).found
}

/** @returns 11 characters of base64url: 64 bits */
function lookupFingerprintOf(
  { kind, key, through, conditions, order, limit, names }: EntryDefinition,
  id: readonly { readonly name: string; readonly kind: string }[],
): string {
  const text = JSON.stringify([
    ENTRY_VERSION,
    kind,
    key.map(fieldFacts),
    through ?? null,
    conditions.map(conditionText).toSorted(),
    order.map(({ field, nulls, sort }) => [field, sort, nulls ?? null]),
    limit ?? null,
    id.map((field) => [field.name, field.kind]),
    names,
  ])
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64url')
}

function fieldFacts({ folds, kind, name }: KeyField): readonly unknown[] {
  return [name, kind, folds]
}

/** The order of conditions has no meaning, nor has that of constants in a list. */
function conditionText(condition: BoundCondition): string {
  if (condition.is !== 'one of') return JSON.stringify([condition.name, condition.is])
  const { field, values } = condition
  return JSON.stringify([
    ...fieldFacts(field),
    ...new Set(values.map((value) => keyTextOf(field, value)!).toSorted()),
  ])
}

/** A member of `orderBy`. */
interface OrderMember {
  readonly field: string
  readonly sort: 'asc' | 'desc'
  /** Undefined for what the database does by default. */
  readonly nulls: 'first' | 'last' | undefined
}

/**
 * Returns the order of the rows of a lookup, which ends with the id, so that it is the same for each read. A whole list without one
 * has that in which the database returns its rows, as a query without `orderBy` has.
 *
 * @throws ConfigurationError
 */
function orderOf(context: LookupContext): readonly OrderMember[] {
  const { idFields, lookup } = context
  const given = lookup.orderBy.map((order) => memberOf(context, order))
  const names = given.map(({ field }) => field)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (twice !== undefined) throw refusedLookup(context, `has "${twice}" in \`orderBy\` twice; remove one.`)
  if (lookup.kind === 'list' && given.length === 0 && lookup.limit === undefined) return []
  const added = idFields.filter((field) => !names.includes(field))
  return [...given, ...added.map((field): OrderMember => ({ field, sort: 'asc', nulls: undefined }))]
}

/** Returns a member as Prisma takes it. */
function toPrismaOrder({ field, nulls, sort }: OrderMember): Readonly<Record<string, unknown>> {
  return { [field]: nulls === undefined ? sort : { sort, nulls } }
}

function memberOf(context: LookupContext, order: Readonly<Record<string, unknown>>): OrderMember {
  const [name, ...others] = Object.keys(order)
  if (name === undefined || others.length > 0) {
    throw refusedLookup(
      context,
      `has ${name === undefined ? 'no field' : 'several fields'} in one object of \`orderBy\`; expected one each, as in Prisma: ` +
        "`[{ a: 'asc' }, { b: 'desc' }]`.",
    )
  }
  const { isNullable } = scalarFieldOf(context, 'orderBy', name)
  const value = order[name]
  if (isDirection(value)) return { field: name, sort: value, nulls: undefined }
  const { nulls, sort, ...unknown } = Object(value) as Record<string, unknown>
  const isKnown = isDirection(sort) && (nulls === undefined || nulls === 'first' || nulls === 'last')
  if (!isKnown || Object.keys(unknown).length > 0) {
    throw refusedLookup(
      context,
      `has a direction for "${name}" in \`orderBy\` that Prisma does not know; expected 'asc', 'desc' or { sort, nulls }.`,
    )
  }
  if (!isNullable)
    throw refusedLookup(
      context,
      `has { sort, nulls } for "${name}" in \`orderBy\`, which is never null; expected '${sort}'.`,
    )
  return { field: name, sort, nulls }
}

function isDirection(value: unknown): value is 'asc' | 'desc' {
  return value === 'asc' || value === 'desc'
}
