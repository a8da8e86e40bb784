import { byBranch, refuseBranch } from './by-branch.js'
import { hasKeysInOrder, keyOrderOf, withKeysInOrder } from './key-order.js'
import type { WirePlan } from './wire-plan.js'

/**
 * Puts the keys of a value that matches the plan in order, in place as far as can be.
 *
 * @throws TypeError when an object has keys that the plan does not name
 */
export type KeySorter = (value: unknown) => unknown

export function createKeySorter(plan: WirePlan): KeySorter {
  return sorterOf(plan) ?? ((value) => value)
}

/** Undefined where there are no objects with named keys. */
function sorterOf(plan: WirePlan): KeySorter | undefined {
  const present = sorterOfPresent(plan)
  return present && ((value) => (value === null || value === undefined ? value : present(value)))
}

function sorterOfPresent(plan: WirePlan): KeySorter | undefined {
  switch (plan.kind) {
    case 'object': {
      const order = keyOrderOf(plan.fields)
      const sortFields = sorterOfParts(plan.fields.map(({ name, plan: field }) => [name, sorterOf(field)]))
      return (value) => {
        sortFields(value as object)
        return hasKeysInOrder(value as object, order) ? value : withKeysInOrder(value as object, order)
      }
    }
    case 'tuple': {
      const sortItems = sorterOfParts(plan.items.map((item, i) => [String(i), sorterOf(item)]))
      return (value) => sortItems(value as object)
    }
    case 'array':
    case 'record': {
      const sort = sorterOf(plan.kind === 'array' ? plan.items : plan.values)
      return sort && ((value) => sortEach(value as object, Object.keys(value as object), sort))
    }
    case 'union': {
      const sortFor = byBranch(plan, (branch) => sorterOfPresent(branch)!)
      return (value) => (sortFor(value) ?? refuseBranch)(value)
    }
    default:
      return undefined
  }
}

function sorterOfParts(parts: readonly (readonly [name: string, sort: KeySorter | undefined])[]) {
  const sorters = parts.filter(([, sort]) => sort) as readonly (readonly [string, KeySorter])[]
  return (value: object): object => {
    for (const [name, sort] of sorters) if (Object.hasOwn(value, name)) sortEach(value, [name], sort)
    return value
  }
}

function sortEach(value: object, keys: readonly string[], sort: KeySorter): object {
  const parts = value as Record<string, unknown>
  // Defined, not set: `__proto__` is a key like others of an open record.
  for (const key of keys) {
    const sorted = sort(parts[key])
    if (sorted !== parts[key]) Object.defineProperty(parts, key, { value: sorted })
  }
  return value
}
