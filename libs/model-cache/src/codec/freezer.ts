import { byBranch, refuseBranch } from './by-branch.js'
import { ownFieldOf } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'

/** Deep-freezes a row that matches the plan, in place, and returns it. */
export type Freezer = (value: unknown) => unknown

export function createFreezer(plan: WirePlan): Freezer {
  const present = freezerOfPresent(plan)
  return (value) => (value === null || value === undefined ? value : present(value))
}

/** Whether values of this plan are mutable and can be frozen. */
export function needsFreezing(plan: WirePlan): boolean {
  const isContainer = ['object', 'array', 'tuple', 'record', 'union', 'json'].includes(plan.kind)
  return isContainer || scalarOf(plan)?.freeze !== undefined
}

function freezerOfPresent(plan: WirePlan): Freezer {
  const scalar = scalarOf(plan)
  if (scalar) return (scalar.freeze as Freezer | undefined) ?? ((value) => value)
  switch (plan.kind) {
    case 'object': {
      const fields = plan.fields
        .filter((field) => needsFreezing(field.plan))
        .map((field) => ({ name: field.name, freeze: createFreezer(field.plan) }))
      return (value) => {
        for (const { name, freeze } of fields) freeze(ownFieldOf(value as object, name))
        return Object.freeze(value)
      }
    }
    case 'array': {
      const freeze = createFreezer(plan.items)
      return (value) => {
        for (const item of value as unknown[]) freeze(item)
        return Object.freeze(value)
      }
    }
    case 'tuple': {
      const freezers = plan.items.map(createFreezer)
      return (value) => {
        freezers.forEach((freeze, i) => freeze((value as unknown[])[i]))
        return Object.freeze(value)
      }
    }
    case 'record': {
      const freeze = createFreezer(plan.values)
      return (value) => {
        for (const entry of Object.values(value as object)) freeze(entry)
        return Object.freeze(value)
      }
    }
    case 'union': {
      const freezeFor = byBranch(plan, freezerOfPresent)
      return (value) => (freezeFor(value) ?? refuseBranch)(value)
    }
    case 'json':
      return freezeJson
    default:
      return (value) => value
  }
}

export function freezeJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const entry of Object.values(value)) freezeJson(entry)
  return Object.freeze(value)
}
