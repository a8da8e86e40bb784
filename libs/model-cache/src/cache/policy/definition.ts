import { copyByValue, type WireFormat } from '../../codec/codec.js'
import type { ExactSchema } from '../../codec/exact-schema.js'
import type { ReviverSchema } from '../../codec/reviver-schema.js'
import type { RowSchema } from '../../codec/row-schema.js'
import type { Stringifier } from '../../codec/stringifier.js'
import {
  invalidIdFieldError,
  invalidOptionError,
  missingDependenciesError,
} from '../../configuration-errors.js'
import { type CompressOptions, parseBytes } from './byte-size.js'
import type { Duration } from './duration.js'
import { parseDuration } from './duration.js'
import type { L1Options } from '../read/l1.js'
import type { ModelCache } from '../model-cache.js'
import { modelOfRegister } from '../results/register-name.js'
import {
  type KeyFields,
  type KeyOf,
  type KeyScalars,
  type ListOptions,
  type LookupDefinition,
  type LookupKeys,
  type NoLookups,
  type UniqueOptions,
} from './lookup-options.js'
import { lookupsIn } from './lookups-in.js'

type IdScalar = string | number | bigint
/** Fields of a row that may be (part of) its id. */
type IdField<Row> = { [K in keyof Row & string]: Row[K] extends IdScalar ? K : never }[keyof Row & string]
type IdFields<Row> = IdField<Row> | readonly [IdField<Row>, IdField<Row>, ...IdField<Row>[]]

/** The id of a row: the value of its one id field, or an object of several. */
export type IdOf<Row, Fields> = Fields extends readonly (infer F)[]
  ? { readonly [K in F & keyof Row]: Row[K] }
  : Fields extends keyof Row
    ? Row[Fields]
    : never

/** The options of every cache, whether its rows are derived from the Prisma schema or described by hand. */
export interface CacheOptions {
  /** How long a row stays in the store. */
  readonly ttl: Duration
  /**
   * Negative caching: how long the cache stores that a row does not exist; 0 for not at all.
   * @default the shorter of `ttl` and `'30s'`
   */
  readonly notFoundTtl?: Duration
  /**
   * Refresh-ahead: a row that is read this long before its expiry, or later, is loaded again in the background, so that rows in
   * use do not expire. @default no refresh-ahead
   */
  readonly refreshAhead?: Duration
  /**
   * How long after its expiry a reader may get the stale row: while another process loads it (stale-while-revalidate), when the
   * source fails (stale-if-error), or while the event loop is under pressure. Nobody gets an invalidated row. @default no stale rows
   */
  readonly staleFor?: Duration
  /**
   * Keeps rows in the memory of this process too, for a short time. Writes of this process remove them at once, writes of other
   * processes by messages; while no messages arrive, the cache does not use L1. `'hot'` is `{ hot: 10 }`: only rows that this process
   * reads at least ten times a second. @default no L1
   */
  readonly l1?: L1Settings | 'hot'
  /**
   * `'copies'`: every caller gets a row of its own and may change it; callers share only its decimals, which no method changes.
   * `'shared'`: callers in the same tick share one row, and must not change it. The cache freezes it deeply if it has several
   * callers or stays in L1; otherwise nobody else has it. @default 'copies'
   */
  readonly rows?: 'copies' | 'shared'
  /**
   * Compresses large rows and lists with zstd, in the store and on the way to it. Node has zstd from 22.15 and 23.8 on; without it, nothing
   * is compressed, and the log says so at the start. @default no compression
   */
  readonly compress?: CompressOptions
  /** From how many bytes on a stored row counts as large. The log warns about the first one. @default 65_536 */
  readonly largePayloadBytes?: number
  /** Distinguishes several caches of one model; part of keys and metric labels. @default `model` */
  readonly name?: string
  /**
   * Other Prisma models whose data the rows hold. A write to one of them through `extendPrisma` invalidates the whole cache,
   * because the library cannot know which rows hold what was written. `'ttl'` accepts that such a write shows only when a row
   * expires. Required with relations in `select`, `include` or `schema`, for a `view`, whose tables it names, and with `load`, where
   * `[]` says that it reads its own model only.
   */
  readonly dependsOn?: 'ttl' | readonly string[]
  /**
   * `'required'`: while nobody follows the database's log, reads bypass the cache, because writes outside Prisma go unnoticed. Needs
   * `follow` in forRoot; see docs/follow.md. @default reads use the cache, and such writes show when it is followed again
   */
  readonly follow?: 'required'
  /** The wire format; see docs/codec.md. @default `'record'` where it supports the schema, else `'json'` */
  readonly format?: WireFormat
  /** Changes all keys: raise it when a hand-written `stringifier` or `load` changes in a way that the schema does not show. */
  readonly version?: string | number
}

