import { ConfigurationError } from './errors.js'
import { showValue as show } from './shown-value.js'

/** An option has an invalid value. */
export function invalidOptionError(option: string, actual: unknown, expected: string): ConfigurationError {
  return new ConfigurationError(
    'E_INVALID_OPTION',
    `model-cache: option "${option}" is ${show(actual)}; expected ${expected}.`,
  )
}

/** The options of a module are missing, or where they have no effect. */
export function moduleOptionsError(problem: string): ConfigurationError {
  return new ConfigurationError('E_INVALID_OPTION', `model-cache: ${problem}`)
}

/** Caches of two namespaces or stores share one `ModelCacheWrites`. */
export function otherWritesError(namespace: string): ConfigurationError {
  return new ConfigurationError(
    'E_INVALID_OPTION',
    `model-cache: a cache of namespace "${namespace}" has the \`writes\` of caches of another namespace or store. Create a ModelCacheWrites for ` +
      'each, and extend the client of its database with it.',
  )
}

/** The keys of `atRest` cannot be used. Never names a key, only its id. */
export function atRestKeysError(problem: string, remedy: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    'E_INVALID_OPTION',
    `model-cache: option "atRest.keys": ${problem}. ${remedy}.`,
    cause,
  )
}

/** What to do with the mock of a client, which has neither a schema nor an adapter. */
export const ofMocks =
  'If it is the mock of a unit test, provide it by a value, leave ModelCacheModule out of the test, and provide the cache by ' +
  'createTestCache (docs/testing.md)'

/** What an import is undefined for, most often. */
const circularImport =
  'It is undefined while two files import each other: declare it in a file that imports none of those that use it, as caches.ts in ' +
  'docs/getting-started.md'

/** A decorator, or a module, got an import that is not there yet. */
export function undefinedImportError(option: string, expected: string): ConfigurationError {
  return new ConfigurationError(
    'E_INVALID_OPTION',
    `model-cache: ${option} is undefined; expected ${expected}. ${circularImport}.`,
  )
}

/** A lookup of a definition cannot work with the Prisma schema or the database. */
export function invalidLookupError(
  cache: string,
  lookup: string,
  problem: string,
  cause?: unknown,
): ConfigurationError {
  return new ConfigurationError(
    'E_INVALID_LOOKUP',
    `ModelCache "${cache}": lookup "${lookup}" ${problem}`,
    cause,
  )
}

/** A duration, such as a ttl, is invalid. */
export function invalidDurationError(model: string, option: string, actual: unknown): ConfigurationError {
  const expected =
    typeof actual === 'number' && actual > 0 && actual < 1_000
      ? `, which would be ${actual} ms: give the unit, as in '${actual}s', or '${actual}ms' if you mean that.`
      : "; expected a string such as '500ms', '30s', '10m', '2h' or '1d', or milliseconds of at least 1000."
  return new ConfigurationError(
    'E_INVALID_DURATION',
    `ModelCache "${model}": ${option} is ${show(actual)}${expected}`,
  )
}

/** The definition names a model that the Prisma client does not have. */
export function unknownModelError(
  name: string,
  model: string,
  known: readonly string[],
  option: 'model' | 'dependsOn' = 'model',
): ConfigurationError {
  const meant = known.find((other) => other.toLowerCase() === model.toLowerCase())
  const remedies = [`Correct \`${option}\``, 'run `prisma generate`']
  if (option === 'model') remedies.push('give a `load` function')
  return new ConfigurationError(
    'E_UNKNOWN_MODEL',
    `ModelCache "${name}": the Prisma client has no model "${model}"; ` +
      (meant === undefined
        ? `it has ${known.join(', ') || 'none'}. ${remedies.slice(0, -1).join(', ')}, or ${remedies.at(-1)}.`
        : `did you mean "${meant}"? Spell model names as in the Prisma schema, since writes are matched by them.`),
  )
}

