import { byBranch, refuseBranch } from './by-branch.js'
import { scalarOf } from './scalars.js'
import type { WirePlan } from './wire-plan.js'

/** Copies a row that matches the plan; the copy shares nothing mutable with the original. */
export type Cloner = (value: unknown) => unknown

/** Makes many copies of a row. */
export type ManyCloner = (value: unknown, count: number) => unknown[]

/** Makes many copies, one after another. */
export function repeated(clone: Cloner): ManyCloner {
  return (value, count) => Array.from({ length: count }, () => clone(value))
}

/** Creates a cloner without code generation. */
export function createCloner(plan: WirePlan): Cloner {
  const present = clonerOfPresent(plan)
  return (value) => (value === null || value === undefined ? value : present(value))
}

function clonerOfPresent(plan: WirePlan): Cloner {
  const scalar = scalarOf(plan)
  if (scalar) return scalar.copy as Cloner
  switch (plan.kind) {
    case 'object': {
      const fields = plan.fields.map((field) => ({ ...field, clone: createCloner(field.plan) }))
      return (value) => {
        const row = value as Record<string, unknown>
        const copy: Record<string, unknown> = {}
        for (const { name, optional, clone } of fields) {
          if (optional && !Object.hasOwn(row, name)) continue
          copy[name] = clone(row[name])
        }
        return copy
      }
    }
    case 'array': {
      const clone = createCloner(plan.items)
      return (value) => (value as unknown[]).map(clone)
    }
    case 'tuple': {
      const clones = plan.items.map(createCloner)
      return (value) => clones.map((clone, i) => clone((value as unknown[])[i]))
    }
    case 'record': {
      const clone = createCloner(plan.values)
      // Object.fromEntries defines keys, so that one named `__proto__` stays a key.
      return (value) =>
        Object.fromEntries(Object.entries(value as object).map(([key, entry]) => [key, clone(entry)]))
    }
    case 'union': {
      const cloneFor = byBranch(plan, clonerOfPresent)
      return (value) => (cloneFor(value) ?? refuseBranch)(value)
    }
    case 'json':
      return cloneJson
    default:
      return (value) => value
  }
}

/** Copies plain JSON. */
function cloneJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const copy = value.slice()
    for (let i = 0; i < copy.length; i++) {
      const entry: unknown = copy[i]
      if (typeof entry === 'object' && entry !== null) copy[i] = cloneJson(entry)
    }
    return copy
  }
  const copy: Record<string, unknown> = { ...value }
  // After a spread, `__proto__` is an own key and can be assigned. `for in` also visits enumerable keys of a polluted
  // Object.prototype, hence the check for own keys.
  for (const key in copy) {
    const entry = copy[key]
    if (typeof entry === 'object' && entry !== null && Object.hasOwn(copy, key)) copy[key] = cloneJson(entry)
  }
  return copy
}
