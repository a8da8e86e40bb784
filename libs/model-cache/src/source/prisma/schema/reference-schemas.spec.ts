import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseSchema, type SchemaField, type SchemaModel } from './parse-schema.js'

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
    const { models, enums } = parseSchema(textOf(file))
    const visible = [...models.values()].filter(({ isIgnored }) => !isIgnored)
    expect({
      models: visible.map((model) => toDmmf(model, models)),
      enums: [...enums].map(([name, values]) => ({ name, values: [...values] })),
    }).toEqual(expected.get(file))
    expect([...models.values()].filter(({ problem }) => problem)).toEqual([])
  })
})

/** A model in Prisma's data model meta format, without what the parser does not return. */
function toDmmf(model: SchemaModel, models: ReadonlyMap<string, SchemaModel>): object {
  const { name, table, primaryKey, uniqueKeys, fields } = model
  const isVisible = ({ isIgnored, type }: SchemaField): boolean =>
    !isIgnored && type !== 'Unsupported' && !models.get(type)?.isIgnored
  const isUnique = (field: SchemaField): boolean =>
    uniqueKeys.some(({ fields: [first, ...others] }) => first === field.name && others.length === 0)
  return {
    name,
    dbName: table,
    primaryKey,
    uniqueFields: uniqueKeys
      .filter(({ fields, isPartial }) => fields.length > 1 && !isPartial)
      // Prisma omits the paths.
      .map(({ name, fields }) => ({ name, fields: fields.map((path) => path.split('.').at(-1)) })),
    fields: [...fields.values()].filter(isVisible).map((field) => ({
      name: field.name,
      dbName: field.column,
      type: field.type,
      isList: field.isList,
      isRequired: !field.isOptional,
      isUnique:
        isUnique(field) &&
        !uniqueKeys.some(({ isPartial, fields }) => isPartial && fields.join() === field.name),
      isUpdatedAt: field.isUpdatedAt,
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

interface Dmmf {
  readonly models: readonly Record<string, unknown>[]
  readonly enums: readonly {
    readonly name: string
    readonly values: readonly { readonly name: string; readonly dbName?: string | null }[]
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

function withoutTheRest({ models, enums }: Dmmf): object {
  const modelOf = (model: Record<string, unknown>): object => {
    const { name, dbName, primaryKey, uniqueIndexes, fields } = model as {
      name: string
      dbName: string | null
      primaryKey: { fields: readonly string[] } | null
      uniqueIndexes: readonly { name: string | null; fields: readonly string[] }[]
      fields: readonly Record<string, unknown>[]
    }
    return {
      name,
      dbName: dbName ?? undefined,
      primaryKey: primaryKey?.fields ?? fields.filter(({ isId }) => isId).map(({ name }) => name),
      uniqueFields: uniqueIndexes.map(({ name, fields }) => ({ name: name ?? undefined, fields })),
      fields: fields.map((field) => ({
        name: field.name,
        dbName: field.dbName,
        type: field.type,
        isList: field.isList,
        isRequired: field.isRequired,
        isUnique: field.isUnique,
        isUpdatedAt: field.isUpdatedAt ?? false,
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
    enums: enums.map(({ name, values }) => ({
      name,
      values: values.map(({ name, dbName }) => [name, dbName ?? name]),
    })),
  }
}

/** Whether a relation has Prisma's default name. */
function isNamedByPrisma({ relationName, type }: Record<string, unknown>, model: string): boolean {
  return relationName === [model, String(type)].toSorted().join('To')
}