/** Rows hold data of other models, and the definition has no `dependsOn` that covers them. */
export function missingDependenciesError(
  name: string,
  reason: string,
  models: readonly string[] = [],
): ConfigurationError {
  const list = models.map((model) => `'${model}'`).join(', ')
  return new ConfigurationError(
    'E_MISSING_DEPENDENCIES',
    `ModelCache "${name}": ${reason}, and \`dependsOn\` does not say which writes to other models outdate them. ` +
      `Set \`dependsOn: [${list}]\` to the models whose writes empty this cache, or \`dependsOn: 'ttl'\` to accept ` +
      'outdated rows until their ttl ends.',
  )
}

/** Rows hold data of a view, and the definition does not say which tables it reads. */
export function missingViewTablesError(
  name: string,
  view: string,
  problem = 'its rows change by writes to the tables that it reads, under other names',
): ConfigurationError {
  return new ConfigurationError(
    'E_MISSING_DEPENDENCIES',
    `ModelCache "${name}": ${view} is a view: ${problem}. Set \`dependsOn\` to the models of all tables that it reads, whose writes empty ` +
      "this cache, or `dependsOn: 'ttl'` to accept outdated rows until their ttl ends.",
  )
}

/** Rows hold data of a materialized view, whose refreshes no write announces. */
export function materializedViewError(name: string, view: string): ConfigurationError {
  return new ConfigurationError(
    'E_MISSING_DEPENDENCIES',
    `ModelCache "${name}": ${view} is a materialized view, or reads one: its rows change when it is refreshed, which no write and no log of ` +
      "the database announces. Set `dependsOn: 'ttl'` to accept outdated rows until their ttl ends, and call `invalidateAll()` after each " +
      'REFRESH MATERIALIZED VIEW.',
  )
}

/** Two definitions have the same name, and therefore the same keys. */
export function duplicateDefinitionError(name: string): ConfigurationError {
  return new ConfigurationError(
    'E_DUPLICATE_DEFINITION',
    `ModelCache "${name}": two definitions have this name, and therefore the same keys. Export one definition ` +
      `and register it in every module, or give the second one its own \`name\`.`,
  )
}

/** The id fields do not identify one row, or are not fields of the model. */
export function invalidIdFieldError(
  name: string,
  fields: readonly string[],
  problem: string,
  cause?: unknown,
): ConfigurationError {
  return new ConfigurationError(
    'E_INVALID_ID_FIELD',
    `ModelCache "${name}": ${['id', fields.map((field) => `"${field}"`).join(' + '), problem].filter(Boolean).join(' ')}`,
    cause,
  )
}

/** Prisma refuses the `select` or `include` of a definition. */
export function invalidSelectionError(name: string, problem: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError('E_INVALID_SELECTION', `ModelCache "${name}": ${problem}`, cause)
}

/** A definition has no `schema`, and its rows cannot be derived from the Prisma schema. */
export function underivedSchemaError(name: string, problem: string): ConfigurationError {
  return new ConfigurationError(
    'E_UNDERIVED_SCHEMA',
    `ModelCache "${name}": its rows cannot be derived from the Prisma schema: ${problem}. Give ModelCacheModule.forRoot the ` +
      'Prisma client (in tests, give createTestCache `facts: schemaFactsOf(prisma)`), or the definition a `schema`.',
  )
}

/** The schema contains a type that cannot be serialized. */
export function unsupportedSchemaError(
  name: string,
  path: string,
  found: string,
  remedy: string,
): ConfigurationError {
  return new ConfigurationError(
    'E_UNSUPPORTED_SCHEMA',
    `ModelCache "${name}": schema has ${found} at "${path || '(root)'}", which cannot be cached. ${remedy}`,
  )
}

/** A hand-written reviver declares other paths than the schema implies. */
export function reviverMismatchError(name: string, path: string, problem: string): ConfigurationError {
  return new ConfigurationError(
    'E_REVIVER_MISMATCH',
    `ModelCache "${name}": reviver path "${path}" ${problem}`,
  )
}

