import type { Type } from 'arktype'
import fastJsonStringify from 'fast-json-stringify'
import { createChecker } from './checker.js'
import { compilePlan } from './compile-plan.js'
import { joinJsonText } from './json-text.js'
import { jsonSchemaOf } from './json-schema.js'
import { createLowering, needsLowering } from './lowering.js'
import type { ExactSchema } from './exact-schema.js'
import type { WirePlan } from './wire-plan.js'

/**
 * Serializes a row as JSON: dates in ISO format, decimals and bigints as numeric strings, bytes in base64.
 * `null` and `undefined` become these words.
 */
export interface Stringifier<T> {
  /** @throws ModelCacheError (`E_ENCODE`) when the value does not match the schema */
  stringify(value: T | null | undefined): string
}

/**
 * Creates a stringifier from an ArkType schema, through draft-07 JSON Schema and fast-json-stringify.
 * It is a compile-time error if the schema's inferred type is not exactly `T`.
 *
 * @throws ConfigurationError if the schema contains a type that cannot be serialized
 * @example
 * ```ts
 * const stringifier = createStringifier<User>()(type({ id: 'string', bornAt: 'Date | null' }))
 * ```
 */
export function createStringifier<T>(): <S extends Type>(
  schema: ExactSchema<T, S>,
  name?: string,
) => Stringifier<T> {
  return (schema, name = 'stringifier') => {
    const plan = compilePlan(schema as Type, name)
    const check = createChecker(plan, name)
    const write = stringifierOf(plan)
    const writeExceptional = exceptionalStringifierOf(plan)
    return {
      stringify(value) {
        if (value === null || value === undefined) return String(value)
        const exceptions = check(value)
        return exceptions ? joinJsonText(exceptions, writeExceptional(value)) : write(value)
      },
    }
  }
}

/** Returns the function that serializes values that match the plan. */
export function stringifierOf(plan: WirePlan): (value: unknown) => string {
  const lower = createLowering(plan)
  const write = fastJsonStringify(jsonSchemaOf(plan)) as (value: unknown) => string
  return needsLowering(plan) ? (value) => write(lower(value)) : write
}

/** Like {@link stringifierOf} for values that contain undefined, written as null so that the key keeps its position. */
export function exceptionalStringifierOf(plan: WirePlan): (value: unknown) => string {
  const lower = createLowering(plan)
  return (value) => JSON.stringify(lower(value), (_, entry: unknown) => (entry === undefined ? null : entry))
}
