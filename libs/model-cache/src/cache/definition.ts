import type { Type } from 'arktype'
import type { WireFormat } from '../codec/codec.js'
import type { ExactSchema } from '../codec/exact-schema.js'
import type { ReviverSchema } from '../codec/reviver-schema.js'
import type { Stringifier } from '../codec/stringifier.js'
import { InvalidIdFieldError, InvalidOptionError, MissingDependenciesError } from '../errors.js'
import type { Duration } from './duration.js'
import { parseDuration } from './duration.js'
import type { L1Options } from './l1.js'
import type { ModelCache } from './model-cache.js'

type IdScalar = string | number | bigint
/** Fields of a row that may be (part of) its id. */
type IdField<Row> = { [K in keyof Row & string]: Row[K] extends IdScalar ? K : never }[keyof Row & string]
type IdFields<Row> = IdField<Row> | readonly [IdField<Row>, IdField<Row>, ...IdField<Row>[]]

/** What a row is asked for by: the value of its one id field, or an object of its several. */
export type IdOf<Row, Fields> = Fields extends readonly (infer F)[]
  ? { readonly [K in F & keyof Row]: Row[K] }
  : Fields extends keyof Row
    ? Row[Fields]
    : never

export interface ModelCacheOptions<Row, S extends Type, Fields extends IdFields<Row>> {
  /** The Prisma model. Its delegate loads rows unless there is a `load`. */
  readonly model: string
  /** The ArkType schema of a row. It does not compile unless it is exactly `Row`. */
  readonly schema: ExactSchema<Row, S>
  /** The field that identifies a row, or several: `['orgId', 'slug']`. */
  readonly id: Fields
  /** How long a row stays in the store. */
  readonly ttl: Duration
  /** How long a missing row is cached (negative caching); 0 switches it off. @default the shorter of `ttl` and `'30s'` */
  readonly notFoundTtl?: Duration
  /**
   * Refresh-ahead: how long before the end of its ttl a row is reloaded in the background when it is read. Rows that are read often
   * then do not expire. Shorter than `ttl`. @default none
   */
  readonly refreshAhead?: Duration
  /**
   * How long an expired row may still be returned: while another process reloads it (stale-while-revalidate), or when the source
   * fails (stale-if-error). An invalidated row is never returned. @default none
   */
  readonly staleFor?: Duration
  /**
   * Keeps rows in the memory of this process as well, for a short time. Writes of this process remove them at once, writes of other
   * processes by messages. While messages do not arrive, memory is not used. @default none
   */
  readonly l1?: L1Settings
  /**
   * `'copies'`: every caller gets a row of its own and may change it. `'shared'`: concurrent callers get the same row, deeply
   * frozen. @default 'copies'
   */
  readonly rows?: 'copies' | 'shared'
  /** Size in bytes from which a serialized row counts as large: a metric counts it, and the log warns once. @default 65_536 */
  readonly largePayloadBytes?: number
  /** The name of the cache in keys and metrics. A second cache of a model needs one. @default `model` */
  readonly name?: string
  /** Prisma's `select` for loading rows. @default the fields of `schema` */
  readonly select?: object
  /** Prisma's `include` for loading rows. */
  readonly include?: object
  /**
   * Loads rows by other means than Prisma's delegate: the rows of these ids, in any order, without those that do not exist. It must
   * not keep the rows, because callers may change them. `client` is the `prisma` of `forRoot`.
   */
  readonly load?: (
    client: never,
    ids: readonly IdOf<Row, Fields>[],
  ) => Promise<readonly Row[]> | readonly Row[]
  /**
   * The other Prisma models whose data the rows hold. A write to one of them through `extendPrisma` invalidates all rows of this
   * cache. `'ttl'` accepts that such a write becomes visible only when the ttl of a row ends. Required with relations in `select` or
   * `include`, and with `load`, where `[]` means that it reads its own model only.
   */
  readonly dependsOn?: 'ttl' | readonly string[]
  /** The wire format of rows; see docs/codec.md. @default `'record'` if it supports the schema, else `'json'` */
  readonly format?: WireFormat
  /** The paths of dates, decimals, bigints and bytes in JSON. Implies `format: 'json'`. @default derived from `schema` */
  readonly reviver?: ReviverSchema<Row>
  /** Serializes a row to JSON. Implies `format: 'json'`. @default derived from `schema` */
  readonly stringifier?: Stringifier<Row>
  /** Part of all keys: change it when a `stringifier` or a `load` changes in a way that the schema does not show. @default none */
  readonly version?: string | number
}