/** The options of a cache whose rows you describe by hand. */
export interface ModelCacheOptions<
  Row,
  S extends RowSchema,
  Fields extends IdFields<Row>,
  Unique = Record<never, never>,
  Lists = Record<never, never>,
> extends CacheOptions {
  /** The Prisma model. Its delegate is the default source of rows. */
  readonly model: string
  /** The ArkType schema of a row. Does not compile unless it is exactly `Row`. */
  readonly schema: ExactSchema<Row, S>
  /** The field that identifies a row, or several fields: `['orgId', 'slug']`. */
  readonly id: Fields
  /** Prisma's `select` for loading rows. @default the fields of `schema` */
  readonly select?: object
  /** Prisma's `include` for loading rows. */
  readonly include?: object
  /**
   * Replaces the default source: returns the rows of the ids, in any order, and leaves out those that do not exist. The cache
   * owns the rows from then on, so `load` must not keep them. `client` is the `prisma` of forRoot.
   */
  readonly load?: (
    client: never,
    ids: readonly IdOf<Row, Fields>[],
  ) => Promise<readonly Row[]> | readonly Row[]
  /** The paths to revive, by hand. @default derived from `schema` */
  readonly reviver?: ReviverSchema<Row>
  /** A serializer of rows, by hand. @default derived from `schema` */
  readonly stringifier?: Stringifier<Row>
  /**
   * Unique keys besides the id, by name: `{ place: ['fundraiserId', 'lot'] }`. `cache.getBy` reads rows by them. Needs a `model`
   * of Prisma, and no `load`.
   */
  readonly unique?: { readonly [Name in keyof Unique]: UniqueOptions<Unique[Name]> }
  /** Lists of rows, by name: `{ ofFundraiser: { by: 'fundraiserId' } }`. `cache.list` reads them. Needs what `unique` needs. */
  readonly lists?: { readonly [Name in keyof Lists]: ListOptions<Row, Lists[Name]> }
}

export interface L1Settings {
  /** How long a row stays, less up to a tenth; at most the `ttl` of the cache. @default '1s' */
  readonly ttl?: Duration
  /**
   * Keeps only hot rows: those that this process reads at least so often a second. Of those, at most `maxEntries` and 1,024, those
   * that are read most. @default every row
   */
  readonly hot?: number
  /** The maximum number of rows; the least recently used are evicted first. @default 1_000 */
  readonly maxEntries?: number
  /** Approximately the maximum memory of all rows, in bytes. @default 67_108_864 */
  readonly maxBytes?: number
}

/** The keys by which callers read the lookups of a definition. */
export interface KeysOf<Row, Unique, Lists> {
  readonly unique: { readonly [Name in keyof Unique]: KeyOf<Row, Unique[Name]> }
  readonly lists: { readonly [Name in keyof Lists]: KeyOf<Row, Lists[Name]> }
}

/** Carries a type that has no value. */
declare const keysOf: unique symbol

/** A validated, frozen definition, for `forFeature` and `@InjectModelCache`. */
export interface ModelCacheDefinition<Row, Id, Keys extends LookupKeys = NoLookups> {
  readonly [keysOf]?: Keys
  readonly name: string
  readonly model: string
  /** Undefined if the rows are derived from the Prisma schema. */
  readonly schema: RowSchema | undefined
  /** The types of single fields, in place of those that are derived. */
  readonly refine: Readonly<Record<string, RowSchema>> | undefined
  /** The id fields, or the name of a unique key; undefined if the id is found in the Prisma schema. */
  readonly id: string | readonly string[] | undefined
  readonly ttlMs: number
  readonly notFoundTtlMs: number
  readonly refreshAheadMs: number
  readonly staleForMs: number
  readonly l1: L1Options | undefined
  readonly sharesRows: boolean
  readonly largePayloadBytes: number
  /** Payloads of more bytes are compressed; undefined for none. */
  readonly compressAboveBytes: number | undefined
  /** Whether reads bypass the cache while nobody follows the database. */
  readonly needsFollower: boolean
  readonly select: object | undefined
  readonly include: object | undefined
  readonly omit: object | undefined
  readonly load: ((client: never, ids: readonly Id[]) => Promise<readonly Row[]> | readonly Row[]) | undefined
  readonly dependsOn: 'ttl' | readonly string[] | undefined
  readonly format: WireFormat | undefined
  readonly reviver: ReviverSchema<Row> | undefined
  readonly stringifier: Stringifier<Row> | undefined
  readonly version: string | number | undefined
  readonly lookups: readonly LookupDefinition[]
}

