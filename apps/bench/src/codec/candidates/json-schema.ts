import type { Schema } from 'fast-json-stringify'
import type { Codec } from 'model-cache/codec'

type Plan = Codec<unknown>['plan']

/** The schema that one who knows fast-json-stringify would write for rows whose bigints and bytes are strings. */
export function jsonSchemaOf(plan: Plan): Schema {
  return { ...schemaOfPresent(plan), nullable: plan.nullable || plan.undefinable } as Schema
}

function schemaOfPresent(plan: Plan): object {
  switch (plan.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return { type: plan.kind }
    case 'date':
      return { type: 'string', format: 'date-time' }
    case 'decimal':
    case 'bigint':
    case 'bytes':
      return { type: 'string' }
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(plan.fields.map((field) => [field.name, jsonSchemaOf(field.plan)])),
      }
    case 'array':
      return { type: 'array', items: jsonSchemaOf(plan.items) }
    default:
      // Without a type it is left to JSON.stringify.
      return {}
  }
}
