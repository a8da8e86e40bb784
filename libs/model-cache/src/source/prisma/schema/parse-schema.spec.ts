import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseSchema, type SchemaField, type SchemaModel } from './parse-schema.js'
import type { Value } from './schema-syntax.js'

describe('the parser of Prisma schemas', () => {
  const folder = join(import.meta.dirname, 'reference-schemas')

  it.each(readdirSync(folder))('parses %s as Prisma does', (file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const { models, types, enums } = parseSchema(text)
    const visible = [...models.values()].filter(({ isIgnored }) => !isIgnored)
    const values = [...enums.values()]
    expect({
      models: visible.map((model) => toDmmf(model, models)),
      types: [...types.values()].map((type) => toDmmf(type, models)),
      enums: values.map(({ name, values, documentation }) => ({ name, values: [...values], documentation })),
    }).toEqual(readByPrisma(text))
    expect([...models.values(), ...types.values()].filter(({ problem }) => problem)).toEqual([])
  })

  it('parses what the client lacks: ignored fields and models, unsupported types, partial keys', () => {
    const { models } = parseSchema(readFileSync(join(folder, 'postgresql.prisma'), 'utf8'))
    expect(models.get('Secret')).toMatchObject({ isIgnored: true, isView: false })
    expect(models.get('UserView')).toMatchObject({ isIgnored: false, isView: true })
    const { fields, uniqueKeys } = models.get('User')!
    expect(fields.get('hidden')).toMatchObject({ type: 'String', isIgnored: true })
    expect(fields.get('notes')).toMatchObject({ type: 'Note', isIgnored: true, isList: true })
    expect(fields.get('vector')).toMatchObject({ unsupportedType: 'tsvector', isOptional: true })
    expect(uniqueKeys.filter(({ isPartial }) => isPartial).map(({ fields }) => fields)).toEqual([
      ['bossId'],
      ['bossId', 'day'],
    ])
  })

  it.each([
    ['a comment of several lines', '/* model B {\n */'],
    ['a block of an unknown kind', 'policy B {\n  rows { a = [1, { b: "}" }]\n }\n}'],
    ['a declaration in one line', 'type Money = Decimal @db.Decimal(10, 2)'],
    ['a byte order mark', '\uFEFF'],
    ['a brace too many', '}'],
    ['nothing else', ''],
  ])('parses a model after %s', (_, before) => {
    const { models } = parseSchema(`${before}\nmodel A {\r\n  id Int @id\r\n}`)
    expect([...models.keys()]).toEqual(['A'])
    expect(models.get('A')).toMatchObject({ primaryKey: ['id'], problem: undefined })
  })

  it('parses arguments that span lines', () => {
    const { models } = parseSchema(`model A {
      b B? @relation(
        fields: [bId, /// why
          bNo],
        references: [id, no], // because
        onDelete: Cascade,
      )
      @@index([bId], where: {
        deleted: false
      })
      id Int @id
    }`)
    const { fields, problem, primaryKey } = models.get('A')!
    expect(fields.get('b')!.relation).toMatchObject({ fields: ['bId', 'bNo'], onDelete: 'Cascade' })
    expect({ problem, primaryKey }).toEqual({ problem: undefined, primaryKey: ['id'] })
  })

  it('skips a line that it cannot parse, and names it', () => {
    const { models } = parseSchema(`model A {
  id   Int @id
  name String @check(length > 3 { "}" })
  code String @unique
}
model B {
  id Int @id
}`)
    const { fields, problem, uniqueKeys } = models.get('A')!
    expect([...fields.keys()]).toEqual(['id', 'code'])
    expect(problem).toBe('line 3 has ">" where "," or ")" was expected')
    expect(uniqueKeys).toMatchObject([{ fields: ['code'] }])
    expect(models.get('B')).toMatchObject({ problem: undefined })
  })

  it.each([
    'model A {',
    'model A {\n  id Int @id(',
    'model A {\n  id Int @default("',
    'enum {',
    'model A {\n  @@unique([a',
  ])('ends at the premature end of a schema: %j', (text) => {
    expect([...parseSchema(text).models.keys()]).toEqual(text.startsWith('model') ? ['A'] : [])
  })
})

/** A model in Prisma's data model meta format, without what the parser does not return. */
function toDmmf(model: SchemaModel, models: ReadonlyMap<string, SchemaModel>): object {
  const { name, table, primaryKey, uniqueKeys, documentation, fields } = model
  const isSingle = primaryKey.length === 1 && fields.get(primaryKey[0]!)?.isId
  const isVisible = ({ isIgnored, type, unsupportedType }: SchemaField): boolean =>
    !isIgnored && unsupportedType === undefined && !models.get(type)?.isIgnored
  const isUnique = (field: SchemaField): boolean =>
    uniqueKeys.some(({ fields: [first, ...others] }) => first === field.name && others.length === 0)
  return {
    name,
    dbName: table,
    primaryKey: isSingle ? [] : primaryKey,
    uniqueFields: uniqueKeys
      .filter(({ fields, isPartial }) => fields.length > 1 && !isPartial)
      // Prisma omits the paths.
      .map(({ name, fields }) => ({ name, fields: fields.map((path) => path.split('.').at(-1)) })),
    documentation,
    fields: [...fields.values()].filter(isVisible).map((field) => ({
      name: field.name,
      dbName: field.column,
      type: field.type,
      isList: field.isList,
      isRequired: !field.isOptional,
      isId: field.isId,
      isUnique:
        isUnique(field) &&
        !uniqueKeys.some(({ isPartial, fields }) => isPartial && fields.join() === field.name),
      isUpdatedAt: field.isUpdatedAt,
      default: field.default && asJson(field.default, field.type),
      nativeType: field.nativeType && [field.nativeType.name, field.nativeType.args],
      relationName: field.relation?.name,
      relationFromFields: field.relation?.fields ?? [],
      relationToFields: field.relation?.references ?? [],
      relationOnDelete: field.relation?.onDelete,
      relationOnUpdate: field.relation?.onUpdate,
      documentation: field.documentation,
    })),
  }
}

