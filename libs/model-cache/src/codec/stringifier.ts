import type { Type } from 'arktype'
import fastJsonStringify from 'fast-json-stringify'
import { createChecker } from './checker.js'
import { compilePlan } from './compile-plan.js'
import { canCompile } from './function-writer.js'
import { joinJsonText } from './json-text.js'
import { jsonSchemaOf } from './json-schema.js'
import { createLowering, needsLowering } from './lowering.js'
import type { ExactSchema } from './exact-schema.js'
import type { WirePlan } from './wire-plan.js'

/**
 * Writes a row as JSON text: dates in ISO format, decimals and bigints as numeric strings, bytes in base64.
 * `null` and `undefined` are written as these words.
 */
export interface Stringifier<T> {
  /** @throws EncodeError when the value does not match the schema */
  stringify(value: T | null | undefined): string
}

/**
 * Makes a stringifier from an ArkType schema, by way of draft-07 and fast-json-stringify.
 * It does not compile unless the schema's inferred type is exactly `T`.
 *
 * @throws UnsupportedSchemaError when the schema holds something that has no form on the wire
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

/** The function that writes the JSON of values that match the plan. */
export function stringifierOf(plan: WirePlan): (value: unknown) => string {
  const lower = createLowering(plan)
  // fast-json-stringify compiles functions from text; without that there is the native one.
  if (!canCompile) return (value) => JSON.stringify(lower(value))
  const write = fastJsonStringify(jsonSchemaOf(plan)) as (value: unknown) => string
  return needsLowering(plan) ? (value) => write(lower(value)) : write
}

/** The same for values that hold undefined: it is null, so that its key has its place. */
export function exceptionalStringifierOf(plan: WirePlan): (value: unknown) => string {
  const lower = createLowering(plan)
  return (value) => JSON.stringify(lower(value), (_, entry: unknown) => (entry === undefined ? null : entry))
}
