import { type PossibleLookups, printedKeyOf } from '@model-cache/inspector/internal'
import type { Model, RowField, RowShape, ScalarKind } from 'model-cache/internal'

export interface PrintedDefinition {
  readonly model: Model
  readonly shape: RowShape
  readonly lookups: PossibleLookups
  /** The specifier by which the printed module imports the generated client. */
  readonly client: string
}

/**
 * Returns the source of a module that defines the cache of a model with a schema by hand. It has the fingerprint of the derived
 * definition, so that either reads what the other stored.
 */
export function printDefinition({ model, shape, lookups, client }: PrintedDefinition): string {
  const { name } = model
  // A printed definition selects no relations.
  const fields = shape.filter((field) => field.kind !== 'rows')
  const types = fields.map((field) => [field.name, typeOf(field)] as const)
  const helpers = ['bytes', 'decimal', 'json'].filter((helper) =>
    types.some(([, type]) => new RegExp(`^${helper}\\b`).test(type)),
  )
  const options = [...idOption(model), ...omitOption(model), `schema: ${name}Row`, "ttl: '10m'"]
  const lookupOptions = lookupLines(lookups)
  return `import { type } from 'arktype'
import { modelCaches } from 'model-cache'
${helpers.length > 0 ? `import { ${helpers.join(', ')} } from 'model-cache/arktype'\n` : ''}import type { Prisma } from '${client}'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const ${name}Row = type({
${types.map(([field, type]) => `  ${field}: ${type},`).join('\n')}
})

export const ${name.charAt(0).toLowerCase() + name.slice(1)}Cache = defineModelCache('${name}', ${optionsOf(options, lookupOptions)})
`
}

function optionsOf(options: readonly string[], lookups: readonly string[]): string {
  if (lookups.length === 0) return `{ ${options.join(', ')} }`
  const lines = [
    ...options.map((option) => `${option},`),
    '// Keep what you read by: a write that enters an entry of a lookup invalidates it.',
    ...lookups,
  ]
  return `{\n${lines.map((line) => `  ${line}\n`).join('')}}`
}

function lookupLines({ unique, lists }: PossibleLookups): readonly string[] {
  const foldOf = ({ fold }: PossibleLookups['lists'][number]): string => (fold ? `, fold: '${fold}'` : '')
  const keys = unique.map((lookup) => {
    const fields = fieldsOf(lookup.by)
    return `${lookup.name}: ${lookup.fold ? `{ by: ${fields}${foldOf(lookup)} }` : fields}`
  })
  const listed = lists.map((lookup) => {
    const { by, name, through } = lookup
    const key = through === undefined ? `by: ${fieldsOf(by)}` : `through: '${through}'`
    return `${name}: { ${key}${foldOf(lookup)} }`
  })
  const isFolded = [...unique, ...lists].some(({ fold }) => fold)
  return [
    ...(isFolded
      ? ['// Where the collation of a column distinguishes case: `caseSensitive: true` instead of `fold`.']
      : []),
    ...(keys.length > 0 ? [`unique: { ${keys.join(', ')} },`] : []),
    ...(listed.length > 0 ? [`lists: { ${listed.join(', ')} },`] : []),
  ]
}

function fieldsOf(fields: readonly string[]): string {
  const quoted = fields.map((field) => `'${field}'`)
  return quoted.length === 1 ? quoted[0]! : `[${quoted.join(', ')}]`
}

/** Named where it is not found otherwise. */
function idOption(model: Model): readonly string[] {
  const key = printedKeyOf(model)
  return key === undefined ? [] : [`id: '${key}'`]
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
} as const satisfies Record<Exclude<ScalarKind, 'bytes' | 'decimal' | 'json'>, string>

/** The ArkType of a field, as source. */
function typeOf(field: Exclude<RowField, { kind: 'rows' }>): string {
  const { isList, isNullable } = field
  if (field.kind === 'decimal' || field.kind === 'bytes' || field.kind === 'json') {
    // JSON may be null itself.
    return (
      field.kind +
      (isList ? '.array()' : '') +
      (isNullable && (isList || field.kind !== 'json') ? `.or('null')` : '')
    )
  }
  const keyword =
    field.kind === 'enum' ? field.values.map((value) => `'${value}'`).join(' | ') : keywords[field.kind]
  const item = isList ? `${field.kind === 'enum' ? `(${keyword})` : keyword}[]` : keyword
  const source = isNullable ? `${item} | null` : item
  return source.includes("'") ? `"${source}"` : `'${source}'`
}
