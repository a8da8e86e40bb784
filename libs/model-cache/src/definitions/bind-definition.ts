import type { AnyModelCacheDefinition, ModelCacheDefinition } from '../cache/policy/definition.js'
import type { IdOfRows } from '../cache/policy/id-fields.js'
import { compilePlan, isRestoredByJson } from '../codec/compile-plan.js'
import type { RowSchema } from '../codec/row-schema.js'
import type { WirePlan } from '../codec/wire-plan.js'
import {
  invalidIdFieldError,
  invalidSelectionError,
  underivedSchemaError,
  unknownModelError,
} from '../configuration-errors.js'
import {
  deriveRowShape,
  type RowShape,
  type Selection,
  selectOf,
  UnderivableRow,
} from '../source/row-shape.js'
import { relationArgsIn } from '../source/relation-args.js'
import type { Model, SchemaFacts } from '../source/schema-facts.js'
import type { BoundLookup } from '../cache/policy/lookup-options.js'
import { bindLookups } from './bind-lookups.js'
import { DatabaseNames } from './database-names.js'
import { canBeInId, dayFieldsOf, defaultKeyOf, idKeysOf, typeNameOf } from './id-keys.js'
import { inSchemaOrder, planOfShape } from './row-plan.js'

/** A bound definition of any row, for collections of them. */
// eslint-disable-next-line typescript/no-explicit-any -- rows and ids differ from one to the next
export type AnyBoundDefinition = BoundDefinition<any, any>

/** A definition whose rows and id are known. */
export interface BoundDefinition<Row, Id> extends ModelCacheDefinition<Row, Id>, IdOfRows {
  readonly lookups: readonly BoundLookup[]
  /** What a query of its rows asks for, besides a condition. */
  readonly selection: { readonly select?: object; readonly include?: object }
  /** Checks it again, after the database has said more of its columns. @throws ConfigurationError */
  verifyColumns(): void
}

/**
 * Finds out what the rows of a definition look like and which fields identify them: from its `schema`, or else from the Prisma schema.
 * Returns a definition that is bound already as it is.
 *
 * @param facts what the Prisma schema says. A definition without `schema` needs it.
 * @throws ConfigurationError
 */
export function bindDefinition<Row, Id>(
  definition: ModelCacheDefinition<Row, Id>,
  facts?: SchemaFacts,
): BoundDefinition<Row, Id> {
  if (isBound(definition)) return definition
  const { schema } = definition
  const rows = schema ? describe(definition, schema, facts) : derive(definition, facts)
  return Object.freeze({
    ...definition,
    ...rows,
    version: versionWith(definition, rows, facts),
    lookups: bindLookups(definition, rows, facts),
    verifyColumns() {
      idOf(definition, facts)
      bindLookups(definition, rows, facts)
    },
  })
}

/** What is found out about the rows of a definition. */
type Rows = Pick<AnyBoundDefinition, 'plan' | 'idFields' | 'dayFields' | 'selection'>

function isBound<Row, Id>(definition: ModelCacheDefinition<Row, Id>): definition is BoundDefinition<Row, Id> {
  return 'plan' in definition
}

/** Describes the rows by the schema that the definition has by hand. */
function describe(
  definition: AnyModelCacheDefinition,
  schema: RowSchema,
  facts: SchemaFacts | undefined,
): Rows {
  const { model, name } = definition
  const plan = compilePlan(schema, name)
  return {
    plan: facts ? inSchemaOrder(plan, facts.models, model) : plan,
    ...idOf(definition, facts),
    selection: selectionOf(definition, plan),
  }
}

/** Describes the rows by the Prisma schema. */
function derive(definition: AnyModelCacheDefinition, facts: SchemaFacts | undefined): Rows {
  const { name, model } = definition
  if (!facts || facts.models.size === 0)
    throw underivedSchemaError(name, 'there is no Prisma client to derive it from')
  const described = facts.models.get(model)
  if (!described?.isVisible) {
    const known = [...facts.models.values()].filter(({ isVisible }) => isVisible)
    throw unknownModelError(
      name,
      model,
      known.map((other) => other.name),
    )
  }
  const shape = shapeOf(definition, facts)
  const id = idOf(definition, facts)
  verifyIdIn(shape, definition, id.idFields)
  return {
    plan: planOfShape(shape, facts.Decimal, refinedPlans(definition, shape)),
    ...id,
    selection: { select: selectOf(shape) },
  }
}

/** @throws ConfigurationError if rows lack a field of their id */
function verifyIdIn(
  shape: RowShape,
  { name, omit, select }: AnyModelCacheDefinition,
  idFields: readonly string[],
): void {
  const lacking = idFields.find((field) => !shape.some((known) => known.name === field))
  if (lacking === undefined) return
  const isOmitted = Boolean((omit as Record<string, unknown> | undefined)?.[lacking])
  const remedy = select
    ? '`select` leaves it out; add it.'
    : isOmitted
      ? '`omit` leaves it out; remove it from `omit`, or choose another unique key as `id`.'
      : `the \`omit\` of the Prisma client leaves it out; set \`omit: { ${lacking}: false }\`, or choose another unique key as \`id\`.`
  throw invalidSelectionError(
    name,
    `its rows lack "${lacking}", by which they are stored and found: ${remedy}`,
  )
}

/**
 * Returns the shape of the rows that a definition without `schema` has.
 *
 * @throws ConfigurationError
 */
