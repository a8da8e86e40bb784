import { byBranch, refuseBranch } from './by-branch.js'
import { FunctionWriter, property } from './function-writer.js'
import { hasKeysInOrder, keyOrderOf } from './key-order.js'
import { maxJsonDepth } from './plain-json.js'
import { isInheritedName, isPlainObject, ownFieldOf } from './plain-object.js'
import { scalarOf } from './scalars.js'
import type { PlanField, PlanOf, WirePlan } from './wire-plan.js'

/**
 * Gives a row the form of a decoded row: exactly the keys of the plan, in order, plain objects and arrays, values of the same
 * classes. Returns the row itself if it has that form, otherwise a new object that shares the parts that have it.
 *
 * @throws TypeError for most rows that do not match the plan
 */
export type Normalizer = (value: unknown) => unknown

/** Compiles a normalizer: one function per object, which checks its keys once and creates a literal if they differ. */
export function compileNormalizer(plan: WirePlan): Normalizer {
  return normalizerOf(plan) ?? asItIs
}

/** Returns the normalizer of a plan; undefined if any value is in its form. */
function normalizerOf(plan: WirePlan): Normalizer | undefined {
  const present = ofPresent(plan)
  if (!present || !(plan.nullable || plan.undefinable)) return present
  return (value) => (value === null || value === undefined ? value : present(value))
}

function ofPresent(node: WirePlan): Normalizer | undefined {
  switch (node.kind) {
    case 'object':
      return writeObject(node).compile<Normalizer>('value')
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

function writeObject({ fields }: PlanOf<'object'>): FunctionWriter {
  const code = new FunctionWriter()
  code.line(
    `const isOwn = ${code.constant(isOfObject)}(value) || (${code.constant(isPlainObject)}(value) ? false : ${code.constant(refuse)}())`,
  )
  const changes: string[] = []
  const values = fields.map((field) => {
    const place = placeOf(field)
    const normalize = normalizerOf(field.plan)
    if (!normalize) return { ...field, value: place }
    const normalized = `${code.constant(normalize)}(${place})`
    const value = code.assign(
      field.optional ? `${place} === undefined ? undefined : ${normalized}` : normalized,
    )
    changes.push(`${value} === ${place}`)
    return { ...field, value }
  })
  const inOrder = writeOrder(code, fields)
  code.line(`if (${['isOwn', inOrder, ...changes].join(' && ')}) return value`)
  const required = values.filter(({ optional }) => !optional)
  for (const field of required) {
    const { name, plan } = field
    code.line(
      `if (${placeOf(field)} === undefined) ${code.constant(requireField)}(value, ${JSON.stringify(name)}, ${code.constant(plan)})`,
    )
  }
  const literal = required.map(({ name, value }) => `${JSON.stringify(name)}: ${value}`)
  code.line(`const row = { ${literal.join(', ')} }`)
  for (const { name, optional, value } of values) {
    if (!optional) continue
    code.line(`if (Object.hasOwn(value, ${JSON.stringify(name)})) row${property(name)} = ${value}`)
  }
  return code.line('return row')
}

/** Returns an expression for an own field, never an inherited property. */
function placeOf({ name }: PlanField): string {
  const place = `value${property(name)}`
  return isInheritedName(name)
    ? `(Object.hasOwn(value, ${JSON.stringify(name)}) ? ${place} : undefined)`
    : place
}

/** Writes the check of the keys and returns the condition that they are in order. */
function writeOrder(code: FunctionWriter, fields: readonly PlanField[]): string {
  const order = keyOrderOf(fields)
  if (order.optional.includes(true)) {
    return `${code.constant(hasKeysInOrder)}(value, ${code.constant(order)})`
  }
  const keys = code.constant(order.keys)
  code.line('let count = 0')
  code.line(`for (const key in value) if (key !== ${keys}[count++]) { count = -1; break }`)
  return `count === ${order.keys.length}`
}

function ofScalar(plan: WirePlan): Normalizer | undefined {
  const scalar = scalarOf(plan)
  if (!scalar || plan.kind === 'bigint') return undefined
  const { accepts, normalize } = scalar
  return (value) => (accepts(value) ? normalize(value as never) : refuse())
}

/** Returns a required field. */
function requireField(row: object, name: string, { undefinable }: PlanField['plan']): unknown {
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
function isOfObject(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}

function refuse(): never {
  throw new TypeError('not the shape of the row')
}
