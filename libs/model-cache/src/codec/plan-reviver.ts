import { byBranch, refuseBranch } from './by-branch.js'
import { hasKeysInOrder, keyOrderOf, withKeysInOrder } from './key-order.js'
import { isWritableJson } from './plain-json.js'
import { scalarOf } from './scalars.js'
import type { PlanOf, WirePlan } from './wire-plan.js'

/**
 * Revives the scalars of a parsed value in place.
 *
 * @returns the same value, or the revived scalar if the root is one
 * @throws TypeError if a string is not a serialized scalar of its kind
 */
export type Revive = (parsed: unknown) => unknown

/**
 * Creates a reviver that visits the fields of the plan, revives scalars, checks the types of the others, puts the keys of a row from a
 * hand-written stringifier in order, and refuses unknown keys.
 */
export function createPlanReviver(plan: WirePlan): Revive {
  const present = reviverOfPresent(plan)
  const { nullable, undefinable } = plan
  // `parseJsonText` has already restored undefined, which the payload holds as null.
  return (value) =>
    (nullable && value === null) || (undefinable && value === undefined) ? value : present(value)
}

function reviverOfPresent(plan: WirePlan): Revive {
  const scalar = scalarOf(plan)
  if (scalar) return scalar.fromText as Revive
  switch (plan.kind) {
    case 'number':
      // JSON.parse returns Infinity for 1e999.
      return checked(Number.isFinite)
    case 'literal':
      return checked((value) => plan.values.includes(value as never))
    case 'json':
      return checked((value) => value !== null && value !== undefined && isWritableJson(value))
    case 'tuple': {
      const revivers = plan.items.map((item) => createPlanReviver(item))
      return (value) => {
        const items = Array.isArray(value) && value.length === revivers.length ? value : refuseShape()
        for (const [i, revive] of revivers.entries()) items[i] = revive(items[i])
        return items
      }
    }
    case 'array': {
      const revive = createPlanReviver(plan.items)
      return (value) => {
        const items = Array.isArray(value) ? value : refuseShape()
        for (let i = 0; i < items.length; i++) items[i] = revive(items[i])
        return items
      }
    }
    case 'record': {
      const revive = createPlanReviver(plan.values)
      return (value) => {
        const record = objectIn(value)
        for (const key of Object.keys(record)) record[key] = revive(record[key])
        return record
      }
    }
    case 'object':
      return reviverOfObject(plan)
    case 'union': {
      const reviverFor = byBranch(plan, (branch) => reviverOfPresent(branch))
      return (value) => (reviverFor(value) ?? refuseBranch)(value)
    }
    default:
      return checked((value) => typeof value === plan.kind)
  }
}

function reviverOfObject(plan: PlanOf<'object'>): Revive {
  const order = keyOrderOf(plan.fields)
  const fields = plan.fields.map((field) => ({ ...field, revive: createPlanReviver(field.plan) }))
  return (value) => {
    const row = objectIn(value)
    for (const { name, optional, revive } of fields) {
      if (Object.hasOwn(row, name)) row[name] = revive(row[name])
      else if (!optional) refuseShape()
    }
    return hasKeysInOrder(row, order) ? row : withKeysInOrder(row, order)
  }
}

function checked(isOfKind: (value: unknown) => boolean): Revive {
  return (value) => (isOfKind(value) ? value : refuseShape())
}

function objectIn(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : refuseShape()
}

function refuseShape(): never {
  throw new TypeError('not the shape of the row')
}
