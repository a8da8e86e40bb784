import type { PlanField } from './wire-plan.js'

/**
 * The keys of an object as each row has them, whatever it came from: required ones first, both in the order of the compiled
 * schema, which is alphabetical.
 */
export interface KeyOrder {
  readonly keys: readonly string[]
  /** Which of them may be left out. */
  readonly optional: readonly boolean[]
}

export function keyOrderOf(fields: readonly PlanField[]): KeyOrder {
  const namesOf = (optional: boolean): string[] =>
    fields.filter((field) => field.optional === optional).map(({ name }) => name)
  // Keys of an object, which V8 compares by address; names such as `1` come first there.
  const keys = Object.keys(Object.fromEntries([...namesOf(false), ...namesOf(true)].map((name) => [name, 0])))
  const left = new Set(namesOf(true))
  return { keys, optional: keys.map((key) => left.has(key)) }
}

/** Whether an object has the keys that it should have, in order, and no others. Symbols are not looked for. */
export function hasKeysInOrder(object: object, { keys, optional }: KeyOrder): boolean {
  let at = 0
  for (const key in object) {
    while (key !== keys[at]) {
      // False as well where there is none.
      if (!optional[at]) return false
      at++
    }
    at++
  }
  while (optional[at]) at++
  return at === keys.length
}

/**
 * The same object with its keys in order.
 *
 * @throws TypeError when it has other keys
 */
export function withKeysInOrder(object: object, { keys }: KeyOrder): object {
  const ordered: Record<string, unknown> = {}
  let others = Object.keys(object).length
  for (const key of keys) {
    if (!Object.hasOwn(object, key)) continue
    ordered[key] = (object as Record<string, unknown>)[key]
    others--
  }
  if (others > 0) throw new TypeError('a key that the schema does not name')
  return ordered
}
