import { Decimal } from '@prisma/client/runtime/client'
import { type Column, columnOf, type ColumnPlace } from '../../columns/column.js'
import { DatabaseFacts } from '../../columns/database-facts.js'
import type { Child, Model, Models, Relation, SchemaFacts, Table } from '../../schema-facts.js'
import {
  defaultSchemaOf,
  omittedFieldsOf,
  originalOf,
  providerOf,
  type RuntimeField,
  runtimeModelsOf,
  schemaOf,
} from '../internals.js'
import {
  parseSchema,
  type Schema,
  type SchemaField,
  type SchemaKey,
  type SchemaModel,
} from './parse-schema.js'

/**
 * Describes the schema of a Prisma client, from its inline schema and its runtime data model, once for all clients of one
 * PrismaClient. Models in which the two do not fit together get a `problem`.
 */
export function describeSchema(client: object): SchemaFacts {
  const original = originalOf(client) ?? client
  let facts = described.get(original)
  if (!facts) {
    const columns = { ...ofColumns(), provider: providerOf(client) }
    facts = {
      ...columns,
      models: new Describer(
        parseSchema(schemaOf(client)),
        runtimeModelsOf(client),
        columns,
        defaultSchemaOf(client),
      ).describe(),
      omittedOf: (model) => omittedFieldsOf(client, model),
    }
    described.set(original, facts)
  }
  return facts
}

const described = new WeakMap<object, SchemaFacts>()

/** Describes the text of a schema, for which no client is at hand. */
export function describeSchemaText(text: string): SchemaFacts {
  const schema = parseSchema(text)
  const columns = { ...ofColumns(), provider: schema.datasource.get('provider') ?? '' }
  return {
    ...columns,
    models: new Describer(schema, generatedModelsOf(schema), columns, 'public').describe(),
    omittedOf: () => undefined,
  }
}

const ofColumns = (): OfColumns => ({ provider: '', database: new DatabaseFacts(), Decimal })

/** The models that `prisma generate` would give to a client. */
function generatedModelsOf(schema: Schema): RuntimeModels {
  const visible = [...schema.models.values()].filter(({ isIgnored }) => !isIgnored)
  const kindOf = ({ type }: SchemaField): RuntimeField['kind'] =>
    schema.models.has(type) ? 'object' : schema.enums.has(type) ? 'enum' : 'scalar'
  const fieldsOf = ({ fields }: SchemaModel): RuntimeField[] =>
    [...fields.values()]
      .filter((field) => !field.isIgnored && field.type !== 'Unsupported')
      .map((field) => ({ name: field.name, type: field.type, kind: kindOf(field), relationName: field.type }))
  return Object.fromEntries(visible.map((model) => [model.name, { fields: fieldsOf(model) }]))
}

type RuntimeModels = ReturnType<typeof runtimeModelsOf>

const noFacts: SchemaFacts = { ...ofColumns(), models: new Map(), omittedOf: () => undefined }

/**
 * Returns what a Prisma client says about its schema. The client needs no connection. Without models if it is not Prisma's, or if its
 * schema cannot be read.
 */
export function schemaFactsOf(client: object): SchemaFacts {
  try {
    return describeSchema(client)
  } catch {
    return noFacts
  }
}

/** What columns of all models share. */
type OfColumns = Omit<ColumnPlace, 'name' | 'table'>

class Describer {
  readonly #schema: Schema
  readonly #runtime: RuntimeModels
  readonly #defaultSchema: string
  readonly #columns: OfColumns
  /** The first problem of each model. */
  readonly #problems = new Map<string, string>()
  /** Models with an unknown relation, and the reason. */
  readonly #incomplete = new Map<string, string>()

  /** @param defaultSchema that of the database which has the models that name none */
  constructor(schema: Schema, runtime: RuntimeModels, columns: OfColumns, defaultSchema: string) {
    this.#schema = schema
    this.#runtime = runtime
    this.#columns = columns
    this.#defaultSchema = defaultSchema
  }

