import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { PrismaClient } from '#prisma/client/client.js'

/**
 * Turns the generated client into one of another schema. Models are in the generator's form, with relations as
 * `field:Model/relation`: `'id:Int folder:Folder/FileToFolder'`.
 */
export function createClientOf(
  url: string,
  schema: string,
  models: Record<string, string> | RuntimeModels,
): PrismaClient {
  return clientOf(new PrismaPg({ connectionString: url }), schema, models)
}

/**
 * As {@link createClientOf}, on any database.
 *
 * @param Client a generated one for the same kind of database. @default that of PostgreSQL
 */
export function clientOf(
  adapter: SqlDriverAdapterFactory,
  schema: string,
  models: Record<string, string> | RuntimeModels,
  enums: object = {},
  Client = PrismaClient,
): PrismaClient {
  let original: object = {}
  const configOverride = (config: object) => {
    original = config
    return {
      ...config,
      inlineSchema: schema,
      runtimeDataModel: {
        models: Object.fromEntries(Object.entries(models).map(toRuntime)),
        enums,
        types: {},
      },
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

/** As in the runtime data model of a generated client. */
export type RuntimeModels = Record<
  string,
  { readonly fields: readonly object[]; readonly dbName: string | null; readonly schema: string | null }
>

function toRuntime([model, text]: [string, string | RuntimeModels[string]]) {
  if (typeof text !== 'string') return [model, text] as const
  const fields = text.split(' ').map((field) => {
    const [, name, type, relationName] = /^(\w+):(\w+)(?:\/(\w+))?$/.exec(field)!
    return { name, type, kind: relationName ? 'object' : 'scalar', ...(relationName && { relationName }) }
  })
  return [model, { fields, dbName: null, schema: null }] as const
}
