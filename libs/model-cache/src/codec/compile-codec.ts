import { noCodeGenerationError } from '../configuration-errors.js'
import type { ConfigurationError } from '../errors.js'
import {
  type Codec,
  type CodecFormat,
  type Copier,
  type Decoder,
  type RowFunctions,
  undecodable,
  type WireFormat,
} from './codec.js'
import { compilePlan } from './compile-plan.js'
import { compileCloner, compileManyCloner } from './compiled-cloner.js'
import { compileFreezer } from './compiled-freezer.js'
import type { ExactSchema } from './exact-schema.js'
import { fingerprintOf } from './fingerprint.js'
import { canCompile } from './function-writer.js'
import { createJsonDecoder, createJsonEncoder } from './json-format.js'
import { inKeyOrder } from './key-order.js'
import { compileNormalizer } from './normalizer.js'
import { createPlanReviver } from './plan-reviver.js'
import { fitsRecord } from './record/head-length.js'
import { compileRecordWriter, type WriteRecord } from './record/record-writer.js'
import { createRecordDecoder, createRecordEncoder } from './record/record-format.js'
import { assertReviverMatches } from './reviver-paths.js'
import type { AnyReviverSchema, ReviverSchema } from './reviver-schema.js'
import type { RowSchema } from './row-schema.js'
import { proveCodec } from './self-proof.js'
import type { Stringifier } from './stringifier.js'
import type { WirePlan } from './wire-plan.js'
import { copyByValue } from './copy-by-value.js'
import { freezeDate } from './frozen-date.js'
import { isPlainObject } from './plain-object.js'

export interface CodecOptions<T> {
  /**
   * The format of payloads. @default `'record'`; `'json'` if a record cannot hold the schema, or with a hand-written `reviver` or `stringifier`
   */
  readonly format?: WireFormat
  /** Name in error messages. @default 'codec' */
  readonly name?: string
  /** Hand-written paths to revive, which have to be those of the schema. @default these */
  readonly reviver?: ReviverSchema<T>
  /** Hand-written stringifier. @default derived from the schema */
  readonly stringifier?: Stringifier<T>
  /** Part of the fingerprint. Change it when a hand-written stringifier changes, which the schema does not show. */
  readonly version?: string | number
  /** Called once if the proof of derived functions fails; see {@link Codec.prove}. @default nothing */
  readonly onUnproven?: (error: ConfigurationError) => void
}

const defaultName = 'codec'

/**
 * Compiles a codec from an ArkType schema and proves it on generated rows. It needs neither Nest, Valkey nor Prisma.
 *
 * @throws ConfigurationError
 * @example
 * ```ts
 * const codec = compileCodec(type({ id: 'string', endsAt: 'Date' }))
 * const payload = codec.encode({ id: 'a', endsAt: new Date() })
 * const row = codec.decode(payload)
 * ```
 */
export function compileCodec<const S extends RowSchema>(
  schema: S,
  options: CodecOptions<S['infer']> = {},
): Codec<S['infer']> {
  const codec = createCodec<S['infer']>(compilePlan(schema, options.name ?? defaultName), options)
  codec.prove()
  return codec
}

/**
 * Creates a codec from a wire plan, whose order of fields is that of the keys of its rows; fingerprint and records do not
 * depend on it. Little is done here: functions are compiled when they are first called, and {@link Codec.prove} proves them.
 * With a hand-written `reviver` or `stringifier` the codec is proved at once.
 *
 * @throws ConfigurationError
 */
