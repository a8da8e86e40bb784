import { showValue as show, typeOf } from './shown-value.js'

/**
 * Every code of an error of the library, with the class that has it. The comment of each says what caused it, then what to do;
 * the message of the error names the cache, the option or the value.
 */
export const errorCodes = {
  // These stop the start of an application
  /** An option has a value that cannot work. Give it a value that the message lists. */
  E_INVALID_OPTION: 'ConfigurationError',
  /** A duration has no unit, is not a duration, or is below one second as a number. Write it with its unit: `'30s'`. */
  E_INVALID_DURATION: 'ConfigurationError',
  /** A unique key or a list does not fit the Prisma schema or the database. Correct or remove the lookup that is named. */
  E_INVALID_LOOKUP: 'ConfigurationError',
  /**
   * `model` or `dependsOn` names a model that the Prisma client does not have. Spell it as in the Prisma schema, run
   * `prisma generate`, or give the definition a `load` function.
   */
  E_UNKNOWN_MODEL: 'ConfigurationError',
  /**
   * Rows hold data of other models, and nothing says which writes outdate them. List these models in `dependsOn`, or set it to
   * `'ttl'` to accept outdated rows until their ttl ends.
   */
  E_MISSING_DEPENDENCIES: 'ConfigurationError',
  /** Two definitions have one name, and therefore the same keys. Export one definition, or give the second one a `name`. */
  E_DUPLICATE_DEFINITION: 'ConfigurationError',
  /** The id fields are not fields of the model, or do not identify one row. Choose the fields of a key as `id`. */
  E_INVALID_ID_FIELD: 'ConfigurationError',
  /** Prisma refuses the `select`, `include` or `omit` of a definition. Correct the field that is named. */
  E_INVALID_SELECTION: 'ConfigurationError',
  /**
   * A definition has no `schema`, and its rows cannot be derived from the Prisma schema. Give `forRoot` the Prisma client, or the
   * definition a `schema`.
   */
  E_UNDERIVED_SCHEMA: 'ConfigurationError',
  /** A `schema` contains a type that cannot be serialized. Use one of the supported types, or leave the field out. */
  E_UNSUPPORTED_SCHEMA: 'ConfigurationError',
  /** A hand-written `reviver` revives other paths than the schema has. Remove it, and the derived one is used. */
  E_REVIVER_MISMATCH: 'ConfigurationError',
  /**
   * A row that was generated from the schema is another one after it was encoded and decoded. Remove the hand-written `reviver` or
   * `stringifier`. Without one, leave the field out, and report it with its type.
   */
  E_CODEC_PROOF: 'ConfigurationError',
  /**
   * The process forbids code generation, and functions that read and write rows are compiled. Start it without
   * `--disallow-code-generation-from-strings`.
   */
  E_NO_CODE_GENERATION: 'ConfigurationError',
  /** An optional package is needed and cannot be loaded. Install it, or turn off what needs it, as the message says. */
  E_MISSING_PACKAGE: 'ConfigurationError',
  /** `ModelCacheModule.forRoot` was imported twice for one root. Import it once; a second database gets a named root. */
  E_DUPLICATE_ROOT: 'ConfigurationError',
  /**
   * The application and the library import different copies of `@nestjs/core`, mostly in a monorepo. `npm ls @nestjs/core` shows them;
   * give all packages one version of Nest.
   */
  E_DUPLICATE_NEST: 'ConfigurationError',
  /** `ModelCacheModule.forFeature` was imported without its `forRoot`. Import `forRoot` once, in the root module. */
  E_MISSING_ROOT: 'ConfigurationError',
  /** A cache reads its rows from Prisma, and there is no client that it can use. Give `forRoot` the class of your client. */
  E_MISSING_PRISMA: 'ConfigurationError',
  /**
   * Running processes use the namespace for the rows of another database. Give each database a namespace of its own, or hand the
   * namespace over with `npx model-cache hand-over`.
   */
  E_FOREIGN_DATABASE: 'ConfigurationError',
  /**
   * The internals of this Prisma version differ from those that `extendPrisma` relies on, and the consistency mode is `'strict'`.
   * Use a supported version of Prisma, or the mode `'available'` with `invalidate`.
   */
  E_PRISMA_INTERNALS: 'ConfigurationError',
  /**
   * Query extensions of the client see reads of models whose queries caches answer, so caches would return rows that the extensions
   * filter. Take the models out of `reads`, or set `reads: { hooks: 'skip' }` if the extensions do not change results.
   */
  E_READ_HOOKS: 'ConfigurationError',
  /**
   * A query extension of the client changes the loads of a cache in a way in which writes do not invalidate. Give `forRoot` the client
   * without it. This error rejects the read whose load shows it.
   */
  E_LOAD_HOOKS: 'ConfigurationError',
  /** `extendPrisma` was called twice for one client. Call it once for each `new PrismaClient()`. */
  E_ALREADY_EXTENDED: 'ConfigurationError',
  /** A client had connected before it was extended. Extend it at once, or wrap its driver adapter with `captured`. */
  E_CONNECTED_EARLY: 'ConfigurationError',
  /**
   * A client has no driver adapter, or one wrapped by `captured` that another client has: give each client one of its own. Or what wraps
   * the adapter loses the context of a transaction: have `captured` wrap that.
   */
  E_ADAPTER: 'ConfigurationError',
  /** An option of the inspector names a cache that the application does not have. Correct the name. */
  E_UNKNOWN_CACHE: 'ConfigurationError',
  /** The inspector was imported, and there are no caches to show. Import `ModelCacheModule.forRoot` in the root module. */
  E_MISSING_CACHES: 'ConfigurationError',
  /** The inspector has no guards, and `NODE_ENV` is `'production'`. Give its `forRoot` a guard of your own. */
  E_UNGUARDED_INSPECTOR: 'ConfigurationError',

  // These reject a call
  /**
   * A cache was used before `forRoot` has started, as in a constructor. Use it in a hook; in the `onModuleInit` of a global module only
   * if `forRoot` is imported before that module.
   */
  E_NOT_STARTED: 'ModelCacheError',
  /** An id, or the key of a lookup, has the wrong type. Validate what clients send before it reaches the cache. */
  E_INVALID_ID: 'InvalidIdError',
  /** A read names a unique key or a list that the definition does not have. Declare it in `unique` or `lists`. */
  E_UNKNOWN_LOOKUP: 'ModelCacheError',
  /** A `load` function returned rows of ids that were not requested, a row twice, or no list. Correct the function. */
  E_LOAD_CONTRACT: 'LoadContractError',
  /**
   * A load took longer than `loadTimeoutMs`, so its readers get this error and a late result is dropped. Look for a slow or blocked
   * query, or raise the limit.
   */
  E_LOAD_TIMEOUT: 'ModelCacheError',
  /** The load of a row reads the same row through a cache, so that it cannot end. Have one of the loads read the database. */
  E_LOAD_CYCLE: 'ModelCacheError',
  /**
   * A row does not match the schema of its cache and is not stored; reads still return it. Bring the schema in line with the
   * database. The message is logged, so it never contains the value.
   */
  E_ENCODE: 'ModelCacheError',
  /**
   * In the mode `'strict'` the store did not confirm the fence of a write before its commit, so the write was rolled back. Retry it
   * when the store is available, or use the mode `'available'`.
   */
  E_FENCE: 'FenceError',
  /** The log of the database cannot be followed at the moment; the follower retries. Do what the message says. */
  E_FOLLOW: 'ModelCacheError',
  /** The store answered with an error, is not connected, or is bypassed after failures. Check that the server is reachable. */
  E_STORE: 'StoreError',
  /** The user of the store may not run a command. Grant it as the message says; docs/operations.md lists all commands. */
  E_STORE_FORBIDDEN: 'StoreError',
  /** The store did not answer before the deadline of a command. Look for an overloaded server, network or event loop. */
  E_STORE_TIMEOUT: 'StoreError',
} as const

