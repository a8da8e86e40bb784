import { showValue as show, typeOf } from './shown-value.js'

/**
 * Base class of all errors of the library. Each has a stable `code` and a message that names the thing, what was expected
 * and what to do.
 */
export class ModelCacheError extends Error {
  /** Stable code for programs, `E_…`. The message is for people and may change. */
  readonly code: string

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.name = new.target.name
  }
}

/** Base class of the errors that stop the start of an application. They are never thrown later. */
export class ConfigurationError extends ModelCacheError {}

/** An option has an invalid value. */
export class InvalidOptionError extends ConfigurationError {
  constructor(option: string, actual: unknown, expected: string) {
    super('E_INVALID_OPTION', `model-cache: option "${option}" is ${show(actual)}; expected ${expected}.`)
  }
}

/** A lookup of a definition cannot work with the Prisma schema or the database. */
export class InvalidLookupError extends ConfigurationError {
  constructor(cache: string, lookup: string, problem: string, cause?: unknown) {
    super('E_INVALID_LOOKUP', `ModelCache "${cache}": lookup "${lookup}" ${problem}`, cause)
  }
}

/** A duration, such as a ttl, is invalid. */
export class InvalidDurationError extends ConfigurationError {
  constructor(model: string, option: string, actual: unknown) {
    const expected =
      typeof actual === 'number' && actual > 0 && actual < 1_000
        ? `, which would be ${actual} ms: give the unit, as in '${actual}s', or '${actual}ms' if you mean that.`
        : "; expected a string such as '500ms', '30s', '10m', '2h' or '1d', or milliseconds of at least 1000."
    super('E_INVALID_DURATION', `ModelCache "${model}": ${option} is ${show(actual)}${expected}`)
  }
}

/** The definition names a model that the Prisma client does not have. */
export class UnknownModelError extends ConfigurationError {
  constructor(
    name: string,
    model: string,
    known: readonly string[],
    option: 'model' | 'dependsOn' = 'model',
  ) {
    const meant = known.find((other) => other.toLowerCase() === model.toLowerCase())
    const remedies = [`Correct \`${option}\``, 'run `prisma generate`']
    if (option === 'model') remedies.push('give a `load` function')
    super(
      'E_UNKNOWN_MODEL',
      `ModelCache "${name}": the Prisma client has no model "${model}"; ` +
        (meant === undefined
          ? `it has ${known.join(', ') || 'none'}. ${remedies.slice(0, -1).join(', ')}, or ${remedies.at(-1)}.`
          : `did you mean "${meant}"? Spell model names as in the Prisma schema, since writes are matched by them.`),
    )
  }
}

/** Rows hold data of other models, and the definition has no `dependsOn` that covers them. */
export class MissingDependenciesError extends ConfigurationError {
  constructor(name: string, reason: string, models: readonly string[] = []) {
    const list = models.map((model) => `'${model}'`).join(', ')
    super(
      'E_MISSING_DEPENDENCIES',
      `ModelCache "${name}": ${reason}, and \`dependsOn\` does not say which writes to other models outdate them. ` +
        `Set \`dependsOn: [${list}]\` to the models whose writes empty this cache, or \`dependsOn: 'ttl'\` to accept ` +
        'outdated rows until their ttl ends.',
    )
  }
}

/** Two definitions have the same name, and therefore the same keys. */
export class DuplicateDefinitionError extends ConfigurationError {
  constructor(name: string) {
    super(
      'E_DUPLICATE_DEFINITION',
      `ModelCache "${name}": two definitions have this name, and therefore the same keys. Export one definition ` +
        `and register it in every module, or give the second one its own \`name\`.`,
    )
  }
}

/** The id fields do not identify one row, or are not fields of the model. */
export class InvalidIdFieldError extends ConfigurationError {
  constructor(name: string, fields: readonly string[], problem: string, cause?: unknown) {
    super(
      'E_INVALID_ID_FIELD',
      `ModelCache "${name}": id ${fields.map((field) => `"${field}"`).join(' + ')} ${problem}`,
      cause,
    )
  }
}

/** Prisma refuses the `select` or `include` of a definition. */
export class InvalidSelectionError extends ConfigurationError {
  constructor(name: string, problem: string, cause?: unknown) {
    super('E_INVALID_SELECTION', `ModelCache "${name}": ${problem}`, cause)
  }
}

/** A definition has no `schema`, and its rows cannot be derived from the Prisma schema. */
export class UnderivedSchemaError extends ConfigurationError {
  constructor(name: string, problem: string) {
    super(
      'E_UNDERIVED_SCHEMA',
      `ModelCache "${name}": its rows cannot be derived from the Prisma schema: ${problem}. Give ModelCacheModule.forRoot the ` +
        'Prisma client (in tests, give createTestCache `facts: schemaFactsOf(prisma)`), or the definition a `schema`.',
    )
  }
}