/**
 * The cache type of a definition, for where it is injected.
 *
 * @example
 * ```ts
 * constructor(@InjectModelCache(userCache) private readonly users: CacheOf<typeof userCache>) {}
 * ```
 */
export type CacheOf<Definition> =
  Definition extends ModelCacheDefinition<infer Row, infer Id, infer Keys> ? ModelCache<Row, Id, Keys> : never

/** A definition of any row, for collections of them. */
// eslint-disable-next-line typescript/no-explicit-any -- rows and ids differ from one to the next
export type AnyModelCacheDefinition = ModelCacheDefinition<any, any, any>

/**
 * Defines the cache of rows that are described by hand. `modelCaches` returns it, together with the form for rows of Prisma.
 *
 * @throws ConfigurationError
 */
export function defineModelCache<Row>() {
  return <
    S extends RowSchema,
    const Fields extends IdFields<Row>,
    const Unique extends Readonly<Record<string, KeyFields<keyof KeyScalars<Row>>>> = Record<never, never>,
    const Lists extends Readonly<Record<string, KeyFields<keyof KeyScalars<Row>>>> = Record<never, never>,
  >(
    options: ModelCacheOptions<Row, S, Fields, Unique, Lists>,
  ): ModelCacheDefinition<Row, IdOf<Row, Fields>, KeysOf<Row, Unique, Lists>> => {
    if (options.load && (options.select || options.include)) {
      throw invalidOptionError('load', options.load, 'to stand alone: it replaces `select` and `include`')
    }
    const name = options.name ?? options.model
    return createDefinition<Row, IdOf<Row, Fields>, KeysOf<Row, Unique, Lists>>({
      ...options,
      schema: options.schema as RowSchema,
      id: validIdFields(options.id as string | readonly string[], name),
    })
  }
}

/** The options of a definition before they are validated. */
export interface DefinitionOptions<Row, Id>
  extends
    CacheOptions,
    Partial<
      Pick<
        ModelCacheDefinition<Row, Id>,
        'schema' | 'refine' | 'id' | 'select' | 'include' | 'omit' | 'load' | 'reviver' | 'stringifier'
      >
    > {
  readonly model: string
  readonly unique?: object
  readonly lists?: object
}

/**
 * Validates the options of a definition, and freezes it.
 *
 * @throws ConfigurationError
 */
export function createDefinition<Row, Id, Keys extends LookupKeys = NoLookups>(
  options: DefinitionOptions<Row, Id>,
): ModelCacheDefinition<Row, Id, Keys> {
  const { model, name = model } = options
  assertName('model', model)
  assertName('name', name)
  if (modelOfRegister(name) !== undefined)
    throw invalidOptionError('name', name, 'a name without ".results", which is that of kept results')
  const ttlMs = parseDuration(options.ttl, name, 'ttl')
  return Object.freeze({
    name,
    model,
    schema: options.schema,
    refine: refineOf(options),
    id: options.id,
    ttlMs,
    notFoundTtlMs: notFoundTtlOf(options.notFoundTtl, ttlMs, name),
    refreshAheadMs: refreshAheadMsOf(options.refreshAhead, ttlMs, name),
    staleForMs: options.staleFor === undefined ? 0 : parseDuration(options.staleFor, name, 'staleFor'),
    l1: options.l1 && l1OptionsOf(options.l1 === 'hot' ? { hot: 10 } : options.l1, ttlMs, name),
    sharesRows: oneOf('rows', options.rows, ['copies', 'shared']) === 'shared',
    largePayloadBytes: positive('largePayloadBytes', options.largePayloadBytes ?? 65_536),
    compressAboveBytes:
      options.compress === undefined ? undefined : parseBytes(options.compress?.above, 'compress.above'),
    needsFollower: oneOf('follow', options.follow, ['required']) !== undefined,
    select: copyByValue(options.select),
    include: copyByValue(options.include),
    omit: copyByValue(options.omit),
    load: options.load,
    dependsOn: validDependencies(options, name),
    format: oneOf('format', options.format, ['record', 'json']),
    reviver: options.reviver,
    stringifier: options.stringifier,
    version: options.version,
    lookups: lookupsIn(name, options),
  })
}

