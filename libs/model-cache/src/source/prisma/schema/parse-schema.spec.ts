import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseSchema, type SchemaField, type SchemaModel } from './parse-schema.js'
import type { Value } from './schema-syntax.js'

describe('the parser of Prisma schemas', () => {
  const folder = join(import.meta.dirname, 'reference-schemas')
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')

  describe('and Prisma', () => {
    const files = readdirSync(folder)
    let expected: ReadonlyMap<string, object>
    beforeAll(async () => {
      const read = files.map(async (file) => [file, await readByPrisma(textOf(file))] as const)
      expected = new Map(await Promise.all(read))
    })

    it.each(files)('parse %s in the same way', (file) => {
      const { models, types, enums } = parseSchema(textOf(file))
      const visible = [...models.values()].filter(({ isIgnored }) => !isIgnored)
      const values = [...enums.values()]
      expect({
        models: visible.map((model) => toDmmf(model, models)),
        types: [...types.values()].map((type) => toDmmf(type, models)),
        enums: values.map(({ name, values, documentation }) => ({
          name,
          values: [...values],
          documentation,
        })),
      }).toEqual(expected.get(file))
      expect([...models.values(), ...types.values()].filter(({ problem }) => problem)).toEqual([])
    })
  })

  it('parses what the client lacks: ignored fields and models, unsupported types, partial keys', () => {
    const { models } = parseSchema(textOf('postgresql.prisma'))
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
    ['name String @', 'the end of the line', 'the name of an attribute'],
    ['name String @db.', 'the end of the line', 'the name of an attribute'],
    ['name String[', 'the end of the line', '"]"'],
    ['name String ! @map("n")', '"!"', 'the end of the line'],
    ['name String @map(', 'the end of the schema', 'a value'],
    ['name String @map("a" "b")', '"b"', '"," or ")"'],
    ['name String @map([1 2])', '"2"', '"," or "]"'],
    ['name Unsupported(1)', '"1"', 'a text'],
    ['name Unsupported("a"', 'the end of the line', '")"'],
    ['"name" String', '"name"', 'the name of a field'],
    ['@map("a")', '"map"', '"@"'],
    ['@@map("a") "b"', '"b"', 'the end of the line'],
  ])('says what it has found in %j', (line, found, expected) => {
    const { problem } = parseSchema(`model A {\n  id Int @id\n  ${line}\n`).models.get('A')!
    const at = found.endsWith('schema') ? 4 : 3
    expect(problem).toBe(`line ${at} has ${found} where ${expected} was expected`)
  })

  it('names the first of several problems, and parses the lines between them', () => {
    const { fields, problem } = parseSchema(
      'model A {\n a ! { b {\n } }\n b Int }\nmodel B {\n a Int\n !\n b Int\n ?\n c Int\n}',
    ).models.get('B')!
    expect([...fields.keys()]).toEqual(['a', 'b', 'c'])
    expect(problem).toMatch(/^line 7 /)
  })

  it('skips a line that it cannot parse with all that begins in it', () => {
    const { models } = parseSchema(`model A {
  first  String @check([1, (2 } 3)]) { a: "}" }
  second String
  third  String ! ) ] }
model B { id Int }`)
    expect([...models.get('A')!.fields.keys()]).toEqual(['second'])
    expect([...models.get('B')!.fields.keys()]).toEqual(['id'])
  })

  it('replaces escapes in texts', () => {
    const text = String.raw`a\"b\\c\n\r\t\b\f\u00e9\/`
    const { fields } = parseSchema(`model A {\n  a String @default("${text}") @map("c\\"d")\n}`).models.get(
      'A',
    )!
    expect(fields.get('a')!.default).toEqual({ kind: 'text', value: 'a"b\\c\n\r\t\b\f\u00e9/' })
    expect(fields.get('a')!.column).toBe('c"d')
  })

  it('takes documentation for what it stands above, and for the field before it', () => {
    const { enums, models } = parseSchema(`
/// of nothing

/// first
/// second
model A { /// of nothing
  /// of a
  a Int ///   behind a
  b Int

  /// of nothing

  /// above c

  // no documentation
  c Int /// behind c
  /// of d, not of e
  d Int
  e Int
  /// of nothing
  @@map("a")
  f Int
  /// of nothing
}
type B {
  a Int
}
/// of C
enum C {
  one
}
/// of the generator
generator client {
  provider = "none"
}
model D {
  a Int
}`)
    const a = models.get('A')!
    expect(a.documentation).toBe('first\nsecond')
    expect([...a.fields.values()].map(({ documentation }) => documentation)).toEqual([
      'of a\nbehind a',
      undefined,
      'above c\nbehind c',
      'of d, not of e',
      undefined,
      undefined,
    ])
    expect(a.table).toBe('a')
    expect(enums.get('C')!.documentation).toBe('of C')
    expect(models.get('D')!.documentation).toBeUndefined()
  })

  it('tells models, views and types apart, and skips other blocks', () => {
    const { enums, models, types } = parseSchema(`
      generator model { provider = "a" }
      datasource view { url = env("b") }
      model A { a Int }
      view  B { a Int }
      type  C { a Int }
      enum  D { a }
      model "E" { a Int }
      model F
      model G = { a Int }
    `)
    expect([...models.values()].map(({ name, isView }) => [name, isView])).toEqual([
      ['A', false],
      ['B', true],
    ])
    expect([[...types.keys()], [...enums.keys()]]).toEqual([['C'], ['D']])
  })

  it('parses arguments in any order, with names and without', () => {
    const { fields, uniqueKeys } = parseSchema(`model A {
      a String @map(name: "one") @db.VarChar(80)
      b String @db.Decimal(10, 2) @map("two")
      c B @relation(onDelete: Cascade, "named", references: [id], fields: [a])
      d B @relation(name: "other")
      @@unique(name: "pair", fields: [a, b(sort: Desc)])
      @@unique([b.c], where: { a: { not: null } })
      @@index([b])
    }
    model B { id String @id }`).models.get('A')!
    expect([fields.get('a')!.column, fields.get('b')!.column]).toEqual(['one', 'two'])
    expect([fields.get('a')!.nativeType, fields.get('b')!.nativeType]).toEqual([
      { name: 'VarChar', args: ['80'] },
      { name: 'Decimal', args: ['10', '2'] },
    ])
    const named = { name: 'named', fields: ['a'], references: ['id'], onDelete: 'Cascade' }
    expect(fields.get('c')!.relation).toEqual({ ...named, onUpdate: undefined })
    expect(fields.get('d')!.relation).toMatchObject({ name: 'other', fields: [], references: [] })
    expect(uniqueKeys).toEqual([
      { name: 'pair', fields: ['a', 'b'], isPartial: false },
      { name: undefined, fields: ['b.c'], isPartial: true },
    ])
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
async function readByPrisma(schema: string): Promise<object> {
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
    await promisify(execFile)('prisma', ['generate', '--no-hints', '--schema', 'schema.prisma'], {
      cwd: folder,
      env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env },
      shell: process.platform === 'win32',
    })
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