/** The schema contains a type that cannot be serialized. */
export class UnsupportedSchemaError extends ConfigurationError {
  constructor(name: string, path: string, found: string, remedy: string) {
    super(
      'E_UNSUPPORTED_SCHEMA',
      `ModelCache "${name}": schema has ${found} at "${path || '(root)'}", which cannot be cached. ${remedy}`,
    )
  }
}

/** A hand-written reviver declares other paths than the schema implies. */
export class ReviverMismatchError extends ConfigurationError {
  constructor(name: string, path: string, problem: string) {
    super('E_REVIVER_MISMATCH', `ModelCache "${name}": reviver path "${path}" ${problem}`)
  }
}

/** Rows generated from the schema changed between encode and decode, so real rows would change too. */
export class CodecProofError extends ConfigurationError {
  constructor(name: string, path: string, stored: unknown, returned: unknown, cause?: unknown) {
    super(
      'E_CODEC_PROOF',
      `ModelCache "${name}": a generated row changed at "${path || '(root)'}" between encode and decode: ` +
        `${show(stored)} was decoded as ${show(returned)}. The usual cause is a hand-written reviver or stringifier that does ` +
        `not match the schema; remove it to use the derived one. Otherwise leave the field out of the schema, and report this ` +
        `with the field's type.`,
      cause,
    )
  }
}

/** `forRoot` was imported twice for the same root. */
export class DuplicateRootError extends ConfigurationError {
  constructor(problem: string, remedy: string = importOneRoot) {
    super('E_DUPLICATE_ROOT', `model-cache: ${problem}. ${remedy}`)
  }
}

const importOneRoot =
  'Import ModelCacheModule.forRoot once, in the root module; a second database gets a root of its ' +
  "own: ModelCacheModule.forRoot({ name: 'billing', ... }) and forFeature([...], 'billing')."

/** Processes that are running use the namespace for the rows of another database. */
export class ForeignDatabaseError extends ConfigurationError {
  constructor(message: string) {
    super('E_FOREIGN_DATABASE', message)
  }
}

/** `forFeature` was imported without `forRoot`. */
export class MissingRootError extends ConfigurationError {
  constructor(name: string, root?: string) {
    const [feature, option] = root === undefined ? ['', ''] : [`, '${root}'`, ` name: '${root}',`]
    super(
      'E_MISSING_ROOT',
      `ModelCache "${name}": ModelCacheModule.forFeature([...]${feature}) was imported, but no ` +
        `ModelCacheModule.forRoot({${option} ... }). ` +
        `Import ModelCacheModule.forRoot({${option} prisma: PrismaService, valkey: { url } }) once, in the root module.`,
    )
  }
}

/** The default source needs a Prisma client, and there is none. */
export class MissingPrismaError extends ConfigurationError {
  constructor(name: string, problem: string, remedy: string, cause?: unknown) {
    super(
      'E_MISSING_PRISMA',
      `ModelCache "${name}": its rows come from Prisma, but ${problem}. ${remedy}`,
      cause,
    )
  }
}

/** Prisma's internals differ from what `extendPrisma` relies on, and the consistency mode is strict. */
export class PrismaInternalsError extends ConfigurationError {
  constructor(losses: readonly string[]) {
    super(
      'E_PRISMA_INTERNALS',
      `model-cache: the internals of this Prisma version differ from what extendPrisma relies on: ${losses.join('; ')}. ` +
        `Use a Prisma version that model-cache supports, or the consistency mode 'available' with \`invalidate\`.`,
    )
  }
}

/** Query hooks of the client see the reads of models whose queries caches answer. */
export class ReadHooksError extends ConfigurationError {
  constructor(models: readonly string[]) {
    super(
      'E_READ_HOOKS',
      `model-cache: query extensions of the client see reads of ${models.join(', ')}, whose queries caches answer. These caches load their ` +
        'rows below all extensions, so `cache.get` would return rows that the extensions filter or change, for example deleted ' +
        "ones. Give forRoot the client without these extensions, take the models out of `reads`, or set `reads: { hooks: 'skip' }` " +
        'if the extensions do not change results.',
    )
  }
}

/** `extendPrisma` was called twice for one PrismaClient, or for two clients extended from each other. */
export class AlreadyExtendedError extends ConfigurationError {
  constructor() {
    super(
      'E_ALREADY_EXTENDED',
      'model-cache: extendPrisma was called twice for the same PrismaClient, or for two clients extended from each other. Two ' +
        'fences per write would keep its rows out of the cache, and a second coordinator would miss its writes. Call extendPrisma ' +
        'once per `new PrismaClient()`; you may extend the client that it returns.',
    )
  }
}

