import { type Duration, parseDuration } from '../../cache/policy/duration.js'
import { namesSecret } from '../../definitions/secret-names.js'
import type { Model, Models, Scalar } from '../../source/schema-facts.js'
import { reasonOf } from '../doctor.js'
import { fault, type Finding, ok } from '../finding.js'
import { literalIn, objectAt, type WrittenObject } from './object-literal.js'
import type { WrittenDefinition } from './written-definitions.js'

export interface DefinitionsContext {
  /** Empty if there is no Prisma schema. */
  readonly models: Models
  /** A longer ttl is a warning, in milliseconds. */
  readonly maxTtlMs: number
  /** Whether the source follows the database. */
  readonly isFollowed: boolean
}

/** What definitions of caches risk, as far as they are written out. */
export function checkDefinitions(
  definitions: readonly WrittenDefinition[],
  context: DefinitionsContext,
): readonly Finding[] {
  const findings = definitions
    .filter((definition) => !definition.isAcknowledged)
    .flatMap((definition) => [
      ...checkTtls(definition, context),
      ...checkModel(definition, context),
      ...checkFollowing(definition, context),
      ...checkFields(definition, context),
    ])
  const duplicates = duplicatesIn(definitions)
  if (definitions.length === 0 || findings.length + duplicates.length > 0) return [...findings, ...duplicates]
  return [ok('definition.all', `${definitions.length} definitions of caches have nothing to report.`)]
}

function checkTtls({ name, options, place }: WrittenDefinition, { maxTtlMs }: DefinitionsContext): Finding[] {
  const { isOpen, properties } = options
  const cache = `The cache ${name ?? 'there'}`
  if (!properties.has('ttl'))
    return isOpen
      ? []
      : [
          fault(
            'error',
            'definition.ttl',
            `${cache} has no ttl.`,
            'The application does not start. A ttl bounds how long a row may be stale, whatever goes wrong.',
            "Add ttl: '10m'",
            place,
          ),
        ]
  return ['ttl', 'staleFor'].flatMap((option) => {
    const value = literalIn(properties.get(option)?.text)
    if (value === undefined) return []
    let ms: number
    try {
      ms = parseDuration(value as Duration, name ?? '', option)
    } catch (error) {
      return [
        fault(
          'error',
          'definition.ttl',
          reasonOf(error),
          'The application does not start.',
          "Write it as '10m'",
          place,
        ),
      ]
    }
    if (ms <= maxTtlMs) return []
    return [
      fault(
        'warning',
        'definition.long-ttl',
        `${cache} has a ${option} of ${value}.`,
        'After a write past the caches, such as one by hand, rows stay stale for that time.',
        `Shorten it; or raise the bound of the doctor with --max-ttl ${value}.`,
        place,
      ),
    ]
  })
}

function checkModel({ model, options, place }: WrittenDefinition, { models }: DefinitionsContext): Finding[] {
  if (model === undefined || models.size === 0 || models.has(model) || options.properties.has('load'))
    return []
  return [
    fault(
      'error',
      'definition.model',
      `The Prisma schema has no model ${model}.`,
      'The application does not start, or writes do not reach the cache.',
      `Name one of ${[...models.keys()].join(', ')}.`,
      place,
    ),
  ]
}

function checkFollowing(
  { name, options, place }: WrittenDefinition,
  { isFollowed }: DefinitionsContext,
): Finding[] {
  if (isFollowed || literalIn(options.properties.get('follow')?.text) !== 'required') return []
  return [
    fault(
      'error',
      'definition.follow',
      `The cache ${name ?? 'there'} needs a follower, and the source has none.`,
      'Its reads always go to the database.',
      "Give forRoot `follow: followPostgres({ url })`, or take out follow: 'required'.",
      place,
    ),
  ]
}

/** Finds fields that rows have although no option names them. */
function checkFields(
  { file, isDerived, model, name, options, place }: WrittenDefinition,
  { models }: DefinitionsContext,
): Finding[] {
  const described = model === undefined ? undefined : models.get(model)
  const { isOpen, properties } = options
  if (!described || !isDerived || isOpen || properties.has('select') || properties.has('load')) return []
  const nested = (option: string): WrittenObject | undefined => {
    const written = properties.get(option)
    return written?.text.startsWith('{') ? objectAt(file, written.at) : undefined
  }
  const omitted = nested('omit')?.properties
  const fields = [...fieldsOf(described, ''), ...includedFields(described, nested('include'), models)].filter(
    ([field]) => !omitted?.has(field),
  )
  const secrets = fields.filter(([field]) => namesSecret(field.slice(field.lastIndexOf('.') + 1)))
  const large = properties.has('largePayloadBytes') ? [] : fields.filter(([, scalar]) => isUnbounded(scalar))
  const namesIn = (list: typeof fields): string => list.map(([field]) => field).join(', ')
  const cache = `The rows of ${name ?? model}`
  return [
    ...(secrets.length === 0
      ? []
      : [
          fault(
            'warning',
            'definition.secret',
            `${cache} hold ${namesIn(secrets)}.`,
            'Fields that look like secrets are copied to Valkey, and to its backups.',
            `Add omit: { ${secrets.map(([field]) => `${field}: true`).join(', ')} }, or mark the field in the Prisma schema: /// @cache(omit)`,
            place,
          ),
        ]),
    ...(large.length === 0
      ? []
      : [
          fault(
            'note',
            'definition.payload',
            `${cache} hold fields without a limit of size: ${namesIn(large)}.`,
            'Each read of a row transfers and decodes all of it. model_cache_large_rows_total counts large ones.',
            'If they are large and seldom read, leave them out with omit or select; otherwise set largePayloadBytes.',
            place,
          ),
        ]),
  ]
}

type Field = readonly [path: string, scalar: Scalar]

function fieldsOf(model: Model, path: string): Field[] {
  return [...model.scalars]
    .filter(([, { isKeptOut }]) => !isKeptOut)
    .map(([field, scalar]) => [path + field, scalar] as const)
}

/** Of relations that are included as a whole. */
function includedFields(model: Model, include: WrittenObject | undefined, models: Models): Field[] {
  return [...(include?.properties ?? [])].flatMap(([relation, { text }]) => {
    const target = models.get(model.relationTargets.get(relation) ?? '')
    const isWhole = text !== 'false' && !/\b(?:select|omit)\s*:/.test(text)
    return target && isWhole ? fieldsOf(target, `${relation}.`) : []
  })
}

function isUnbounded({ nativeType, type }: Scalar): boolean {
  return type === 'Bytes' || type === 'Json' || nativeType === 'Text'
}

function duplicatesIn(definitions: readonly WrittenDefinition[]): Finding[] {
  const byName = Map.groupBy(
    definitions.filter(({ name }) => name !== undefined),
    ({ name }) => name!,
  )
  return [...byName].flatMap(([name, same]) =>
    same.length < 2
      ? []
      : [
          fault(
            'warning',
            'definition.duplicate',
            `${same.length} definitions have the name ${name}: ${same.map(({ place }) => place).join(', ')}.`,
            'Within one root they would have the same keys, and the application does not start.',
            'Export one definition, or give the others a `name` of their own.',
            same[1]!.place,
          ),
        ],
  )
}
