import { parseSchema, type Schema, type SchemaField, type SchemaModel } from './parse-schema.js'
import { type RuntimeField, runtimeModelsOf, schemaOf } from './prisma-internals.js'

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
  /** Whether the client knows the field. `@ignore`, of the field or of its model, hides it; the database has it. */
  readonly isVisible: boolean
}

export interface Model {
  readonly name: string
  readonly primaryKey: readonly string[]
  /** Those that the client knows. */
  readonly scalars: ReadonlyMap<string, Scalar>
  readonly relations: ReadonlyMap<string, Relation>
  /** The relations of other models, or of this one, whose foreign keys point here. */
  readonly children: readonly Child[]
  /** Why it is unknown which rows its writes affect, if that is so. */
  readonly problem: string | undefined
}

export interface Scalar {
  /** `'String'`, `'DateTime'`, `'Enum'` and so on. */
  readonly type: string
  /** `'Timestamptz'` for `@db.Timestamptz(6)`, and its arguments, `['6']`. */
  readonly nativeType: string | undefined
  readonly nativeArguments: readonly string[]
  /** Of an enum, what the database calls each value, by the name that the client uses. */
  readonly databaseValues: ReadonlyMap<string, string> | undefined
}

export interface Child {
  readonly model: string
  readonly relation: Relation
}

/** All models of the schema, also those that the client does not know. */
export type DataModel = ReadonlyMap<string, Model>

/**
 * Describes the models of a Prisma client, from its schema and its runtime data model. Where the two do not fit together, the
 * models concerned have a `problem`.
 */
export function describeModels(client: object): DataModel {
  return new Describer(client).describe()
}

class Describer {
  readonly #schema: Schema
  readonly #runtime: ReturnType<typeof runtimeModelsOf>
  /** The first problem of each model. */
  readonly #problems = new Map<string, string>()
  /** Models with a relation that is unknown. */
  readonly #incomplete = new Map<string, string>()

  constructor(client: object) {
    this.#schema = parseSchema(schemaOf(client))
    this.#runtime = runtimeModelsOf(client)
  }

  describe(): DataModel {
    const { models } = this.#schema
    for (const { name, problem } of models.values()) {
      if (problem !== undefined) this.#blame(name, `model ${name} cannot be read: ${problem}`)
    }
    for (const name of Object.keys(this.#runtime)) this.#compareWithRuntime(name)
    const relations = [...models.values()].flatMap((model) => this.#relationsOf(model))
    const children = relations.filter(({ relation }) => relation.keyHolder === 'this')
    this.#blameParents(children)
    const names = new Set([...models.keys(), ...Object.keys(this.#runtime)])
    return new Map(
      [...names].map((name) => {
        const own = relations.filter(({ model }) => model === name)
        const model: Model = {
          name,
          primaryKey: models.get(name)?.primaryKey ?? [],
          scalars: this.#scalarsOf(name),
          relations: new Map(own.map(({ relation }) => [relation.field, relation])),
          children: children.filter(({ relation }) => relation.target === name),
          problem: this.#problems.get(name),
        }
        return [name, model]
      }),
    )
  }

  /** Looks for what the client knows and the schema does not say. */
  #compareWithRuntime(name: string): void {
    const model = this.#schema.models.get(name)
    if (!model) this.#blame(name, `model ${name} is not in the schema`)
    for (const field of this.#runtime[name]!.fields) {
      const { type } = model?.fields.get(field.name) ?? {}
      if (type === field.type) continue
      const problem =
        type === undefined
          ? `field ${name}.${field.name} is not in the schema`
          : `field ${name}.${field.name} is of type ${type} in the schema, of ${field.type} in the client`
      this.#blame(name, problem)
      if (isRelation(field)) this.#blameRelation(name, field.type, problem)
    }
  }

  #relationsOf(model: SchemaModel): Child[] {
    return [...model.fields.values()].flatMap((field) => {
      const target = this.#schema.models.get(field.type)
      if (!target) return []
      const back = [...target.fields.values()].find(
        (other) =>
          other.type === model.name && other !== field && other.relation?.name === field.relation?.name,
      )
      const isManyToMany = field.isList && back?.isList
      const isHere = (field.relation?.fields.length ?? 0) > 0
      const isThere = (back?.relation?.fields.length ?? 0) > 0
      if (back && (isManyToMany ? !isHere && !isThere : isHere !== isThere)) {
        const relation = this.#relation(model, field, back, isHere)
        return [{ model: model.name, relation }]
      }
      const problem = `relation ${model.name}.${field.name} has ${back ? 'not one foreign key' : 'no other side'}`
      this.#blameRelation(model.name, target.name, problem)
      return []
    })
  }

  #relation({ name }: SchemaModel, field: SchemaField, back: SchemaField, isHere: boolean): Relation {
    const { relation } = field
    return {
      field: field.name,
      target: field.type,
      targetField: back.name,
      keyHolder: field.isList && back.isList ? 'join-table' : isHere ? 'this' : 'target',
      isOneToOne: !field.isList && !back.isList,
      fields: relation?.fields ?? [],
      references: relation?.references ?? [],
      // What Prisma takes when the schema does not say it.
      onDelete: (relation?.onDelete ?? (field.isOptional ? 'SetNull' : 'Restrict')) as ReferentialAction,
      onUpdate: (relation?.onUpdate ?? 'Cascade') as ReferentialAction,
      isVisible: this.#runtime[name]?.fields.some((known) => known.name === field.name) ?? false,
    }
  }

  #scalarsOf(name: string): ReadonlyMap<string, Scalar> {
    const fields = this.#runtime[name]?.fields.filter(isScalar) ?? []
    return new Map(
      fields.map(({ name: field, kind, type }) => {
        const nativeType = this.#schema.models.get(name)?.fields.get(field)?.nativeType
        const scalar: Scalar = {
          type: kind === 'enum' ? 'Enum' : type,
          nativeType: nativeType?.name,
          nativeArguments: nativeType?.args ?? [],
          databaseValues: this.#schema.enums.get(type)?.values,
        }
        return [field, scalar]
      }),
    )
  }

  /**
   * Where a relation is unknown, so are the rows to which the database may pass a change on. That concerns the models on both
   * sides and all whose own changes the database may pass on to these.
   */
  #blameParents(children: readonly Child[]): void {
    // A map also visits what is added meanwhile.
    for (const [name, problem] of this.#incomplete) {
      for (const { model, relation } of children) {
        if (model === name) this.#blameRelation(relation.target, relation.target, problem)
      }
    }
  }

  #blameRelation(model: string, other: string, problem: string): void {
    for (const name of [model, other]) {
      this.#blame(name, problem)
      if (!this.#incomplete.has(name)) this.#incomplete.set(name, problem)
    }
  }

  #blame(model: string, problem: string): void {
    if (!this.#problems.has(model)) this.#problems.set(model, problem)
  }
}

function isRelation(field: RuntimeField): boolean {
  return field.kind === 'object' && typeof field.relationName === 'string'
}

function isScalar(field: RuntimeField): boolean {
  return field.kind === 'scalar' || field.kind === 'enum'
}
