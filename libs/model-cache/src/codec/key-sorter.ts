import { byBranch, refuseBranch } from './by-branch.js'
import { hasKeysInOrder, keyOrderOf, withKeysInOrder } from './key-order.js'
import type { WirePlan } from './wire-plan.js'

/**
 * Puts the keys of a value that matches the plan in order, in place where possible.
 *
 * @throws TypeError if an object has keys that the plan does not have
 */
export type KeySorter = (value: unknown) => unknown

export function createKeySorter(plan: WirePlan): KeySorter {
  return sorterOf(plan) ?? ((value) => value)
}

/** Returns undefined if the plan has no objects with named keys. */
function sorterOf(plan: WirePlan): KeySorter | undefined {
  const present = sorterOfPresent(plan)
  return present && ((value) => (value === null || value === undefined ? value : present(value)))
}

function sorterOfPresent(plan: WirePlan): KeySorter | undefined {
  switch (plan.kind) {
    case 'object': {
      const order = keyOrderOf(plan.fields)
      const sortFields = sorterOfEntries(plan.fields.map(({ name, plan: field }) => [name, sorterOf(field)]))
      return (value) => {
        sortFields(value as object)
        return hasKeysInOrder(value as object, order) ? value : withKeysInOrder(value as object, order)
      }
    }
    case 'tuple': {
      const sortItems = sorterOfEntries(plan.items.map((item, i) => [String(i), sorterOf(item)]))
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

function sorterOfEntries(entries: readonly (readonly [name: string, sort: KeySorter | undefined])[]) {
  const sorters = entries.filter(([, sort]) => sort) as readonly (readonly [string, KeySorter])[]
  return (value: object): object => {
    for (const [name, sort] of sorters) if (Object.hasOwn(value, name)) sortEach(value, [name], sort)
    return value
  }
}

function sortEach(value: object, keys: readonly string[], sort: KeySorter): object {
  const object = value as Record<string, unknown>
  // Defined, not assigned: `__proto__` is an ordinary key of an open record.
  for (const key of keys) {
    const sorted = sort(object[key])
    if (sorted !== object[key]) Object.defineProperty(object, key, { value: sorted })
  }
  return value
}