/**
 * A row does not match its schema and is not stored. The message names model, path and type; it is logged, so it never
 * contains the value.
 */
export class EncodeError extends ModelCacheError {
  constructor(
    readonly model: string,
    /** Dotted path of the value; `''` for the row itself. */
    readonly path: string,
    expected: string,
    actual: unknown,
  ) {
    super(
      'E_ENCODE',
      `ModelCache "${model}": value at "${path || '(root)'}" cannot be cached: expected ${expected}, got ${typeOf(actual)}.`,
    )
  }
}

/** An id, or the key of a lookup, has the wrong type. */
export class InvalidIdError extends ModelCacheError {
  constructor(model: string, expected: string, actual: unknown, what: 'id' | 'key' = 'id') {
    super('E_INVALID_ID', `ModelCache "${model}": ${what} is ${show(actual)}; expected ${expected}.`)
  }
}

/** A read names a lookup that the definition does not have. */
export class UnknownLookupError extends ModelCacheError {
  constructor(cache: string, kind: 'unique' | 'list' | undefined, lookup: unknown, known: readonly string[]) {
    const what = kind === undefined ? 'lookup' : kind === 'unique' ? 'unique key' : 'list'
    super(
      'E_UNKNOWN_LOOKUP',
      `ModelCache "${cache}": has no ${what} ${show(lookup)}; its definition has ${known.join(', ') || 'none'}.`,
    )
  }
}

/** A `load` function broke its contract. */
export class LoadContractError extends ModelCacheError {
  constructor(model: string, problem: string) {
    super('E_LOAD_CONTRACT', `ModelCache "${model}": load ${problem}`)
  }
}

/** A load did not end within its deadline. Its readers get this error; what its source gives later is dropped. */
export class LoadTimeoutError extends ModelCacheError {
  /** @param awaited the caches whose loads it was waiting for, the nearest first */
  constructor(
    readonly model: string,
    timeoutMs: number,
    awaited: readonly string[] = [],
  ) {
    const waiting =
      awaited.length === 0
        ? 'Its source did not answer'
        : `It reads other caches, and waited for ${awaited.map((name) => `"${name}"`).join(', then ')}`
    super(
      'E_LOAD_TIMEOUT',
      `ModelCache "${model}": a load took longer than its deadline of ${timeoutMs} ms, and was given up. ${waiting}. Find out why, or ` +
        'raise `loadTimeoutMs` if it may take longer.',
    )
  }
}

/** The load of a row reads the same row, so that it cannot end. */
export class LoadCycleError extends ModelCacheError {
  /** @param path the caches whose loads led from the row to itself */
  constructor(
    readonly model: string,
    readonly path: readonly string[],
  ) {
    super(
      'E_LOAD_CYCLE',
      `ModelCache "${model}": the load of a row needs the row itself: ${path.join(' → ')}. Have one of these loads read the database ` +
        'instead of a cache.',
    )
  }
}

/** In strict mode, the store did not confirm the fence of a write before its commit, so the write was rolled back. */
export class FenceError extends ModelCacheError {
  /** @param name the cache; undefined if the store did not answer which caches the write affects */
  constructor(name: string | undefined, cause: unknown) {
    const problem =
      name === undefined
        ? 'model-cache: a write was not committed, because the store did not answer which caches it affects'
        : `ModelCache "${name}": a write was not committed, because the store did not confirm its fence`
    super(
      'E_FENCE',
      `${problem}, and the consistency mode is 'strict'. Retry when the store is available, or use the mode 'available'. The reason: ` +
        (cause instanceof Error ? cause.message : String(cause)),
      cause,
    )
  }
}

/** The log of the database cannot be followed, or not any more. */
export class FollowError extends ModelCacheError {
  constructor(problem: string, cause?: unknown) {
    super('E_FOLLOW', `model-cache: ${problem}`, cause)
  }
}

/**
 * The store did not answer, or answered with an error; the code is `E_STORE_FORBIDDEN` if it does not permit the command. The
 * message never contains credentials, keys or values.
 */
export class StoreError extends ModelCacheError {
  constructor(store: string, problem: string, code = 'E_STORE') {
    super(code, `model-cache: ${store}: ${problem}`)
  }
}

/** The store did not answer before the deadline. */
export class StoreTimeoutError extends StoreError {
  constructor(store: string, command: string, deadlineMs: number) {
    super(store, `${command} took longer than its deadline of ${deadlineMs} ms`, 'E_STORE_TIMEOUT')
  }
}