  describe(): Models {
    const { models } = this.#schema
    for (const { name, problem } of models.values()) {
      if (problem !== undefined) this.#addProblem(name, `model ${name} cannot be read: ${problem}`)
    }
    for (const name of Object.keys(this.#runtime)) this.#compareWithRuntime(name)
    const relations = [...models.values()].flatMap((model) => this.#relationsOf(model))
    const children = relations.filter(({ relation }) => relation.keyHolder === 'this')
    this.#addParentProblems(children)
    const names = new Set([...models.keys(), ...Object.keys(this.#runtime)])
    return new Map(
      [...names].map((name) => {
        const own = relations.filter(({ model }) => model === name)
        const model: Model = {
          name,
          isView: models.get(name)?.isView ?? false,
          isVisible: name in this.#runtime,
          table: this.#tableOf(name),
          primaryKey: models.get(name)?.primaryKey ?? [],
          uniqueKeys: keysOf(models.get(name), 'of all rows'),
          nullableKeys: keysOf(models.get(name), 'nullable'),
          indexes: (models.get(name)?.indexes ?? []).flatMap(({ fields, isPartial }) =>
            isPartial ? [] : [fields],
          ),
          scalars: this.#scalarsOf(name),
          hiddenFields: this.#hiddenFieldsOf(name),
          relations: new Map(own.map(({ relation }) => [relation.field, relation])),
          relationTargets: this.#relationTargetsOf(name),
          children: children.filter(({ relation }) => relation.target === name),
          problem: this.#problems.get(name),
        }
        return [name, model]
      }),
    )
  }

  /** Looks for what the client has and the schema lacks. */
  #compareWithRuntime(name: string): void {
    const model = this.#schema.models.get(name)
    if (!model) this.#addProblem(name, `model ${name} is not in the schema`)
    for (const field of this.#runtime[name]!.fields) {
      const { type } = model?.fields.get(field.name) ?? {}
      if (type === field.type) continue
      const problem =
        type === undefined
          ? `field ${name}.${field.name} is not in the schema`
          : `field ${name}.${field.name} is of type ${type} in the schema, of ${field.type} in the client`
      this.#addProblem(name, problem)
      if (isRelation(field)) this.#addRelationProblem(name, field.type, problem)
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
      this.#addRelationProblem(model.name, target.name, problem)
      return []
    })
  }

  #relation(model: SchemaModel, field: SchemaField, back: SchemaField, isHere: boolean): Relation {
    const { name, primaryKey } = model
    const { relation } = field
    const isManyToMany = field.isList && back.isList
    const { fields = [], references = [] } = (isHere ? relation : back.relation) ?? {}
    // Prisma sends a statement for what these actions do, where it has no foreign keys.
    const isSent = this.#schema.datasource.get('relationMode') === 'prisma'
    return {
      field: field.name,
      target: field.type,
      targetField: back.name,
      keyHolder: isManyToMany ? 'join-table' : isHere ? 'this' : 'target',
      isList: field.isList,
      // In a one-to-one relation, the side without the foreign key is always optional.
      isNullable: !field.isList && (field.isOptional || !isHere),
      joinTable: isManyToMany ? this.#joinTableOf(name, field) : undefined,
      fields: relation?.fields ?? [],
      references: relation?.references ?? [],
      ownKey: isManyToMany ? primaryKey : isHere ? fields : references,
      targetKey: isManyToMany ? primaryKey : isHere ? references : fields,
      // Prisma's defaults.
      onDelete: isSent ? 'NoAction' : (relation?.onDelete ?? (field.isOptional ? 'SetNull' : 'Restrict')),
      onUpdate: isSent ? 'NoAction' : (relation?.onUpdate ?? 'Cascade'),
      isVisible: this.#hasField(name, field) && this.#hasField(field.type, back),
    }
  }

  #hasField(model: string, { name }: SchemaField): boolean {
    return this.#runtime[model]?.fields.some((known) => known.name === name) ?? false
  }

  /** The client does not have all models, and the schema may not say all of those that it has. */
  #tableOf(name: string): Table {
    const client = this.#runtime[name]
    const model = this.#schema.models.get(name)
    return {
      schema: client?.schema ?? model?.databaseSchema ?? this.#defaultSchema,
      name: client?.dbName ?? model?.table ?? name,
    }
  }

  /** Prisma names the table of an implicit relation by the relation, and its columns A and B by the order of the models. */
  #joinTableOf(name: string, field: SchemaField): Table & { readonly columns: readonly string[] } {
    const models = [name, field.type].toSorted()
    const [first] = models
    // In a relation of a model with itself, either column may have the other side.
    const columns = name === field.type ? ['A', 'B'] : [field.type === first ? 'A' : 'B']
    return {
      schema: this.#tableOf(first!).schema,
      name: `_${field.relation?.name ?? models.join('To')}`,
      columns,
    }
  }

