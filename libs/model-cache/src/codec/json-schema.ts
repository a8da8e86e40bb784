import type { Schema } from 'fast-json-stringify'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'

/** Returns the draft-07 schema from which fast-json-stringify compiles the serializer of a plan. */
export function jsonSchemaOf(plan: WirePlan): Schema {
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
