import type { Model } from '../source/schema-facts.js'
import { idKeysOf, defaultKeyIn } from './id-keys.js'
import type { RowField, RowShape } from '../source/row-shape.js'

export interface PrintedDefinition {
  readonly model: Model
  readonly shape: RowShape
  /** The specifier by which the printed module imports the generated client. */
  readonly client: string
}

/**
 * Returns the source of a module that defines the cache of a model with a schema by hand. It has the fingerprint of the derived
 * definition, so that either reads what the other stored.
 */
export function printDefinition({ model, shape, client }: PrintedDefinition): string {
  const { name } = model
  const types = shape.map((field) => [field.name, typeOf(field)] as const)
  const helpers = ['bytes', 'decimal', 'json'].filter((helper) =>
    types.some(([, type]) => new RegExp(`^${helper}\\b`).test(type)),
  )
  const options = [...idOption(model), ...omitOption(model), `schema: ${name}Row`, "ttl: '10m'"]
  return `import { type } from 'arktype'
import { ${[...helpers, 'modelCaches'].toSorted().join(', ')} } from 'model-cache'
import type { Prisma } from '${client}'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const ${name}Row = type({
${types.map(([field, type]) => `  ${field}: ${type},`).join('\n')}
})

export const ${name.charAt(0).toLowerCase() + name.slice(1)}Cache = defineModelCache('${name}', { ${options.join(', ')} })
`
}

/** Named where it is not found otherwise: the primary key, or another one. */
function idOption(model: Model): readonly string[] {
  const keys = idKeysOf(model)
  if (defaultKeyIn(keys) !== undefined) return []
  const names = [...keys.keys()]
  const primary = names.find((name) => keys.get(name)!.join() === model.primaryKey.join())
  return names.length > 0 ? [`id: '${primary ?? names[0]!}'`] : []
}

function omitOption({ scalars }: Model): readonly string[] {
  const fields = [...scalars].filter(([, { isKeptOut }]) => isKeptOut).map(([field]) => `${field}: true`)
  return fields.length > 0 ? [`omit: { ${fields.join(', ')} }`] : []
}

const keywords = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'Date',
  bigint: 'bigint',
} as const

/** The ArkType of a field, as source. */
function typeOf(field: RowField): string {
  const { kind, isList, isNullable } = field
  if (kind === 'decimal' || kind === 'bytes' || kind === 'json') {
    // JSON may be null itself.
    return (
      kind + (isList ? '.array()' : '') + (isNullable && (isList || kind !== 'json') ? `.or('null')` : '')
    )
  }
  const keyword =
    field.kind === 'enum' ? field.values.map((value) => `'${value}'`).join(' | ') : keywords[kind as never]
  const item = isList ? `${field.kind === 'enum' ? `(${keyword})` : keyword}[]` : keyword
  const source = isNullable ? `${item} | null` : item
  return source.includes("'") ? `"${source}"` : `'${source}'`
}