/** Stable code of an error, for programs. The message is for people and may change. */
export type ErrorCode = keyof typeof errorCodes

/** The codes of one class of errors. */
type CodeOf<Name extends (typeof errorCodes)[ErrorCode]> = {
  [Code in ErrorCode]: (typeof errorCodes)[Code] extends Name ? Code : never
}[ErrorCode]

/**
 * Base class of all errors of the library. Each has a stable `code` and a message that names the thing, what was expected
 * and what to do.
 */
export class ModelCacheError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
  }
}

/** An error that stops the start of an application. Later, only calls with options of their own throw it, and reads that meet E_LOAD_HOOKS. */
export class ConfigurationError extends ModelCacheError {
  declare readonly code: CodeOf<'ConfigurationError'>

  // oxlint-disable-next-line no-useless-constructor -- it takes the codes of this class alone
  constructor(code: CodeOf<'ConfigurationError'>, message: string, cause?: unknown) {
    super(code, message, cause)
  }
}

/** An id, or the key of a lookup, has the wrong type. */
export class InvalidIdError extends ModelCacheError {
  constructor(model: string, expected: string, actual: unknown, what: 'id' | 'key' = 'id') {
    super('E_INVALID_ID', `ModelCache "${model}": ${what} is ${show(actual)}; expected ${expected}.`)
  }
}

