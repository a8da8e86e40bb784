import { isPlain } from './plain.js'
import type { ScalarColumn } from './columns/scalar-column.js'
import type { Model, Relation, SchemaFacts } from './schema-facts.js'

/** ROW SHAPE. What a row that a selection returns looks like, as the schema behind the source says. */
export type RowShape = readonly RowField[]

export type RowField = {
  readonly name: string
  readonly isList: boolean
  readonly isNullable: boolean
} & (
  | { readonly kind: ScalarKind }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** Rows of a relation, or the counts of relations; `args` are those of the selection without what it selects. */
  | { readonly kind: 'rows'; readonly fields: RowShape; readonly args: object }
)

export type ScalarKind = 'string' | 'number' | 'boolean' | 'date' | 'decimal' | 'bigint' | 'bytes' | 'json'

/** What a query, or a relation within one, asks for, as Prisma takes it. */
export interface Selection {
  readonly select?: object | undefined
  readonly include?: object | undefined
  readonly omit?: object | undefined
}

/** What the shapes of rows depend on. */
export type RowShapeFacts = Pick<SchemaFacts, 'models' | 'omittedOf'>

/**
 * Returns whether rows lack a field because of an `omit`, that of the Prisma client among them. A `select` ignores both. A flag that is
 * undefined has Prisma return the field, whatever the client omits.
 */
export function omissionsOf(
  { omittedOf }: Pick<RowShapeFacts, 'omittedOf'>,
  model: string,
  { omit, select }: Selection,
): (field: string) => boolean {
  if (select) return () => false
  const omitted: NonNullable<Given> = { ...omittedOf(model), ...omit }
  return (field) => omitted[field] === true
}

/** Why no shape can be derived. */
export class UnderivableRow extends Error {}

type Given = Readonly<Record<string, unknown>> | undefined

const kinds: Readonly<Record<string, ScalarKind>> = {
  String: 'string',
  Enum: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  DateTime: 'date',
  Decimal: 'decimal',
  BigInt: 'bigint',
  Bytes: 'bytes',
  Json: 'json',
}

/** What JavaScript has for values of a type of Prisma; undefined if the type is not known. */
export function scalarKindOf(type: string): ScalarKind | undefined {
  return kinds[type]
}

/**
 * Derives the shape of the rows that a selection returns: scalars in the order of the schema, then relations, then counts. Fields
 * marked `/// @cache(omit)` are left out.
 *
 * @throws UnderivableRow
 */
export function deriveRowShape(facts: RowShapeFacts, modelName: string, selection: Selection): RowShape {
  const model = facts.models.get(modelName)
  if (!model) throw new UnderivableRow(`the schema has no model ${modelName}`)
  if (model.problem !== undefined) throw new UnderivableRow(model.problem)
  const { include, omit } = selection
  const select = selection.select as Given
  const known = [...model.scalars.keys(), ...model.relations.keys(), '_count']
  for (const [option, given] of Object.entries({ select, include, omit })) {
    refuseOthers(option, given)
    const unknown = Object.keys(given ?? {}).find((field) => !known.includes(field))
    if (unknown !== undefined) {
      throw new UnderivableRow(
        `\`${option}\` has "${unknown}", which ${modelName} lacks; it has ${known.join(', ')}. Correct it, or run \`prisma generate\` if ` +
          'the Prisma schema has it',
      )
    }
  }
  const besides = select && (include ? 'include' : omit && 'omit')
  if (besides) {
    throw new UnderivableRow(
      `Prisma refuses \`select\` beside \`${besides}\` for rows of ${modelName}; say with \`select\` alone what they have`,
    )
  }
  const omitted: Given = { ...facts.omittedOf(modelName), ...omit }
  const scalars = [...model.scalars].filter(([name, scalar]) =>
    isWanted(name, scalar, { modelName, select, omitted }),
  )
  const related = (select ?? include ?? {}) as NonNullable<Given>
  const relations = [...model.relations.values()].filter(
    ({ field, isVisible }) => isVisible && isOn(related[field]),
  )
  const counted = isOn(related['_count']) ? [countField(model, related['_count'])] : []
  return [
    ...scalars.map(([name, scalar]) => scalarField(name, scalar)),
    ...relations.map((relation) => relationField(relation, facts, related[relation.field])),
    ...counted,
  ]
}

function isWanted(
  name: string,
  { isKeptOut }: ScalarColumn,
  { modelName, select, omitted }: { modelName: string; select: Given; omitted: NonNullable<Given> },
): boolean {
  const isAsked = isOn(select?.[name]) || omitted[name] === false
  if (isKeptOut && isAsked) {
    throw new UnderivableRow(
      `${modelName}.${name} is marked \`/// @cache(omit)\` in the Prisma schema, and the definition asks for it; remove one of the two`,
    )
  }
  if (isKeptOut) return false
  return select ? isOn(select[name]) : omitted[name] !== true
}

/** Refuses objects of classes: only Prisma knows what they select. */
function refuseOthers(option: string, given: unknown): void {
  if (given === undefined || given === null) return
  if (!isPlain(given)) throw new UnderivableRow(`\`${option}\` is not an object literal; write it as one`)
  for (const [field, value] of Object.entries(given)) {
    if (value !== undefined && typeof value !== 'boolean' && !isPlain(value))
      throw new UnderivableRow(
        `\`${option}.${field}\` is neither true nor false nor an object literal; write it as one of these`,
      )
  }
}

/** Prisma ignores keys that are undefined or false. */
function isOn(value: unknown): boolean {
  return value === true || isPlain(value)
}

function scalarField(name: string, { type, isList, isNullable, databaseValues }: ScalarColumn): RowField {
  const field = { name, isList, isNullable }
  if (databaseValues) return { ...field, kind: 'enum', values: [...databaseValues.keys()] }
  const kind = scalarKindOf(type)
  if (kind === undefined) throw new UnderivableRow(`field ${name} is of type ${type}, which is not known`)
  return { ...field, kind }
}

function relationField(
  { field, target, isList, isNullable }: Relation,
  facts: RowShapeFacts,
  given: unknown,
): RowField {
  const { select, include, omit, ...args } = (given === true ? {} : given) as Selection
  const fields = deriveRowShape(facts, target, { select, include, omit })
  return { name: field, kind: 'rows', isList, isNullable, fields, args }
}

function countField(model: Model, given: unknown): RowField {
  const { select } = (given === true ? {} : given) as { select?: Given }
  const lists = [...model.relations.values()].filter(({ isList, isVisible }) => isList && isVisible)
  const counted = lists.map(({ field }) => field).filter((field) => !select || isOn(select[field]))
  const fields = counted.map((name): RowField => ({ name, kind: 'number', isList: false, isNullable: false }))
  return { name: '_count', kind: 'rows', isList: false, isNullable: false, fields, args: { ...select } }
}

/** Returns the `select` that asks for exactly a shape. */
export function selectOf(shape: RowShape): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    shape.map((field) => [field.name, field.kind === 'rows' ? selectRows(field) : true]),
  )
}

function selectRows({ name, fields, args }: RowField & { kind: 'rows' }): object {
  const select = selectOf(fields)
  return name === '_count' ? { select: { ...select, ...args } } : { ...args, select }
}