export function shapeOf(
  { name, model, select, include, omit }: Pick<AnyModelCacheDefinition, 'name' | 'model'> & Selection,
  facts: SchemaFacts,
): RowShape {
  const problem = facts.models.get(model)?.problem
  if (problem !== undefined) throw underivedSchemaError(name, problem)
  try {
    return deriveRowShape(facts, model, { select, include, omit })
  } catch (error) {
    if (!(error instanceof UnderivableRow)) throw error
    throw invalidSelectionError(name, `${error.message}.`, error)
  }
}

/**
 * The version, with the fields of the id, with the arguments of relations, and with the tables and columns of all fields. Rows that another
 * deployment loaded with another filter or order, or from other columns, are other rows, though they look the same; and under the keys of
 * another id there is, or is not, another row.
 */
function versionWith(
  { version, load, model }: AnyModelCacheDefinition,
  { idFields, plan, selection }: Rows,
  facts: SchemaFacts | undefined,
): string {
  const args = relationArgsIn(selection)
  const names = facts
    ? new DatabaseNames(facts.models, model).addRows(model, plan).addQuery(model, load ? [] : selection).found
    : []
  return JSON.stringify([version ?? null, idFields, args, names])
}

/** Selects exactly the fields of the plan by default, so that a row from Prisma equals the same row from the store. */
function selectionOf(
  { select, include }: AnyModelCacheDefinition,
  plan: WirePlan,
): BoundDefinition<never, never>['selection'] {
  if (select) return { select, ...(include && { include }) }
  if (include) return { include }
  const fields = fieldsOf(plan)
  return fields ? { select: Object.fromEntries(fields.map((field) => [field, true])) } : {}
}

function fieldsOf(plan: WirePlan): readonly string[] | undefined {
  if (plan.kind === 'union') return plan.branches.flatMap((branch) => fieldsOf(branch.plan) ?? [])
  return plan.kind === 'object' ? plan.fields.map((field) => field.name) : undefined
}

function refinedPlans(
  { name, model, refine = {} }: AnyModelCacheDefinition,
  shape: RowShape,
): ReadonlyMap<string, WirePlan> {
  const unknown = Object.keys(refine).find((field) => !shape.some((known) => known.name === field))
  if (unknown !== undefined) {
    throw invalidSelectionError(
      name,
      `\`refine\` has "${unknown}", which its rows of ${model} lack; remove it.`,
    )
  }
  const plans = new Map(
    Object.entries(refine).map(([field, type]) => [field, compilePlan(type, `${name}.${field}`)]),
  )
  const odd = shape.find(({ kind, name: field }) => {
    const plan = kind === 'json' ? plans.get(field) : undefined
    return plan && !isRestoredByJson(plan)
  })
  if (odd) {
    throw invalidSelectionError(
      name,
      `\`refine\` gives "${odd.name}" dates, decimals, bigints or bytes, and Prisma returns JSON there: declare them as texts or numbers.`,
    )
  }
  return plans
}

function idOf(
  definition: AnyModelCacheDefinition,
  facts: SchemaFacts | undefined,
): Pick<Rows, 'idFields' | 'dayFields'> {
  const model = facts?.models.get(definition.model)
  const idFields = idFieldsOf(definition, model, facts?.provider ?? '')
  return { idFields, dayFields: model ? dayFieldsOf(model, idFields) : [] }
}

function idFieldsOf(
  { name, id }: AnyModelCacheDefinition,
  model: Model | undefined,
  provider: string,
): readonly string[] {
  if (typeof id === 'object') {
    const problem = model && problemOf(model, provider, id)
    if (problem !== undefined) throw invalidIdFieldError(name, id, `cannot be an id, because ${problem}.`)
    return id
  }
  const keys = model ? idKeysOf(model) : new Map<string, readonly string[]>()
  const named = id ?? (model && defaultKeyOf(model))
  const fields = named === undefined ? undefined : keys.get(named)
  if (fields) return fields
  const known = [...keys.keys()].map((key) => `'${key}'`).join(', ')
  const others = model ? otherKeysOf(model, keys, provider) : ''
  throw invalidIdFieldError(
    name,
    named === undefined ? [] : [named],
    id !== undefined
      ? `is not a unique key of ${model?.name} that can be an id; those are ${known || 'none'}.${others}`
      : keys.size > 0
        ? `is missing, and ${model?.name} has several unique keys: choose one with \`id\`: ${known}.${others}`
        : `is missing, and no unique key of ${model?.name} can be one.${others || ' It has none.'}`,
  )
}

/** The unique keys that cannot be ids, each with the reason, as sentences. */
function otherKeysOf(model: Model, keys: ReadonlyMap<string, unknown>, provider: string): string {
  const ofAll = [...model.uniqueKeys].filter(([key]) => !keys.has(key))
  const whyNot = (fields: readonly string[]): string =>
    problemOf(model, provider, fields) ??
    `Prisma Client lacks ${fields.find((field) => !model.scalars.has(field))}`
  return [
    ...ofAll.map(([key, fields]) => ` '${key}' cannot, because ${whyNot(fields)}.`),
    ...[...model.nullableKeys.keys()].map((key) => ` '${key}' cannot, because rows may lack it.`),
  ].join('')
}

/** Why a field cannot be in an id; undefined if all can. */
function problemOf({ scalars }: Model, provider: string, fields: readonly string[]): string | undefined {
  const field = fields.find((name) => scalars.has(name) && !canBeInId(scalars.get(name)))
  if (field === undefined) return undefined
  const scalar = scalars.get(field)!
  const several = `${provider} may hold several such values that are one Date`
  const why = scalar.type === 'DateTime' ? `, and ${scalar.objection ?? several}` : ''
  return `${field} is ${typeNameOf(scalar)}${why}`
}