/** A `load` function broke its contract. */
export class LoadContractError extends ModelCacheError {
  constructor(model: string, problem: string) {
    super('E_LOAD_CONTRACT', `ModelCache "${model}": load ${problem}`)
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

/** The store did not answer, or answered with an error. The message never contains credentials, keys or values. */
export class StoreError extends ModelCacheError {
  declare readonly code: CodeOf<'StoreError'>

  constructor(store: string, problem: string, code: CodeOf<'StoreError'> = 'E_STORE') {
    super(code, `model-cache: ${store}: ${problem}`)
  }
}

/** Whether an error is one of the library, with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is ModelCacheError {
  return error instanceof ModelCacheError && error.code === code
}

/** A cache was used before its root has started. */
export function notStartedError(cache: string): ModelCacheError {
  return new ModelCacheError(
    'E_NOT_STARTED',
    `ModelCache "${cache}": was used before ModelCacheModule.forRoot has started, as in a constructor, or in onModuleInit of a @Global() ` +
      'module that is imported before it. Import ModelCacheModule.forRoot before that module, or use the cache in ' +
      'onApplicationBootstrap or later. Without Nest, use it after `start` of its CacheRegistry.',
  )
}

/** The store did not answer before the deadline. */
export function storeTimeoutError(store: string, command: string, deadlineMs: number): StoreError {
  return new StoreError(
    store,
    `${command} took longer than its deadline of ${deadlineMs} ms`,
    'E_STORE_TIMEOUT',
  )
}

/**
 * A row does not match its schema and is not stored. The message names model, path and type; it is logged, so it never
 * contains the value.
 *
 * @param path dotted path of the value; `''` for the row itself
 */
export function encodeError(model: string, path: string, expected: string, actual: unknown): ModelCacheError {
  return new ModelCacheError(
    'E_ENCODE',
    `ModelCache "${model}": value at "${path || '(root)'}" cannot be cached: expected ${expected}, got ${typeOf(actual)}.`,
  )
}

/** A read names a lookup that the definition does not have. */
export function unknownLookupError(
  cache: string,
  kind: 'unique' | 'list' | undefined,
  lookup: unknown,
  known: readonly string[],
): ModelCacheError {
  const what = kind === undefined ? 'lookup' : kind === 'unique' ? 'unique key' : 'list'
  return new ModelCacheError(
    'E_UNKNOWN_LOOKUP',
    `ModelCache "${cache}": has no ${what} ${show(lookup)}; its definition has ${known.join(', ') || 'none'}.`,
  )
}

/**
 * A load did not end within its deadline. Its readers get this error; what its source gives later is dropped.
 *
 * @param awaited the caches whose loads it was waiting for, the nearest first
 */
export function loadTimeoutError(
  model: string,
  timeoutMs: number,
  awaited: readonly string[] = [],
): ModelCacheError {
  const waiting =
    awaited.length === 0
      ? 'Its source did not answer'
      : `It reads other caches, and waited for ${awaited.map((name) => `"${name}"`).join(', then ')}`
  return new ModelCacheError(
    'E_LOAD_TIMEOUT',
    `ModelCache "${model}": a load took longer than its deadline of ${timeoutMs} ms, and was given up. ${waiting}. Find out why, or ` +
      'raise `loadTimeoutMs` if it may take longer.',
  )
}

/**
 * The load of a row reads the same row, so that it cannot end.
 *
 * @param path the caches whose loads led from the row to itself
 */
export function loadCycleError(model: string, path: readonly string[]): ModelCacheError {
  return new ModelCacheError(
    'E_LOAD_CYCLE',
    `ModelCache "${model}": the load of a row needs the row itself: ${path.join(' → ')}. Have one of these loads read the database ` +
      'instead of a cache.',
  )
}
