import { byBranch, refuseBranch } from './by-branch.js'
import { ownFieldOf, isInheritedName } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'

/** Copies the declared fields of a row that matches the plan, converting every value to plain JSON. */
export type Lower = (value: unknown) => unknown

export function createLowering(plan: WirePlan): Lower {
  const present = loweringOfPresent(plan)
  return (value) => (value === null || value === undefined ? null : present(value))
}

/**
 * Returns the function that serializes values of the plan that contain undefined, written as null so that the key keeps its position.
 */
export function exceptionalStringifierOf(plan: WirePlan): (value: unknown) => string {
  const lower = createLowering(plan)
  return (value) => JSON.stringify(lower(value), (_, entry: unknown) => (entry === undefined ? null : entry))
}

/** Whether fast-json-stringify alone would serialize values of this plan incorrectly, even those without undefined. */
export function needsLowering(plan: WirePlan): boolean {
  switch (plan.kind) {
    case 'bytes':
    case 'tuple':
    case 'union':
      return true
    case 'object':
      return plan.fields.some((field) => isInheritedName(field.name) || needsLowering(field.plan))
    case 'array':
      return needsLowering(plan.items)
    case 'record':
      return needsLowering(plan.values)
    case 'string':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'date':
    case 'bigint':
    case 'decimal':
    case 'json':
      return false
  }
}

function loweringOfPresent(plan: WirePlan): Lower {
  const scalar = scalarOf(plan)
  if (scalar) return scalar.toText as Lower
  switch (plan.kind) {
    case 'object': {
      const fields = plan.fields.map((field) => ({ name: field.name, lower: createLowering(field.plan) }))
      return (value) => {
        // Without a prototype, so that a missing field is not found there.
        const lowered = Object.create(null) as Record<string, unknown>
        for (const { name, lower } of fields) {
          const field = ownFieldOf(value as object, name)
          if (field !== undefined || Object.hasOwn(value as object, name)) lowered[name] = lower(field)
        }
        return lowered
      }
    }
    case 'array': {
      const lower = createLowering(plan.items)
      return (value) => (value as unknown[]).map(lower)
    }
    case 'tuple': {
      const lowers = plan.items.map(createLowering)
      return (value) => lowers.map((lower, i) => lower((value as unknown[])[i]))
    }
    case 'record': {
      const lower = createLowering(plan.values)
      return (value) =>
        Object.fromEntries(Object.entries(value as object).map(([key, entry]) => [key, lower(entry)]))
    }
    case 'union': {
      const lowerFor = byBranch(plan, loweringOfPresent)
      return (value) => (lowerFor(value) ?? refuseBranch)(value)
    }
    default:
      return (value) => value
  }
}
