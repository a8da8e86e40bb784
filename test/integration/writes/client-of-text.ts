import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import type { PrismaClient } from '#prisma/client/client.js'
import { clientOf, type RuntimeModels } from './client-of-schema.js'

/** A client of the text of a schema on PostgreSQL: one statement a line, without comments. */
export function createClientOfText(url: string, schema: string): PrismaClient {
  return clientOfText(new PrismaPg({ connectionString: url }), schema)
}

/**
 * As {@link createClientOfText}, on any database.
 *
 * @param Client a generated one for the same kind of database. @default that of PostgreSQL
 */
export function clientOfText(
  adapter: SqlDriverAdapterFactory,
  schema: string,
  Client?: typeof PrismaClient,
): PrismaClient {
  const blocks = [...schema.matchAll(/^ *(model|enum|view) (\w+) \{\n([^}]*)\}/gm)]
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
  const runtime = [...models].map(([model, lines]): [string, RuntimeModels[string]] => {
    const own = (attribute: string): string | null =>
      lines.flatMap((line) => new RegExp(`^@@${attribute}\\("(\\w+)"\\)`).exec(line)?.[1] ?? [])[0] ?? null
    const fields = lines.filter((line) => !line.startsWith('@@')).map((line) => fieldOf(model, line))
    return [model, { fields, dbName: own('map'), schema: own('schema') }]
  })
  const values = [...enums].map(([name, lines]) => {
    const described = lines
      .filter((line) => !line.startsWith('@@'))
      .map((line) => {
        const [, value, dbName] = /^(\w+)(?: @map\("(\w+)"\))?/.exec(line)!
        return { name: value!, ...(dbName && { dbName }) }
      })
    return [name, { values: described, dbName: null }] as const
  })
  return clientOf(adapter, schema, Object.fromEntries(runtime), Object.fromEntries(values), Client)
}
