import fc from 'fast-check'
import { Decimal } from '@prisma/client/runtime/client'
import { type, type Type } from 'arktype'
import { bytes, decimalOf, json } from 'model-cache/codec'
import { isUnknown, type Field, type WirePlan } from './plans.ts'

/** Compiled to `json`, as is every union of types that JSON alone can bring back. */
const plainUnion = type('string | number | boolean[]').or({ 'a?': 'string' })

/** The ArkType schema from which this plan should come. */
export function schemaOf(plan: WirePlan): Type {
  if (isUnknown(plan)) return json as never
  let schema = presentSchemaOf(plan)
  if (plan.nullable) schema = schema.or('null') as never
  if (plan.undefinable) schema = schema.or('undefined') as never
  return schema
}

/**
 * Says whether a codec of this plan may give a value: ArkType's own judgement, except that JSON passes through, and that
 * an optional field may be undefined, as TypeScript has it.
 */
export function allowedBy(plan: WirePlan): (row: unknown) => boolean {
  const schema = schemaOf(withOpenJson(plan))
  return (row) => schema.allows(withoutPrototypes(row))
}

/** ArkType takes what objects inherit for their fields, `toString` for one. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  const bare = Object.create(null) as Record<string, unknown>
  for (const [key, entry] of Object.entries(value)) bare[key] = withoutPrototypes(entry)
  return bare
}

const openJson: WirePlan = { kind: 'json', nullable: true, undefinable: false }

function withOpenJson(plan: WirePlan): WirePlan {
  switch (plan.kind) {
    case 'json':
      return openJson
    case 'object':
      return {
        ...plan,
        fields: plan.fields.map((field) => ({ ...field, plan: withOpenJson(field.plan) })),
      }
    case 'array':
      return { ...plan, items: withOpenJson(plan.items) }
    case 'tuple':
      return { ...plan, items: plan.items.map(withOpenJson) }
    case 'record':
      return { ...plan, values: withOpenJson(plan.values) }
    case 'union': {
      const branches = plan.branches.map((branch) => ({
        ...branch,
        plan: withOpenJson(branch.plan) as typeof branch.plan,
      }))
      return { ...plan, branches }
    }
    default:
      return plan
  }
}

function presentSchemaOf(plan: WirePlan): Type {
  switch (plan.kind) {
    case 'date':
      return type('Date') as never
    case 'bytes':
      return bytes as never
    case 'decimal':
      return decimalOf(Decimal as never) as never
    case 'json':
      return plainUnion as never
    case 'literal':
      return type.enumerated(...plan.values) as never
    case 'object':
      // The nodes' own notation: a name is a name there, whatever `?`, `[…]` or `...` mean in an object literal.
      return type.schema({
        domain: 'object',
        required: plan.fields.filter((field) => !field.optional).map(propertyOf),
        optional: plan.fields.filter((field) => field.optional).map(propertyOf),
      }) as never
    case 'union':
      return unionOf(plan.branches.map((branch) => presentSchemaOf(branch.plan)))
    case 'array':
      return schemaOf(plan.items).array() as never
    case 'tuple':
      return type(plan.items.map(schemaOf) as never) as never
    case 'record':
      return type({ '[string]': schemaOf(plan.values) }) as never
    default:
      return type(plan.kind) as never
  }
}

/** ArkType 2.2.9 fails on some unions of objects while it looks for what distinguishes them; such a schema cannot be written. */
function unionOf(branches: readonly Type[]): Type {
  try {
    return branches.reduce((union, branch) => union.or(branch as never) as never)
  } catch {
    return fc.pre(false) as never
  }
}

function propertyOf({ name, plan }: Field): { key: string; value: never } {
  return { key: name, value: schemaOf(plan) as never }
}