function asJson(value: Value, type: string): unknown {
  switch (value.kind) {
    case 'list':
      return value.items.map((item) => asJson(item, type))
    case 'call':
      // Prisma omits the arguments of sequences, which have names.
      return {
        name: value.name,
        args: value.args.filter(({ name }) => name === undefined).map(({ value }) => asJson(value, 'Int')),
      }
    case 'word':
      if (type === 'BigInt') return value.value
      return /^(-?\d|true$|false$)/.test(value.value) ? JSON.parse(value.value) : value.value
    default:
      return (value as { value: string }).value
  }
}

interface Dmmf {
  readonly models: readonly Record<string, unknown>[]
  readonly types: readonly Record<string, unknown>[]
  readonly enums: readonly {
    readonly name: string
    readonly values: readonly { readonly name: string; readonly dbName?: string | null }[]
    readonly documentation?: string
  }[]
}

/** The input that Prisma passes to client generators. */
function readByPrisma(schema: string): object {
  const folder = mkdtempSync(join(tmpdir(), 'prisma-schema-'))
  try {
    writeFileSync(join(folder, 'generator.mjs'), generator)
    writeFileSync(
      join(folder, 'schema.prisma'),
      `generator dump {
  provider        = "node ${join(folder, 'generator.mjs')}"
  output          = "./out"
  previewFeatures = ["views", "partialIndexes", "postgresqlExtensions"]
}
${schema}`,
    )
    const { status, stderr, stdout } = spawnSync(
      'prisma',
      ['generate', '--no-hints', '--schema', 'schema.prisma'],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env },
        shell: process.platform === 'win32',
      },
    )
    if (status !== 0) throw new Error(stdout + stderr)
    return withoutTheRest(JSON.parse(readFileSync(join(folder, 'datamodel.json'), 'utf8')) as Dmmf)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A generator in Prisma's protocol: a line of JSON to stdin, one back on stderr. */
const generator = `
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
createInterface({ input: process.stdin }).on('line', (line) => {
  const { method, params, id } = JSON.parse(line)
  const isQuestion = method === 'getManifest'
  if (!isQuestion) writeFileSync('datamodel.json', JSON.stringify(params.dmmf.datamodel))
  const result = isQuestion ? { manifest: { prettyName: 'dump', defaultOutput: './out' } } : null
  process.stderr.write(JSON.stringify({ jsonrpc: '2.0', result, id }) + '\\n')
})
`

function withoutTheRest({ models, types, enums }: Dmmf): object {
  const modelOf = (model: Record<string, unknown>): object => {
    const { name, dbName, primaryKey, uniqueIndexes, documentation, fields } = model as {
      name: string
      dbName: string | null
      primaryKey: { fields: readonly string[] } | null
      uniqueIndexes: readonly { name: string | null; fields: readonly string[] }[]
      documentation?: string
      fields: readonly Record<string, unknown>[]
    }
    return {
      name,
      dbName: dbName ?? undefined,
      primaryKey: primaryKey?.fields ?? [],
      uniqueFields: uniqueIndexes.map(({ name, fields }) => ({ name: name ?? undefined, fields })),
      documentation,
      fields: fields.map((field) => ({
        name: field.name,
        dbName: field.dbName,
        type: field.type,
        isList: field.isList,
        isRequired: field.isRequired,
        isId: field.isId,
        isUnique: field.isUnique,
        isUpdatedAt: field.isUpdatedAt ?? false,
        default: field.default,
        nativeType: field.nativeType ?? undefined,
        relationName: isNamedByPrisma(field, String(name)) ? undefined : field.relationName,
        relationFromFields: field.relationFromFields ?? [],
        relationToFields: field.relationToFields ?? [],
        relationOnDelete: field.relationOnDelete,
        relationOnUpdate: field.relationOnUpdate,
        documentation: field.documentation,
      })),
    }
  }
  return {
    models: models.map(modelOf),
    types: types.map(modelOf),
    enums: enums.map(({ name, values, documentation }) => ({
      name,
      values: values.map(({ name, dbName }) => [name, dbName ?? name]),
      documentation,
    })),
  }
}

/** Whether a relation has Prisma's default name. */
function isNamedByPrisma({ relationName, type }: Record<string, unknown>, model: string): boolean {
  return relationName === [model, String(type)].toSorted().join('To')
}