export function createCodec<Row>(given: WirePlan, options: CodecOptions<Row> = {}): Codec<Row> {
  const { name = defaultName, reviver, stringifier, version, onUnproven } = options
  if (!canCompile) throw noCodeGenerationError(name)
  const plan = inKeyOrder(given)
  const isByHand = reviver !== undefined || stringifier !== undefined
  const format = formatFor(plan, options as CodecOptions<unknown>)
  if (reviver) assertReviverMatches(reviver as unknown as AnyReviverSchema, plan, name)
  const makers = (): Makers<RowFunctions<Row>> => makersOf(plan, name, format, options)
  const failureOfProof = once((): ConfigurationError | undefined => {
    try {
      // An instance of its own: V8 specialises it for the object shapes of the proof, which are more than rows have.
      const proved = createOnFirstUse({}, makers()) as RowFunctions<unknown>
      rowsInUse.set(codec, proveCodec(proved, plan, name))
      return undefined
    } catch (error) {
      if (!isByHand) onUnproven?.(error as ConfigurationError)
      return error as ConfigurationError
    }
  })
  const inUse = once(() => {
    const failure = failureOfProof()
    return failure ? unprovenFunctions<Row>(failure) : makers()
  })
  const core = {
    plan,
    format,
    fingerprint: fingerprintOf(plan, stringifier ? 'json by hand' : format, version),
    prove(): void {
      const failure = failureOfProof()
      if (failure) throw failure
    },
  }
  const codec: Codec<Row> = createOnFirstUse<typeof core, RowFunctions<Row>>(core, {
    encode: () => inUse().encode(),
    decode: () => inUse().decode(),
    decodeUtf8: () => inUse().decodeUtf8(),
    clone: () => inUse().clone(),
    cloneMany: () => inUse().cloneMany(),
    freeze: () => inUse().freeze(),
    normalize: () => inUse().normalize(),
  })
  if (isByHand) codec.prove()
  return codec
}

/** `compileCodec` for a known row type; it is a compile-time error if the schema's type is not exactly `T`. */
export function codecFor<T>(): <const S extends RowSchema>(
  schema: ExactSchema<T, S>,
  options?: CodecOptions<T>,
) => Codec<T> {
  return (schema, options) => compileCodec(schema as RowSchema, options as CodecOptions<unknown>) as Codec<T>
}

/** The names of fields, in their order. */
function keysIn(plan: WirePlan): unknown {
  if (plan.kind === 'array') return keysIn(plan.items)
  return plan.kind === 'object' ? plan.fields.map((field) => [field.name, keysIn(field.plan)]) : null
}

/** Reads and writes values of a plan as records, and nothing else. */
export interface CompiledRecords extends Pick<RowFunctions<unknown>, 'decodeUtf8' | 'clone' | 'normalize'> {
  /** The fingerprint of the plan and of the order of its fields. */
  readonly fingerprint: string
  /** Returns null for a value that does not match the plan, or does not fit into a record. */
  readonly write: WriteRecord
}

/**
 * Compiles what a codec has, without its proof: whoever uses it compares what is read with what was written. Undefined if no records hold
 * values of the plan, or this process may not compile code.
 */
export function compileRecords(given: WirePlan): CompiledRecords | undefined {
  if (!canCompile || !fitsRecord(given)) return undefined
  const plan = inKeyOrder(given)
  const refuse: Decoder<unknown> = { decode: () => undecodable, decodeUtf8: () => undecodable }
  const core = { fingerprint: fingerprintOf(plan, 'record', JSON.stringify(keysIn(plan))) }
  return createOnFirstUse<typeof core, Omit<CompiledRecords, 'fingerprint'>>(core, {
    write: () => compileRecordWriter(plan),
    decodeUtf8: () => createRecordDecoder(plan, refuse).decodeUtf8,
    clone: () => compileCloner(plan) as Copier<unknown>['clone'],
    normalize: () => normalizeBy<unknown>(plan),
  })
}

/**
 * Keeps decoded rows alive as long as their codec. If a major collection finds no object of a hidden class, V8 discards the
 * optimised code that creates such objects, and decoding is several times slower until V8 optimises it again.
 */
const rowsInUse = new WeakMap<object, unknown>()

function formatFor(plan: WirePlan, options: CodecOptions<unknown>): WireFormat {
  const mayBeRecord = fitsRecord(plan) && !options.reviver && !options.stringifier
  return mayBeRecord && options.format !== 'json' ? 'record' : 'json'
}