/** Rows generated from the schema changed between encode and decode, so real rows would change too. */
export function codecProofError(
  name: string,
  path: string,
  stored: unknown,
  returned: unknown,
  cause?: unknown,
): ConfigurationError {
  return new ConfigurationError(
    'E_CODEC_PROOF',
    `ModelCache "${name}": a generated row changed at "${path || '(root)'}" between encode and decode: ` +
      `${show(stored)} was decoded as ${show(returned)}. The usual cause is a hand-written reviver or stringifier that does ` +
      `not match the schema; remove it to use the derived one. Otherwise leave the field out of the schema, and report this ` +
      `with the field's type.`,
    cause,
  )
}

/** The process forbids code generation. */
export function noCodeGenerationError(name: string): ConfigurationError {
  return new ConfigurationError(
    'E_NO_CODE_GENERATION',
    `ModelCache "${name}": this process forbids code generation, and the functions that read and write rows are compiled. Start it ` +
      'without --disallow-code-generation-from-strings.',
  )
}

/** An optional package is needed, and cannot be loaded. */
export function missingPackageError(
  name: string,
  purpose: string,
  otherwise: string,
  cause: unknown,
): ConfigurationError {
  return new ConfigurationError(
    'E_MISSING_PACKAGE',
    `model-cache: the package ${name}, which ${purpose}, cannot be loaded. Install it: npm install ${name}. Or ${otherwise}.`,
    cause,
  )
}

/** `forRoot` was imported twice for the same root. */
export function duplicateRootError(problem: string, remedy: string = importOneRoot): ConfigurationError {
  return new ConfigurationError('E_DUPLICATE_ROOT', `model-cache: ${problem}. ${remedy}`)
}

const importOneRoot =
  'Import ModelCacheModule.forRoot once, in the root module; a second database gets a root of its ' +
  "own: ModelCacheModule.forRoot({ name: 'billing', ... }) and forFeature([...], 'billing')."

/** The application runs another copy of Nest than the one that the library imports. */
export function duplicateNestError(): ConfigurationError {
  return new ConfigurationError(
    'E_DUPLICATE_NEST',
    'model-cache: the application runs another copy of @nestjs/core than the one that model-cache imports, so they do not share ' +
      'providers. `npm ls @nestjs/core` shows both. Give all packages of the repository one version of Nest, and install again.',
  )
}

/** Processes that are running use the namespace for the rows of another database. */
export function foreignDatabaseError(message: string): ConfigurationError {
  return new ConfigurationError('E_FOREIGN_DATABASE', message)
}

/** `forFeature` was imported without `forRoot`. */
export function missingRootError(name: string, root?: string): ConfigurationError {
  const [feature, option] = root === undefined ? ['', ''] : [`, '${root}'`, ` name: '${root}',`]
  return new ConfigurationError(
    'E_MISSING_ROOT',
    `ModelCache "${name}": ModelCacheModule.forFeature([...]${feature}) was imported, but no ` +
      `ModelCacheModule.forRoot({${option} ... }). ` +
      `Import ModelCacheModule.forRoot({${option} prisma: PrismaService, valkey: { url } }) once, in the root module.`,
  )
}

/** A client is to be extended, and there are no caches that its writes could invalidate. */
export function missingRootOfPrismaError(token: string, root?: string): ConfigurationError {
  const option = root === undefined ? '' : ` name: '${root}',`
  return new ConfigurationError(
    'E_MISSING_ROOT',
    `model-cache: provideExtendedPrisma(${token}) announces writes to caches, but no module imports ModelCacheModule.forRoot({${option} ... }). ` +
      `Import ModelCacheModule.forRoot({${option} prisma: ${token}, valkey: { url } }) once, in the root module; in a unit test, ` +
      `provide ${token} by a value instead.`,
  )
}