export interface L1Settings {
  /** How long a row stays, at most `ttl`; up to a tenth is subtracted at random. @default '1s' */
  readonly ttl?: Duration
  /** The maximum number of rows; the least recently used are evicted first. @default 1_000 */
  readonly maxEntries?: number
  /** Approximately the maximum memory of all rows, in bytes. @default 67_108_864 */
  readonly maxBytes?: number
}

/** A checked, frozen definition: what forFeature registers and `@InjectModelCache` asks for. */
export interface ModelCacheDefinition<Row, Id> {
  readonly name: string
  readonly model: string
  readonly schema: Type
  readonly idFields: readonly string[]
  readonly ttlMs: number
  readonly notFoundTtlMs: number
  readonly refreshAheadMs: number
  readonly staleForMs: number
  readonly l1: L1Options | undefined
  readonly sharesRows: boolean
  readonly largePayloadBytes: number
  readonly select: object | undefined
  readonly include: object | undefined
  readonly load: ((client: never, ids: readonly Id[]) => Promise<readonly Row[]> | readonly Row[]) | undefined
  readonly dependsOn: 'ttl' | readonly string[] | undefined
  readonly format: WireFormat | undefined
  readonly reviver: ReviverSchema<Row> | undefined
  readonly stringifier: Stringifier<Row> | undefined
  readonly version: string | number | undefined
}

/**
 * The cache of a definition, for where it is injected: its rows and ids cannot be mistyped.
 *
 * @example
 * ```ts
 * constructor(@InjectModelCache(userCache) private readonly users: CacheOf<typeof userCache>) {}
 * ```
 */
export type CacheOf<Definition> =
  Definition extends ModelCacheDefinition<infer Row, infer Id> ? ModelCache<Row, Id> : never

/** A definition of any row, for collections of them. */
// eslint-disable-next-line typescript/no-explicit-any -- rows and ids differ from one to the next
export type AnyModelCacheDefinition = ModelCacheDefinition<any, any>

/**
 * Defines the cache of one model. The row type is given, everything else is checked against it.
 *
 * @throws InvalidOptionError, InvalidDurationError, InvalidIdFieldError, MissingDependenciesError
 * @example
 * ```ts
 * export const userCache = defineModelCache<User>()({
 *   model: 'User',
 *   schema: type({ id: 'string', name: 'string', bornAt: 'Date | null' }),
 *   id: 'id',
 *   ttl: '10m',
 * })
 * ```
 */
