import type { Codec } from 'model-cache/codec'

type Plan = Codec<unknown>['plan']
type Check = (value: unknown) => boolean

/** Whether a value matches a plan, by walking the plan for each value. @throws for kinds that the rows here do not have */
export function matches(plan: Plan, value: unknown): boolean {
  if (value === null) return plan.nullable
  if (value === undefined) return plan.undefinable
  switch (plan.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === plan.kind
    case 'date':
      return value instanceof Date
    case 'decimal':
      return plan.Decimal.isDecimal(value)
    case 'object':
      return (
        typeof value === 'object' &&
        plan.fields.every((field) => matches(field.plan, (value as Record<string, unknown>)[field.name]))
      )
    default:
      throw unknownKind(plan)
  }
}

/** The same check as functions, made once: one for each place in a row. @throws for kinds that the rows here do not have */
export function compileMatches(plan: Plan): Check {
  const { nullable, undefinable } = plan
  const present = compilePresent(plan)
  return (value) => {
    if (value === null) return nullable
    if (value === undefined) return undefinable
    return present(value)
  }
}

function compilePresent(plan: Plan): Check {
  switch (plan.kind) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'number':
      return (value) => typeof value === 'number'
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'date':
      return (value) => value instanceof Date
    case 'decimal': {
      const { Decimal } = plan
      return (value) => Decimal.isDecimal(value)
    }
    case 'object': {
      const checks = plan.fields.map(({ name, plan: field }) => ({ name, check: compileMatches(field) }))
      return (value) => {
        if (typeof value !== 'object') return false
        for (const { name, check } of checks) {
          if (!check((value as Record<string, unknown>)[name])) return false
        }
        return true
      }
    }
    default:
      throw unknownKind(plan)
  }
}

const unknownKind = ({ kind }: Plan): TypeError => new TypeError(`There is no check of a ${kind} here.`)
