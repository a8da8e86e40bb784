import { type RuntimeField, runtimeModelsOf, schemaOf } from './prisma-internals.js'
import { parseSchema, type SchemaField, type SchemaModel } from './parse-schema.js'

/** What the database does to rows whose parent is deleted, or gets another key. */
export type ReferentialAction = 'Cascade' | 'Restrict' | 'NoAction' | 'SetNull' | 'SetDefault'

/** A relation, seen from one of its sides. */
export interface Relation {
  readonly field: string
  /** The model at the other side. */
  readonly target: string
  /** Its field for the same relation. */
  readonly targetField: string
  /** Which side's rows change when rows are connected; of implicit many-to-many relations neither. */
  readonly keyHolder: 'this' | 'target' | 'join-table'
  readonly isOneToOne: boolean
  /** The foreign key, when it is this side's, and the fields that it points to. */
  readonly fields: readonly string[]
  readonly references: readonly string[]
  readonly onDelete: ReferentialAction
  readonly onUpdate: ReferentialAction
}

export interface Model {
  readonly name: string
  readonly primaryKey: readonly string[]
  readonly scalars: ReadonlyMap<string, Scalar>
  readonly relations: ReadonlyMap<string, Relation>
  /** The relations of other models, or of this one, whose foreign keys point here. */
  readonly children: readonly Child[]
}

export interface Scalar {
  /** `'String'`, `'DateTime'`, `'Enum'` and so on. */
  readonly type: string
  readonly nativeType: string | undefined
}

export interface Child {
  readonly model: string
  readonly relation: Relation
}

export type DataModel = ReadonlyMap<string, Model>

/**
 * Describes the models of a Prisma client, from its runtime data model and its schema.
 *
 * @throws Error when the two do not fit together, naming the field.
 */
export function describeModels(client: object): DataModel {
  const runtime = Object.entries(runtimeModelsOf(client))
  const fieldsOf = new Map(runtime.map(([name, { fields }]) => [name, fields]))
  const schema = parseSchema(schemaOf(client))
  const relations = runtime.flatMap(([model, { fields }]) =>
    fields.filter(isRelation).map((field) => {
      const others = fieldsOf.get(field.type)!.filter((other) => other.relationName === field.relationName)
      const back = others.find((other) => field.type !== model || other.name !== field.name)
      return { model, relation: relationOf(schema, model, field, back) }
    }),
  )
  return new Map(
    runtime.map(([name, { fields }]) => {
      const own = relations.filter(({ model }) => model === name)
      const model: Model = {
        name,
        primaryKey: modelOf(schema, name).primaryKey,
        scalars: new Map(fields.filter(isScalar).map((field) => [field.name, scalarOf(schema, name, field)])),
        relations: new Map(own.map(({ relation }) => [relation.field, relation])),
        children: relations.filter(
          ({ relation: { target, keyHolder } }) => target === name && keyHolder === 'this',
        ),
      }
      return [name, model]
    }),
  )
}

function relationOf(
  schema: ReadonlyMap<string, SchemaModel>,
  model: string,
  field: RuntimeField,
  back: RuntimeField | undefined,
): Relation {
  if (!back) throw new Error(`relation ${model}.${field.name} has no other side`)
  const here = fieldOf(schema, model, field.name)
  const there = fieldOf(schema, field.type, back.name)
  const isManyToMany = here.isList && there.isList
  if (!isManyToMany && (here.relation === undefined) === (there.relation === undefined)) {
    throw new Error(`relation ${model}.${field.name} has not one foreign key`)
  }
  return {
    field: field.name,
    target: field.type,
    targetField: back.name,
    keyHolder: isManyToMany ? 'join-table' : here.relation ? 'this' : 'target',
    isOneToOne: !here.isList && !there.isList,
    fields: here.relation?.fields ?? [],
    references: here.relation?.references ?? [],
    // What Prisma takes when the schema does not say it.
    onDelete: (here.relation?.onDelete ?? (here.isOptional ? 'SetNull' : 'Restrict')) as ReferentialAction,
    onUpdate: (here.relation?.onUpdate ?? 'Cascade') as ReferentialAction,
  }
}

function scalarOf(schema: ReadonlyMap<string, SchemaModel>, model: string, field: RuntimeField): Scalar {
  const { nativeType } = fieldOf(schema, model, field.name)
  return { type: field.kind === 'enum' ? 'Enum' : field.type, nativeType }
}

function isRelation(field: RuntimeField): boolean {
  return field.kind === 'object' && typeof field.relationName === 'string'
}

function isScalar(field: RuntimeField): boolean {
  return field.kind === 'scalar' || field.kind === 'enum'
}

function modelOf(schema: ReadonlyMap<string, SchemaModel>, model: string): SchemaModel {
  const found = schema.get(model)
  if (!found) throw new Error(`model ${model} is not in the schema`)
  return found
}

function fieldOf(schema: ReadonlyMap<string, SchemaModel>, model: string, field: string): SchemaField {
  const found = modelOf(schema, model).fields.get(field)
  if (!found) throw new Error(`field ${model}.${field} is not in the schema`)
  return found
}
