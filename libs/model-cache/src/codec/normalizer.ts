import { byBranch, refuseBranch } from './by-branch.js'
import { maxJsonDepth } from './plain-json.js'
import { ownFieldOf, isPlainObject } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

/**
 * Gives a row the form of a decoded row: exactly the keys of the plan, in order, plain objects and arrays, values of the same
 * classes. Returns the row itself if it has that form, otherwise a new object that shares the parts that have it.
 *
 * @throws TypeError for most rows that do not match the plan
 */
export type Normalizer = (value: unknown) => unknown

/** Creates the normalizer of an object; `normalizerOf` returns that of a field, or undefined if any value is in its form. */
export type ObjectNormalizer = (
  plan: PlanOf<'object'>,
  normalizerOf: (plan: WirePlan) => Normalizer | undefined,
) => Normalizer

/** @param ofObject creates the normalizers of objects */
export function createNormalizer(plan: WirePlan, ofObject: ObjectNormalizer): Normalizer {
  return normalizerOf(plan) ?? ((value) => value)

  function normalizerOf(node: WirePlan): Normalizer | undefined {
    const present = ofPresent(node)
    if (!present || !(node.nullable || node.undefinable)) return present
    return (value) => (value === null || value === undefined ? value : present(value))
  }

  function ofPresent(node: WirePlan): Normalizer | undefined {
    switch (node.kind) {
      case 'object':
        return ofObject(node, normalizerOf)
      case 'array': {
        const normalize = normalizerOf(node.items) ?? asItIs
        return (value) => normalizeItems(value, normalize)
      }
      case 'tuple': {
        const normalizers = node.items.map((item) => normalizerOf(item) ?? asItIs)
        return (value) => normalizeItems(value, (item, i) => (normalizers[i] ?? refuse)(item))
      }
      case 'record': {
        const normalize = normalizerOf(node.values) ?? asItIs
        return (value) => normalizeEntries(value, normalize)
      }
      case 'union': {
        const normalizerFor = byBranch(node, (branch) => ofPresent(branch)!)
        return (value) => (normalizerFor(value) ?? refuseBranch)(value)
      }
      case 'json':
        return (value) => (isNormalJson(value, maxJsonDepth) ? value : normalizeJson(value))
      default:
        return ofScalar(node)
    }
  }
}

function ofScalar(plan: WirePlan): Normalizer | undefined {
  const scalar = scalarOf(plan)
  if (!scalar || plan.kind === 'bigint') return undefined
  const { accepts, normalize } = scalar
  return (value) => (accepts(value) ? normalize(value as never) : refuse())
}

/** Returns a required field. */
export function requireField(row: object, name: string, { undefinable }: PlanField['plan']): unknown {
  const value = ownFieldOf(row, name)
  return value === undefined && !(undefinable && Object.hasOwn(row, name)) ? refuse() : value
}

function normalizeItems(value: unknown, normalize: (item: unknown, i: number) => unknown): unknown[] {
  if (!Array.isArray(value)) return refuse()
  let copy = Object.getPrototypeOf(value) === Array.prototype ? value : Array.from<unknown>(value)
  for (let i = 0; i < value.length; i++) {
    const item = normalize(value[i], i)
    if (item === value[i]) continue
    if (copy === value) copy = value.slice()
    copy[i] = item
  }
  return copy
}

function normalizeEntries(value: unknown, normalize: Normalizer): object {
  if (!isPlainObject(value)) return refuse()
  let copy = isOfObject(value) ? value : { ...value }
  for (const key in value) {
    const entry = normalize(value[key])
    if (entry === value[key]) continue
    if (copy === value) copy = { ...value }
    // Defined, not assigned: `__proto__` is an ordinary key here.
    Object.defineProperty(copy, key, { value: entry, writable: true, enumerable: true, configurable: true })
  }
  return copy
}

/**
 * Whether JSON already has the form that parsing it would give, which is the usual case.
 *
 * @param depth number of levels that may follow
 */
function isNormalJson(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return refuse()
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) return false
    for (let i = 0; i < value.length; i++) if (!isNormalJson(value[i], depth - 1)) return false
    return true
  }
  if (prototype !== Object.prototype) return isPlainObject(value) ? false : refuse()
  for (const key in value) {
    if (!isNormalJson((value as Record<string, unknown>)[key], depth - 1)) return false
  }
  return true
}

function normalizeJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? normalizeItems(value, normalizeJson) : normalizeEntries(value, normalizeJson)
}

const asItIs: Normalizer = (value) => value

/** Whether a plain object has the `Object.prototype` of this realm. */
export function isOfObject(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}

export function refuse(): never {
  throw new TypeError('not the shape of the row')
}
