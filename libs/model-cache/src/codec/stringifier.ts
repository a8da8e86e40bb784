import { createRequire } from 'node:module'
import type fastJsonStringify from 'fast-json-stringify'
import { missingPackageError } from '../configuration-errors.js'
import { createChecker } from './checker.js'
import { compilePlan } from './compile-plan.js'
import { joinJsonText } from './json-text.js'
import type { ExactSchema } from './exact-schema.js'
import { createExceptionalStringify, createLowering, needsLowering } from './lowering.js'
import type { RowSchema } from './row-schema.js'
import type { WirePlan } from './wire-plan.js'
import type { Schema } from 'fast-json-stringify'
import { scalarOf } from './scalars.js'

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
 * @throws ConfigurationError if the schema contains a type that cannot be serialized, or fast-json-stringify is not installed
 * @example
 * ```ts
 * const stringifier = createStringifier<User>()(type({ id: 'string', bornAt: 'Date | null' }))
 * ```
 */
export function createStringifier<T>(): <S extends RowSchema>(
  schema: ExactSchema<T, S>,
  name?: string,
) => Stringifier<T> {
  return (schema, name = 'stringifier') => {
    const plan = compilePlan(schema as RowSchema, name)
    const check = createChecker(plan, name)
    const write = fastStringifierOf(plan)
    const writeExceptional = createExceptionalStringify(plan)
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
function fastStringifierOf(plan: WirePlan): (value: unknown) => string {
  const lower = createLowering(plan)
  const write = loadFastJsonStringify()(jsonSchemaOf(plan)) as (value: unknown) => string
  return needsLowering(plan) ? (value) => write(lower(value)) : write
}

/** Rows without a stringifier by hand do not need the package. */
function loadFastJsonStringify(): typeof fastJsonStringify {
  try {
    // Not `import()`: stringifiers are created where definitions are, which nothing awaits.
    return createRequire(import.meta.url)('fast-json-stringify') as typeof fastJsonStringify
  } catch (error) {
    throw missingPackageError(
      'fast-json-stringify',
      'writes what `createStringifier` describes',
      'leave out the `stringifier`: the derived one needs no package',
      error,
    )
  }
}

/** Returns the draft-07 schema from which fast-json-stringify compiles the serializer of a plan. */
function jsonSchemaOf(plan: WirePlan): Schema {
  const nullable = plan.nullable || plan.undefinable
  switch (plan.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return { type: plan.kind, nullable }
    case 'date':
      return { type: 'string', format: 'date-time', nullable } as Schema
    case 'object':
      return {
        type: 'object',
        nullable,
        properties: Object.fromEntries(plan.fields.map((field) => [field.name, jsonSchemaOf(field.plan)])),
      } as Schema
    case 'array':
      return { type: 'array', nullable, items: jsonSchemaOf(plan.items) } as Schema
    case 'record':
      return { type: 'object', nullable, additionalProperties: jsonSchemaOf(plan.values) } as Schema
    default:
      // Lowered scalars, constants, tuples and unions go through JSON.stringify.
      return (scalarOf(plan) ? { type: 'string', nullable } : {}) as Schema
  }
}