function refineOf({
  refine,
  schema,
}: Pick<DefinitionOptions<never, never>, 'refine' | 'schema'>): AnyModelCacheDefinition['refine'] {
  if (refine === undefined || schema === undefined) return refine
  throw invalidOptionError('refine', refine, 'to be left out, as `schema` has the types of all fields')
}

function notFoundTtlOf(notFoundTtl: Duration | undefined, ttlMs: number, name: string): number {
  if (notFoundTtl === undefined) return Math.min(ttlMs, 30_000)
  return notFoundTtl === 0 ? 0 : parseDuration(notFoundTtl, name, 'notFoundTtl')
}

function refreshAheadMsOf(refreshAhead: Duration | undefined, ttlMs: number, name: string): number {
  if (refreshAhead === undefined) return 0
  const refreshAheadMs = parseDuration(refreshAhead, name, 'refreshAhead')
  if (refreshAheadMs < ttlMs) return refreshAheadMs
  throw invalidOptionError('refreshAhead', refreshAhead, 'a time that is shorter than `ttl`')
}

/**
 * @param option its name, for errors
 * @throws ConfigurationError
 */
export function l1OptionsOf(l1: L1Settings, ttlMs: number, name: string, option = 'l1'): L1Options {
  if (typeof l1 !== 'object') throw invalidOptionError(option, l1, "an object, or 'hot'")
  const { ttl, hot, maxEntries = 1_000, maxBytes = 64 * 2 ** 20 } = l1
  const l1TtlMs = ttl === undefined ? Math.min(1_000, ttlMs) : parseDuration(ttl, name, `${option}.ttl`)
  if (l1TtlMs > ttlMs) throw invalidOptionError(`${option}.ttl`, ttl, 'a time that is not longer than `ttl`')
  return {
    ttlMs: l1TtlMs,
    hotPerSecond: hot === undefined ? undefined : positive(`${option}.hot`, hot),
    maxEntries: positive(`${option}.maxEntries`, maxEntries),
    maxBytes: positive(`${option}.maxBytes`, maxBytes),
  }
}

/** @throws ConfigurationError unless an option that is given is one of these words */
function oneOf<Word extends string>(
  option: string,
  value: unknown,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined || words.includes(value as Word)) return value as Word | undefined
  throw invalidOptionError(option, value, words.map((word) => `'${word}'`).join(' or '))
}

function positive(option: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw invalidOptionError(option, value, 'a positive whole number')
  }
  return value
}

function validDependencies(
  { dependsOn, load }: { readonly dependsOn?: unknown; readonly load?: unknown },
  name: string,
): 'ttl' | readonly string[] | undefined {
  if (load && dependsOn === undefined) throw missingDependenciesError(name, '`load` may read any model')
  if (dependsOn === undefined || dependsOn === 'ttl') return dependsOn
  if (!Array.isArray(dependsOn)) throw invalidOptionError('dependsOn', dependsOn, "'ttl' or a list of models")
  for (const model of dependsOn) assertName('dependsOn', model)
  return Object.freeze([...new Set(dependsOn as string[])])
}

/** Names are part of keys and metric labels. */
function assertName(option: string, value: unknown): void {
  if (typeof value !== 'string' || !/^[A-Za-z][\w.-]*$/.test(value)) {
    throw invalidOptionError(option, value, 'a letter, then letters, digits, "_", "-" or "."')
  }
}

function validIdFields(id: string | readonly string[], name: string): readonly string[] {
  const fields = typeof id === 'string' ? [id] : [...(id ?? [])]
  if (fields.length === 0)
    throw invalidIdFieldError(name, [], 'is empty; name the field that identifies a row.')
  if (new Set(fields).size < fields.length) throw invalidIdFieldError(name, fields, 'names a field twice.')
  return Object.freeze(fields)
}
