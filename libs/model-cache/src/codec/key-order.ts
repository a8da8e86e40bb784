import { type PlanField, type WirePlan, withParts } from './wire-plan.js'

/**
 * The order of the keys in every decoded or normalized object: required keys first, then optional ones, each in the order of
 * the plan. A plan of an ArkType schema is sorted by name; one that Prisma's schema made has the order of its columns.
 */
export interface KeyOrder {
  readonly keys: readonly string[]
  /** Whether the key at the same index is optional. */
  readonly optional: readonly boolean[]
}

export function keyOrderOf(fields: readonly PlanField[]): KeyOrder {
  const namesOf = (optional: boolean): string[] =>
    fields.filter((field) => field.optional === optional).map(({ name }) => name)
  // Keys taken from an object are interned, so V8 compares them by address. It also puts names such as `1` first.
  const keys = Object.keys(Object.fromEntries([...namesOf(false), ...namesOf(true)].map((name) => [name, 0])))
  const left = new Set(namesOf(true))
  return { keys, optional: keys.map((key) => left.has(key)) }
}

/** Returns the plan with required fields before optional ones in every object, as their keys are in a row. */
export function inKeyOrder(given: WirePlan): WirePlan {
  const plan = withParts(given, inKeyOrder)
  if (plan.kind !== 'object') return plan
  return { ...plan, fields: plan.fields.toSorted((a, b) => Number(a.optional) - Number(b.optional)) }
}

/** Whether an object has exactly these keys, in order. Symbols are ignored. */
export function hasKeysInOrder(object: object, { keys, optional }: KeyOrder): boolean {
  let at = 0
  for (const key in object) {
    while (key !== keys[at]) {
      // Past the last key, `optional` is undefined.
      if (!optional[at]) return false
      at++
    }
    at++
  }
  while (optional[at]) at++
  return at === keys.length
}

/**
 * Returns a copy of the object with its keys in order.
 *
 * @throws TypeError if it has other keys
 */
export function withKeysInOrder(object: object, { keys }: KeyOrder): object {
  const ordered: Record<string, unknown> = {}
  let others = Object.keys(object).length
  for (const key of keys) {
    if (!Object.hasOwn(object, key)) continue
    ordered[key] = (object as Record<string, unknown>)[key]
    others--
  }
  if (others > 0) throw new TypeError('a key that the schema does not have')
  return ordered
}
