import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { PrismaClient } from '#prisma/client/client.js'
import { dialects } from '../random-schemas/dialects.js'

/** A client of the text of a schema on PostgreSQL: one statement a line, without comments. It may leave out the data source. */
export function createClientOfText(url: string, schema: string): PrismaClient {
  return clientOfText(new PrismaPg({ connectionString: url }), schema)
}

/** As {@link createClientOfText}, on a database of any kind. */
export async function openClientOfText(
  adapter: SqlDriverAdapterFactory,
  schema: string,
): Promise<PrismaClient> {
  return clientOfText(adapter, schema, await dialects[providerOf(adapter)].client())
}

/**
 * Turns a generated client for the same kind of database into one of the schema.
 *
 * @param Client @default that of PostgreSQL
 */
export function clientOfText(
  adapter: SqlDriverAdapterFactory,
  schema: string,
  Client = PrismaClient,
): PrismaClient {
  const source = `datasource db {\n  provider = "${providerOf(adapter)}"\n}\n`
  let original: object = {}
  const configOverride = (config: object) => {
    original = config
    return {
      ...config,
      inlineSchema: /^datasource /m.test(schema) ? schema : source + schema,
      runtimeDataModel: { ...runtimeOf(schema), types: {} },
      previewFeatures: JSON.parse(/previewFeatures = (\[.*\])/.exec(schema)?.[1] ?? '[]') as string[],
      // An empty graph: every query gets a new query plan.
      parameterizationSchema: { strings: [], graph: 'AAAA' },
    }
  }
  const options = {
    adapter,
    log: [{ emit: 'event', level: 'query' }],
    __internal: { configOverride },
  }
  const client: PrismaClient = new Client(options as never)
  // Prisma gives the last configuration to all later clients of the class.
  void new Client({ ...options, __internal: { configOverride: () => original } } as never)
  return client
}

function providerOf({ provider }: SqlDriverAdapterFactory): keyof typeof dialects {
  return provider === 'postgres' ? 'postgresql' : (provider as 'mysql' | 'sqlite')
}

/** The models and enums, as in the runtime data model of a generated client. */
function runtimeOf(schema: string): { models: object; enums: object } {
  const blocks = [...schema.matchAll(/^ *(model|enum|view) (\w+) \{\n([^}]*)\}/gm)].filter(
    ([, , , body]) => !body!.includes('@@ignore'),
  )
  const named = (kinds: readonly string[]): Map<string, string[]> =>
    new Map(
      blocks
        .filter(([, kind]) => kinds.includes(kind!))
        .map(([, , name, body]) => [name!, body!.trim().split(/\s*\n\s*/)]),
    )
  const [models, enums] = [named(['model', 'view']), named(['enum'])]
  const fieldOf = (model: string, line: string) => {
    const [, name, type] = /^(\w+)\s+(\w+)/.exec(line)!
    const kind = models.has(type!) ? 'object' : enums.has(type!) ? 'enum' : 'scalar'
    const relationName =
      kind === 'object'
        ? (/@relation\("(\w+)"/.exec(line)?.[1] ?? [model, type].toSorted().join('To'))
        : undefined
    const dbName = / @map\("(\w+)"\)/.exec(line)?.[1]
    return {
      name: name!,
      type: type!,
      kind,
      ...(relationName && { relationName }),
      ...(dbName && { dbName }),
    }
  }
  const ofModels = [...models].map(([model, lines]) => {
    const own = (attribute: string): string | null =>
      lines.flatMap((line) => new RegExp(`^@@${attribute}\\("(\\w+)"\\)`).exec(line)?.[1] ?? [])[0] ?? null
    const visible = lines.filter((line) => !line.startsWith('@@') && !line.endsWith(' @ignore'))
    const fields = visible.map((line) => fieldOf(model, line))
    return [model, { fields, dbName: own('map'), schema: own('schema') }] as const
  })
  const ofEnums = [...enums].map(([name, lines]) => {
    const described = lines
      .filter((line) => !line.startsWith('@@'))
      .map((line) => {
        const [, value, dbName] = /^(\w+)(?: @map\("(\w+)"\))?/.exec(line)!
        return { name: value!, ...(dbName && { dbName }) }
      })
    return [name, { values: described, dbName: null }] as const
  })
  return { models: Object.fromEntries(ofModels), enums: Object.fromEntries(ofEnums) }
}