export function defineModelCache<Row>() {
  return <S extends Type, const Fields extends IdFields<Row>>(
    options: ModelCacheOptions<Row, S, Fields>,
  ): ModelCacheDefinition<Row, IdOf<Row, Fields>> => {
    const { model, name = model } = options
    assertName('model', model)
    assertName('name', name)
    const ttlMs = parseDuration(options.ttl, name, 'ttl')
    if (options.load && (options.select || options.include)) {
      throw new InvalidOptionError('load', options.load, 'to stand alone: it replaces `select` and `include`')
    }
    return Object.freeze({
      name,
      model,
      schema: options.schema as Type,
      idFields: validIdFields(options.id as string | readonly string[], name),
      ttlMs,
      notFoundTtlMs: notFoundTtlOf(options.notFoundTtl, ttlMs, name),
      refreshAheadMs: refreshAheadMsOf(options.refreshAhead, ttlMs, name),
      staleForMs: options.staleFor === undefined ? 0 : parseDuration(options.staleFor, name, 'staleFor'),
      l1: options.l1 && l1OptionsOf(options.l1, ttlMs, name),
      sharesRows: sharesRowsOf(options.rows),
      largePayloadBytes: positive('largePayloadBytes', options.largePayloadBytes ?? 65_536),
      select: options.select,
      include: options.include,
      load: options.load,
      dependsOn: validDependencies(options, name),
      format: options.format,
      reviver: options.reviver,
      stringifier: options.stringifier,
      version: options.version,
    })
  }
}

function notFoundTtlOf(notFoundTtl: Duration | undefined, ttlMs: number, name: string): number {
  if (notFoundTtl === undefined) return Math.min(ttlMs, 30_000)
  return notFoundTtl === 0 ? 0 : parseDuration(notFoundTtl, name, 'notFoundTtl')
}

function refreshAheadMsOf(refreshAhead: Duration | undefined, ttlMs: number, name: string): number {
  if (refreshAhead === undefined) return 0
  const refreshAheadMs = parseDuration(refreshAhead, name, 'refreshAhead')
  if (refreshAheadMs < ttlMs) return refreshAheadMs
  throw new InvalidOptionError('refreshAhead', refreshAhead, 'a time that is shorter than `ttl`')
}

function l1OptionsOf(l1: L1Settings, ttlMs: number, name: string): L1Options {
  const { ttl = Math.min(1_000, ttlMs), maxEntries = 1_000, maxBytes = 64 * 2 ** 20 } = l1
  const l1TtlMs = parseDuration(ttl, name, 'l1.ttl')
  if (l1TtlMs > ttlMs) throw new InvalidOptionError('l1.ttl', ttl, 'a time that is not longer than `ttl`')
  return {
    ttlMs: l1TtlMs,
    maxEntries: positive('l1.maxEntries', maxEntries),
    maxBytes: positive('l1.maxBytes', maxBytes),
  }
}

function sharesRowsOf(rows: unknown): boolean {
  if (rows !== undefined && rows !== 'copies' && rows !== 'shared') {
    throw new InvalidOptionError('rows', rows, "'copies' or 'shared'")
  }
  return rows === 'shared'
}

function positive(option: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidOptionError(option, value, 'a positive whole number')
  }
  return value
}

function validDependencies(
  { dependsOn, load }: { readonly dependsOn?: unknown; readonly load?: unknown },
  name: string,
): 'ttl' | readonly string[] | undefined {
  if (load && dependsOn === undefined) throw new MissingDependenciesError(name, '`load` may read any model')
  if (dependsOn === undefined || dependsOn === 'ttl') return dependsOn
  if (!Array.isArray(dependsOn))
    throw new InvalidOptionError('dependsOn', dependsOn, "'ttl' or a list of models")
  for (const model of dependsOn) assertName('dependsOn', model)
  return Object.freeze([...new Set(dependsOn as string[])])
}

/** Names stand in keys and in metric labels. */
function assertName(option: string, value: unknown): void {
  if (typeof value !== 'string' || !/^[A-Za-z][\w.-]*$/.test(value)) {
    throw new InvalidOptionError(option, value, 'a letter, then letters, digits, "_", "-" or "."')
  }
}

function validIdFields(id: string | readonly string[], name: string): readonly string[] {
  const fields = typeof id === 'string' ? [id] : [...(id ?? [])]
  if (fields.length === 0)
    throw new InvalidIdFieldError(name, [], 'is empty; name the field that identifies a row.')
  if (new Set(fields).size < fields.length)
    throw new InvalidIdFieldError(name, fields, 'names a field twice.')
  return Object.freeze(fields)
}