  #relationTargetsOf(name: string): ReadonlyMap<string, string> {
    const relations = this.#runtime[name]?.fields.filter(isRelation) ?? []
    return new Map(relations.map((field) => [field.name, field.type]))
  }

  #scalarsOf(name: string): ReadonlyMap<string, Column> {
    const table = this.#tableOf(name)
    const fields = this.#runtime[name]?.fields.filter(isScalar) ?? []
    return new Map(
      fields.map(({ name: field, kind, type, dbName }) => {
        const { column, nativeType, isList, isOptional, isUpdatedAt, documentation } =
          this.#schema.models.get(name)?.fields.get(field) ?? {}
        const scalar = {
          column: dbName ?? column ?? field,
          type: kind === 'enum' ? 'Enum' : type,
          isList: isList ?? false,
          isNullable: isOptional ?? false,
          isUpdatedAt: isUpdatedAt ?? false,
          isKeptOut: keepOut.test(documentation ?? ''),
          nativeType: nativeType?.name,
          nativeArguments: nativeType?.args ?? [],
          databaseValues: this.#schema.enums.get(type),
        }
        return [field, columnOf(scalar, { ...this.#columns, name: field, table })]
      }),
    )
  }

  #hiddenFieldsOf(name: string): ReadonlyMap<string, string> {
    const fields = [...(this.#schema.models.get(name)?.fields.values() ?? [])]
    const hidden = fields.filter(
      (field) => !this.#schema.models.has(field.type) && !this.#hasField(name, field),
    )
    return new Map(hidden.map(({ column, name: field }) => [column ?? field, field]))
  }

  /**
   * If a relation is unknown, so are the rows to which the database may pass a change on. That affects the models on both
   * sides and every model whose own changes may reach these.
   */
  #addParentProblems(children: readonly Child[]): void {
    // Iterating a map also visits entries that are added meanwhile.
    for (const [name, problem] of this.#incomplete) {
      for (const { model, relation } of children) {
        if (model === name) this.#addRelationProblem(relation.target, relation.target, problem)
      }
    }
  }

  #addRelationProblem(model: string, other: string, problem: string): void {
    for (const name of [model, other]) {
      this.#addProblem(name, problem)
      if (!this.#incomplete.has(name)) this.#incomplete.set(name, problem)
    }
  }

  #addProblem(model: string, problem: string): void {
    if (!this.#problems.has(model)) this.#problems.set(model, problem)
  }
}

/** The mark of a field that must not be cached, `@cache(omit)`. A misspelt one counts as well, since it may protect a secret. */
const keepOut = /@cache\b/i

/** As Prisma names them: by the schema's name, or by their fields. Keys of a part of the rows are left out. */
function keysOf(
  model: SchemaModel | undefined,
  kind: 'of all rows' | 'nullable',
): ReadonlyMap<string, readonly string[]> {
  if (!model) return new Map()
  const { primaryKey, primaryKeyName, uniqueKeys, fields } = model
  const primary = { name: primaryKeyName, fields: primaryKey, isPartial: false }
  const isNullable = (key: SchemaKey): boolean => key.fields.some((field) => fields.get(field)?.isOptional)
  const keys = [...(primaryKey.length > 0 ? [primary] : []), ...uniqueKeys].filter(
    (key) => !key.isPartial && isNullable(key) === (kind === 'nullable'),
  )
  return new Map(keys.map((key) => [key.name ?? key.fields.join('_'), key.fields]))
}

function isRelation(field: RuntimeField): boolean {
  return field.kind === 'object' && typeof field.relationName === 'string'
}

function isScalar(field: RuntimeField): boolean {
  return field.kind === 'scalar' || field.kind === 'enum'
}
