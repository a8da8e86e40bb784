import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseSchema, type SchemaField, type SchemaModel } from './parse-schema.js'
import type { Value } from './schema-syntax.js'

describe('the parser of Prisma schemas and Prisma', () => {
  const folder = join(import.meta.dirname, 'reference-schemas')
  const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')
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