function makersOf<Row>(
  plan: WirePlan,
  name: string,
  format: WireFormat,
  { stringifier }: CodecOptions<Row>,
): Makers<RowFunctions<Row>> {
  const normalizer = once(() => normalizeBy<Row>(plan))
  const byHand = stringifier && ((row: Row): string => stringifier.stringify(normalizer()(row)))
  const jsonDecoder = once(() => createJsonDecoder<Row>(plan, name, createPlanReviver(plan)))
  const jsonMakers: Makers<CodecFormat<Row>> = {
    encode: () => createJsonEncoder<Row>(plan, name, byHand),
    decode: () => jsonDecoder().decode,
    decodeUtf8: () => jsonDecoder().decodeUtf8,
  }
  return {
    ...(format === 'record' ? recordMakersOf(plan, createOnFirstUse({}, jsonMakers)) : jsonMakers),
    clone: () => compileCloner(plan) as Copier<Row>['clone'],
    cloneMany: () => compileManyCloner(plan) as Copier<Row>['cloneMany'],
    freeze: () => compileFreezer(plan) as Codec<Row>['freeze'],
    normalize: normalizer,
  }
}

function recordMakersOf<Row>(plan: WirePlan, json: CodecFormat<Row>): Makers<CodecFormat<Row>> {
  const decoder = once(() => createRecordDecoder(plan, json))
  return {
    encode: () => createRecordEncoder(plan, json),
    decode: () => decoder().decode,
    decodeUtf8: () => decoder().decodeUtf8,
  }
}

function normalizeBy<Row>(plan: WirePlan): Codec<Row>['normalize'] {
  const normalize = compileNormalizer(plan)
  return (row) => {
    try {
      // Object.freeze leaves open what a row holds. A caller may change its own row, and a shared one is frozen whole.
      return normalize(Object.isFrozen(row) ? copyByValue(row) : row) as Row
    } catch {
      return row
    }
  }
}

/**
 * What a codec does after its proof has failed: it writes no payload and reads none, and copies rows as they are, by their
 * values instead of the plan. A cache then loads every row from its source and stores none.
 */
function unprovenFunctions<Row>(error: ConfigurationError): Makers<RowFunctions<Row>> {
  const refuse = (): typeof undecodable => undecodable
  return {
    encode: () => () => {
      throw error
    },
    decode: () => refuse,
    decodeUtf8: () => refuse,
    clone: () => copyByValue,
    cloneMany: () => (row, count) => Array.from({ length: count }, () => copyByValue(row)),
    freeze: () => freezeAll as (row: Row) => Row,
    normalize: () => (row) => row,
  }
}

/** Freezes containers and dates. */
function freezeAll(value: unknown): unknown {
  // What is no object is frozen, too.
  if (Object.isFrozen(value)) return value
  if (value instanceof Date) return freezeDate(value)
  if (!Array.isArray(value) && !isPlainObject(value)) return value
  for (const entry of Object.values(value)) freezeAll(entry)
  return Object.freeze(value)
}

/** Functions by name, each created by a call of its maker. */
type Makers<Functions> = { readonly [Name in keyof Functions]: () => Functions[Name] }

/**
 * Adds functions to an object, each of which is created when it is first called: compiling code takes longer than creating a
 * hundred closures, and many functions of a process are never called. A created function takes its place in the object, so that
 * later calls reach it without a check.
 */
function createOnFirstUse<Target extends object, Functions extends object>(
  target: Target,
  makers: Makers<Functions>,
): Target & Functions {
  const functions = target as Record<string, unknown>
  for (const [name, make] of Object.entries(makers as Makers<Record<string, AnyFunction>>)) {
    // For callers that hold the first function.
    let created: AnyFunction | undefined
    functions[name] = (...values: unknown[]) => {
      created ??= functions[name] = make()
      return created(...values)
    }
  }
  return target as Target & Functions
}

type AnyFunction = (...values: unknown[]) => unknown

/** Returns a function that calls `make` at its first call only. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