/** The default source needs a Prisma client, and there is none. */
export function missingPrismaError(
  name: string,
  problem: string,
  remedy: string,
  cause?: unknown,
): ConfigurationError {
  return new ConfigurationError(
    'E_MISSING_PRISMA',
    `ModelCache "${name}": its rows come from Prisma, but ${problem}. ${remedy}`,
    cause,
  )
}

/** Prisma's internals differ from what `extendPrisma` relies on, and the consistency mode is strict. */
export function prismaInternalsError(losses: readonly string[]): ConfigurationError {
  return new ConfigurationError(
    'E_PRISMA_INTERNALS',
    `model-cache: the internals of this Prisma version differ from what extendPrisma relies on: ${losses.join('; ')}. ` +
      `Use a Prisma version that model-cache supports, or the consistency mode 'available' with \`invalidate\`.`,
  )
}

/** Query hooks of the client see the reads of models whose queries caches answer. */
export function readHooksError(models: readonly string[]): ConfigurationError {
  return new ConfigurationError(
    'E_READ_HOOKS',
    `model-cache: query extensions of the client see reads of ${models.join(', ')}, whose queries caches answer. These caches load their ` +
      'rows below all extensions, so `cache.get` would return rows that the extensions filter or change, for example deleted ' +
      "ones. Give forRoot the client without these extensions, take the models out of `reads`, or set `reads: { hooks: 'skip' }` " +
      'if the extensions do not change results.',
  )
}

/** A query hook changes loads in a way in which writes do not invalidate. */
export function loadHooksError(name: string, what: string): ConfigurationError {
  return new ConfigurationError(
    'E_LOAD_HOOKS',
    `ModelCache "${name}": a query extension of the client ${what}, so rows of the cache would be missing or outdated without a write ` +
      'that invalidates them. Give forRoot the client without this extension, and extend it afterwards. A list may name the ' +
      'condition in its `where` instead.',
  )
}

/** `extendPrisma` was called twice for one PrismaClient, or for two clients extended from each other. */
export function alreadyExtendedError(): ConfigurationError {
  return new ConfigurationError(
    'E_ALREADY_EXTENDED',
    'model-cache: extendPrisma was called twice for the same PrismaClient, or for two clients extended from each other. Two ' +
      'fences per write would keep its rows out of the cache, and a second coordinator would miss its writes. Call extendPrisma ' +
      'once per `new PrismaClient()`; you may extend the client that it returns. If two applications or testing modules of one ' +
      'process share the client, create one for each, in the factory of provideExtendedPrisma.',
  )
}

/** A client was connected when it was extended, so that what it sends cannot be seen. */
export function connectedEarlyError(): ConfigurationError {
  return new ConfigurationError(
    'E_CONNECTED_EARLY',
    'model-cache: the PrismaClient had connected before extendPrisma was called, so its writes cannot be seen. Call extendPrisma ' +
      'right after `new PrismaClient()`, before $connect and the first query; or wrap its driver adapter, ' +
      '`new PrismaClient({ adapter: captured(adapter) })`, and extend the client at any time.',
  )
}

/** A client has no driver adapter, one that another client has, or one whose transactions begin in another context. */
export function adapterError(problem: string): ConfigurationError {
  return new ConfigurationError('E_ADAPTER', `model-cache: ${problem}`)
}

/** Something around the captured adapter has begun the transaction of a callback where `AsyncLocalStorage` does not know of it. */
export function lostContextError(): ConfigurationError {
  return adapterError(
    'the transaction of a callback has begun outside of the asynchronous context of its `$transaction`, so it is unknown which ' +
      'writes belong to the callback. Something that wraps the captured driver adapter calls `startTransaction` in another context, ' +
      'as a queue may do. Have `captured` wrap it, and not the other way round: `new PrismaClient({ adapter: captured(wrapped(adapter)) })`.',
  )
}
