import type { Type } from 'arktype'
import { createChecker } from './checker.js'
import { createCopier } from './cloner.js'
import type { Codec, WireFormat } from './codec.js'
import { compilePlan } from './compile-plan.js'
import { compileCopier } from './compiled-cloner.js'
import { compileFreezer } from './compiled-freezer.js'
import type { Revive } from './compiled-reviver.js'
import { compileReviver } from './compiled-reviver.js'
import { compileNormalizer } from './compiled-normalizer.js'
import type { ExactSchema } from './exact-schema.js'
import { fingerprintOf } from './fingerprint.js'
import { createFreezer } from './freezer.js'
import { canCompile } from './function-writer.js'
import { createJsonFormat } from './json-format.js'
import { inKeyOrder } from './key-order.js'
import { createKeySorter } from './key-sorter.js'
import { createNormalizer } from './normalizer.js'
import { fitsRecord } from './record/head-length.js'
import { createRecordFormat } from './record/record-format.js'
import { assertReviverMatches, decimalClassOf } from './reviver-paths.js'
import type { AnyReviverSchema, ReviverSchema } from './reviver-schema.js'
import { proveCodec } from './self-proof.js'
import type { Stringifier } from './stringifier.js'
import { exceptionalStringifierOf, stringifierOf } from './stringifier.js'
import { createPlanReviver, createTrieReviver } from './trie-reviver.js'
import type { WirePlan } from './wire-plan.js'

export interface CodecOptions<T> {
  /**
   * The format of payloads. @default `'record'`; `'json'` if a record cannot hold the schema, if code generation is
   * forbidden, or with a hand-written `reviver` or `stringifier`
   */
  readonly format?: WireFormat
  /** Name in error messages. @default 'codec' */
  readonly name?: string
  /** Hand-written paths to revive, visited as a trie. @default derived from the schema and compiled */
  readonly reviver?: ReviverSchema<T>
  /** Hand-written stringifier. @default derived from the schema */
  readonly stringifier?: Stringifier<T>
  /** Part of the fingerprint. Change it when a hand-written stringifier changes, which the schema does not show. */
  readonly version?: string | number
}

const defaultName = 'codec'

/**
 * Compiles a codec from an ArkType schema and proves it on generated rows. It needs neither Nest, Valkey nor Prisma.
 *
 * @throws UnsupportedSchemaError, ReviverMismatchError, CodecProofError
 * @example
 * ```ts
 * const codec = compileCodec(type({ id: 'string', endsAt: 'Date' }))
 * const payload = codec.encode({ id: 'a', endsAt: new Date() })
 * const row = codec.decode(payload)
 * ```
 */
export function compileCodec<const S extends Type>(
  schema: S,
  options: CodecOptions<S['infer']> = {},
): Codec<S['infer']> {
  return createCodec(compilePlan(schema, options.name ?? defaultName), options)
}

/**
 * Creates a codec from a wire plan and proves it on generated rows, as {@link compileCodec} does for a schema. Rows have their
 * keys in the order of the plan's fields; fingerprint and records do not depend on that order.
 *
 * @throws ReviverMismatchError, CodecProofError
 */
export function createCodec<Row>(given: WirePlan, options: CodecOptions<Row> = {}): Codec<Row> {
  const name = options.name ?? defaultName
  const plan = inKeyOrder(given)
  const { stringifier } = options
  const format = formatFor(plan, options as CodecOptions<unknown>)
  const normalize = normalizeBy<Row>(plan)
  const json = createJsonFormat<Row>(
    plan,
    name,
    stringifier ? (row) => stringifier.stringify(normalize(row)) : stringifierOf(plan),
    stringifier ? (row) => stringifier.stringify(normalize(row)) : exceptionalStringifierOf(plan),
    reviverOf(plan, name, options.reviver as AnyReviverSchema | undefined),
  )
  const fingerprint = fingerprintOf(plan, stringifier ? 'json by hand' : format, options.version)
  const create = (): Codec<Row> => ({
    plan,
    format,
    fingerprint,
    ...(format === 'record' ? createRecordFormat(plan, json) : json),
    ...(canCompile ? compileCopier : createCopier)<Row>(plan),
    freeze: (canCompile ? compileFreezer : createFreezer)(plan) as Codec<Row>['freeze'],
    normalize,
  })
  const rows = proveCodec(create() as Codec<unknown>, plan, name)
  // A second instance: V8 specialises the proven one for the object shapes of the proof, which are more than rows have.
  const codec = create()
  rowsInUse.set(codec, rows)
  return codec
}

/** `compileCodec` for a known row type; it is a compile-time error if the schema's type is not exactly `T`. */
export function codecFor<T>(): <const S extends Type>(
  schema: ExactSchema<T, S>,
  options?: CodecOptions<T>,
) => Codec<T> {
  return (schema, options) => compileCodec(schema as Type, options as CodecOptions<unknown>) as Codec<T>
}

/**
 * Keeps decoded rows alive as long as their codec. If a major collection finds no object of a hidden class, V8 discards the
 * optimised code that creates such objects, and decoding is several times slower until V8 optimises it again.
 */
const rowsInUse = new WeakMap<object, unknown>()

function formatFor(plan: WirePlan, options: CodecOptions<unknown>): WireFormat {
  const mayBeRecord = canCompile && fitsRecord(plan) && !options.reviver && !options.stringifier
  return mayBeRecord && options.format !== 'json' ? 'record' : 'json'
}

function normalizeBy<Row>(plan: WirePlan): Codec<Row>['normalize'] {
  const normalize = (canCompile ? compileNormalizer : createNormalizer)(plan)
  return (row) => {
    try {
      return normalize(row) as Row
    } catch {
      return row
    }
  }
}

function reviverOf(plan: WirePlan, name: string, given: AnyReviverSchema | undefined): Revive {
  if (given) assertReviverMatches(given, plan, name)
  if (!given && canCompile) return compileReviver(plan)
  const revive = given ? createTrieReviver(given, name, decimalClassOf(plan)) : createPlanReviver(plan)
  // The compiled reviver also checks the shape; the trie does not.
  const check = createChecker(plan, name)
  const putInOrder = createKeySorter(plan)
  return (parsed) => {
    const row = revive(parsed)
    check(row)
    return putInOrder(row)
  }
}
