import type { ReferentialAction } from '../../schema-facts.js'
import {
  type Argument,
  type Attribute,
  type SchemaBlock,
  type FieldSyntax,
  readBlocks,
  type Value,
} from './schema-syntax.js'

/** The data model of a Prisma schema. */
export interface Schema {
  /** Models and views, by name. */
  readonly models: ReadonlyMap<string, SchemaModel>
  /** The enums by name: the name of each value in the database, by its name in the client. */
  readonly enums: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** The settings of its data source that are texts, such as `provider`. */
  readonly datasource: ReadonlyMap<string, string | undefined>
}

export interface SchemaModel {
  readonly name: string
  readonly isView: boolean
  readonly fields: ReadonlyMap<string, SchemaField>
  /** The fields of `@id` or `@@id`; empty if there is none. */
  readonly primaryKey: readonly string[]
  /** The name by which `where` takes a compound primary key, if the schema gives one. */
  readonly primaryKeyName: string | undefined
  /** The keys of `@unique` and `@@unique`. */
  readonly uniqueKeys: readonly SchemaKey[]
  /** The keys of `@@index`. */
  readonly indexes: readonly SchemaKey[]
  /** The name of its table, if `@@map` gives one. */
  readonly table: string | undefined
  /** The schema of the database that has it, if `@@schema` gives one. */
  readonly databaseSchema: string | undefined
  /** Whether `@@ignore` keeps it out of the client. */
  readonly isIgnored: boolean
  /** Why a part of it could not be parsed. */
  readonly problem: string | undefined
}

export interface SchemaKey {
  /** The name by which `where` takes the fields together, if the schema gives one. */
  readonly name: string | undefined
  readonly fields: readonly string[]
  /** Whether the key is unique only among rows that match its `where`. */
  readonly isPartial: boolean
}

export interface SchemaField {
  readonly name: string
  /** `'String'`, or the name of an enum or a model, or `'Unsupported'`. */
  readonly type: string
  readonly isList: boolean
  readonly isOptional: boolean
  readonly isUpdatedAt: boolean
  /** Whether `@ignore` keeps it out of the client. */
  readonly isIgnored: boolean
  /** The name of its column, if `@map` gives one. */
  readonly column: string | undefined
  /** `{ name: 'Decimal', args: ['10', '2'] }` for `@db.Decimal(10, 2)`. */
  readonly nativeType: NativeType | undefined
  readonly relation: SchemaRelation | undefined
  readonly documentation: string | undefined
}

export interface NativeType {
  readonly name: string
  readonly args: readonly string[]
}

/** The arguments of `@relation`. Only the side with the foreign key has `fields`. */
export interface SchemaRelation {
  readonly name: string | undefined
  readonly fields: readonly string[]
  readonly references: readonly string[]
  readonly onDelete: ReferentialAction | undefined
  readonly onUpdate: ReferentialAction | undefined
}

/**
 * Parses a Prisma schema for what the generated client does not carry otherwise. Prisma has accepted the schema, so nothing is
 * refused: a part that cannot be parsed, perhaps syntax of a later Prisma, becomes the `problem` of its model.
 */
export function parseSchema(schema: string): Schema {
  const blocks = readBlocks(schema)
  const read = <T>(keywords: readonly string[], meaning: (block: SchemaBlock) => T): ReadonlyMap<string, T> =>
    new Map(
      blocks.filter(({ keyword }) => keywords.includes(keyword)).map((block) => [block.name, meaning(block)]),
    )
  return {
    models: read(['model', 'view'], modelOf),
    enums: read(['enum'], enumOf),
    datasource: new Map(
      blocks
        .filter(({ keyword }) => keyword === 'datasource')
        .flatMap(({ fields }) => fields.map(({ name, value }) => [name, textOf(value)])),
    ),
  }
}

function modelOf({ keyword, name, fields, attributes, problem }: SchemaBlock): SchemaModel {
  const [compoundId] = keysOf(attributes, 'id')
  return {
    name,
    isView: keyword === 'view',
    fields: new Map(fields.filter(({ type }) => type).map((field) => [field.name, fieldOf(field)])),
    primaryKey: compoundId?.fields ?? fields.filter((field) => has(field, 'id')).map(({ name }) => name),
    primaryKeyName: compoundId?.name,
    uniqueKeys: [
      ...fields.flatMap((field) =>
        keysOf(field.attributes, 'unique').map((key) => ({ ...key, fields: [field.name] })),
      ),
      ...keysOf(attributes, 'unique'),
    ],
    indexes: keysOf(attributes, 'index'),
    table: textOf(argumentOf(attributes, 'map', 'name')),
    databaseSchema: textOf(argumentOf(attributes, 'schema', 'name')),
    isIgnored: attributes.some(({ name }) => name === 'ignore'),
    problem,
  }
}

function fieldOf(field: FieldSyntax): SchemaField {
  const { name, attributes, documentation } = field
  const { name: type, isList, isOptional } = field.type!
  const nativeType = attributes.find(({ name }) => name.includes('.'))
  return {
    name,
    type,
    isList,
    isOptional,
    isUpdatedAt: has(field, 'updatedAt'),
    isIgnored: has(field, 'ignore'),
    column: textOf(argumentOf(attributes, 'map', 'name')),
    nativeType: nativeType && {
      name: nativeType.name.slice(nativeType.name.lastIndexOf('.') + 1),
      args: nativeType.args.map(({ value }) => textOf(value) ?? ''),
    },
    relation: has(field, 'relation') ? relationOf(attributes) : undefined,
    documentation,
  }
}

function relationOf(attributes: readonly Attribute[]): SchemaRelation {
  const argument = (name: string): Value | undefined =>
    namedArgument(
      attributes.find((each) => each.name === 'relation')!,
      name,
    )
  return {
    name: textOf(argumentOf(attributes, 'relation', 'name')),
    fields: namesIn(argument('fields')),
    references: namesIn(argument('references')),
    onDelete: textOf(argument('onDelete')) as ReferentialAction | undefined,
    onUpdate: textOf(argument('onUpdate')) as ReferentialAction | undefined,
  }
}

function enumOf({ fields }: SchemaBlock): ReadonlyMap<string, string> {
  return new Map(
    fields.map(({ name, attributes }) => [name, textOf(argumentOf(attributes, 'map', 'name')) ?? name]),
  )
}

/** `@unique(…)`, `@@unique([a, b(sort: Desc)], name: "n", where: { … })`. */
function keysOf(attributes: readonly Attribute[], attribute: string): readonly SchemaKey[] {
  return attributes
    .filter(({ name }) => name === attribute)
    .map((each) => ({
      name: textOf(namedArgument(each, 'name')),
      fields: namesIn(argumentOf([each], attribute, 'fields')),
      isPartial: namedArgument(each, 'where') !== undefined,
    }))
}

function has({ attributes }: FieldSyntax, attribute: string): boolean {
  return attributes.some(({ name }) => name === attribute)
}

/** An argument of an attribute that may also come first without its name. */
function argumentOf(attributes: readonly Attribute[], attribute: string, name: string): Value | undefined {
  const found = attributes.find((each) => each.name === attribute)
  return found && (namedArgument(found, name) ?? found.args.find((each) => each.name === undefined)?.value)
}

function namedArgument({ args }: { args: readonly Argument[] }, name: string): Value | undefined {
  return args.find((each) => each.name === name)?.value
}

function textOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** `[a, b(sort: Desc)]` to `['a', 'b']`. */
function namesIn(value: Value | undefined): readonly string[] {
  return value === undefined ? [] : [value].flat().flatMap((item) => textOf(item) ?? [])
}
