import { byBranch, refuseBranch } from './by-branch.js'
import { ownFieldOf, isInheritedName } from './plain-object.js'
import { scalarOf } from './scalars.js'
import { partsOf, type WirePlan } from './wire-plan.js'

/** Copies the declared fields of a row that matches the plan, converting every value to plain JSON. */
export type Lower = (value: unknown) => unknown

export function createLowering(plan: WirePlan): Lower {
  const present = loweringOfPresent(plan)
  return (value) => (value === null || value === undefined ? null : present(value))
}

/** Serializes a value that matches its plan as JSON, with scalars as strings. */
export type Stringify = (value: unknown) => string

export function createStringify(plan: WirePlan): Stringify {
  const lower = createLowering(plan)
  return (value) => JSON.stringify(lower(value))
}

/** As {@link createStringify}, for values that contain undefined, written as null so that the key keeps its position. */
export function createExceptionalStringify(plan: WirePlan): Stringify {
  const lower = createLowering(plan)
  return (value) => JSON.stringify(lower(value), (_, entry: unknown) => (entry === undefined ? null : entry))
}

/** Whether fast-json-stringify alone would serialize values of this plan incorrectly, even those without undefined. */
export function needsLowering(plan: WirePlan): boolean {
  const hasInheritedName = plan.kind === 'object' && plan.fields.some(({ name }) => isInheritedName(name))
  return (
    hasInheritedName || ['bytes', 'tuple', 'union'].includes(plan.kind) || partsOf(plan).some(needsLowering)
  )
}

function loweringOfPresent(plan: WirePlan): Lower {
  const scalar = scalarOf(plan)
  if (scalar) return scalar.toText as Lower
  switch (plan.kind) {
    case 'object': {
      const fields = plan.fields.map((field) => ({ name: field.name, lower: createLowering(field.plan) }))
      // V8 serializes objects with the usual prototype several times as fast. A missing field must not be found there.
      const prototype = fields.some(({ name }) => isInheritedName(name)) ? null : Object.prototype
      return (value) => {
        const lowered: Record<string, unknown> = prototype ? {} : Object.create(null)
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
