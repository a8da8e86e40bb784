import { reviverMismatchError } from '../configuration-errors.js'
import type { AnyReviverSchema } from './reviver-schema.js'
import { scalarOf } from './scalars.js'
import type { DecimalConstructor, PlanOf, ScalarName, WirePlan } from './wire-plan.js'
import { arraySegment, recordSegment } from './wire-plan.js'

/** Returns the reviver schema that a plan implies: every path that ends in a scalar. */
export function reviverSchemaOf(plan: WirePlan): AnyReviverSchema {
  const schema: Record<string, ScalarName> = {}
  collect(plan, [])
  return Object.freeze(schema)

  function collect(node: WirePlan, path: readonly string[]): void {
    if (scalarOf(node)) schema[path.join('.')] = node.kind as ScalarName
    else if (node.kind === 'object')
      node.fields.forEach((f) => collect(f.plan, [...path, escapeName(f.name)]))
    else if (node.kind === 'array') collect(node.items, [...path, arraySegment])
    else if (node.kind === 'tuple') node.items.forEach((item, i) => collect(item, [...path, String(i)]))
    else if (node.kind === 'record') collect(node.values, [...path, recordSegment])
    else if (node.kind === 'union') node.branches.forEach((branch) => collect(branch.plan, path))
  }
}

/** Returns the class of the decimals in this plan, if it has any. */
export function decimalClassOf(plan: WirePlan): DecimalConstructor | undefined {
  switch (plan.kind) {
    case 'decimal':
      return plan.Decimal
    case 'object':
      return plan.fields.map((field) => decimalClassOf(field.plan)).find(Boolean)
    case 'array':
      return decimalClassOf(plan.items)
    case 'tuple':
      return plan.items.map(decimalClassOf).find(Boolean)
    case 'record':
      return decimalClassOf(plan.values)
    case 'union':
      return plan.branches.map((branch) => decimalClassOf(branch.plan)).find(Boolean)
    default:
      return undefined
  }
}

/**
 * Checks a hand-written reviver schema against the plan, for callers that bypass the compile-time check.
 *
 * @throws ConfigurationError naming the first path that is missing, unknown, of another scalar, or ambiguous
 */
export function assertReviverMatches(given: AnyReviverSchema, plan: WirePlan, model: string): void {
  const ambiguous = ambiguousPathOf(plan)
  if (ambiguous) {
    throw reviverMismatchError(
      model,
      ambiguous.join('.'),
      'has different types in two objects of a union, which paths cannot distinguish. ' +
        'Remove the reviver; the derived one can.',
    )
  }
  const expected = reviverSchemaOf(plan)
  for (const [path, scalar] of Object.entries(expected)) {
    if (given[path] === undefined)
      throw reviverMismatchError(model, path, `is missing; the schema has a ${scalar} there.`)
    if (given[path] !== scalar) {
      throw reviverMismatchError(
        model,
        path,
        `declares "${given[path]}", but the schema has a ${scalar} there.`,
      )
    }
  }
  const unknown = Object.keys(given).find((path) => !Object.hasOwn(expected, path))
  if (unknown !== undefined) {
    throw reviverMismatchError(model, unknown, 'is declared, but the schema has nothing to revive there.')
  }
}

type Segments = readonly string[]

/** Returns the first path that needs different revivers in two objects of the same union. */
function ambiguousPathOf(plan: WirePlan, path: Segments = []): Segments | undefined {
  switch (plan.kind) {
    case 'object':
      return first(plan.fields, (field) => ambiguousPathOf(field.plan, [...path, escapeName(field.name)]))
    case 'array':
      return ambiguousPathOf(plan.items, [...path, arraySegment])
    case 'tuple':
      return first(plan.items, (item, i) => ambiguousPathOf(item, [...path, String(i)]))
    case 'record':
      return ambiguousPathOf(plan.values, [...path, recordSegment])
    case 'union': {
      const objects = objectsOf(plan)
      return (
        first(objects, (a, i) => first(objects.slice(i + 1), (b) => conflictOf(a, b, path))) ??
        first(objects, (object) => ambiguousPathOf(object, path))
      )
    }
    default:
      return undefined
  }
}

/** Returns the first path that needs different revivers in two plans, ignoring fields that only one of them has. */
function conflictOf(a: WirePlan, b: WirePlan, path: Segments): Segments | undefined {
  if (!hasScalars(a) && !hasScalars(b)) return undefined
  if (isObject(a) && isObject(b)) {
    return first(objectsOf(a), (one) => first(objectsOf(b), (other) => conflictOfFields(one, other, path)))
  }
  if (a.kind === 'array' && b.kind === 'array') return conflictOf(a.items, b.items, [...path, arraySegment])
  if (a.kind === 'record' && b.kind === 'record')
    return conflictOf(a.values, b.values, [...path, recordSegment])
  if (a.kind === 'tuple' && b.kind === 'tuple') {
    return first(a.items.slice(0, b.items.length), (item, i) =>
      conflictOf(item, b.items[i]!, [...path, String(i)]),
    )
  }
  return scalarOf(a) && a.kind === b.kind ? undefined : path
}

function conflictOfFields(a: PlanOf<'object'>, b: PlanOf<'object'>, path: Segments): Segments | undefined {
  return first(a.fields, ({ name, plan }) => {
    const other = b.fields.find((field) => field.name === name)
    return other && conflictOf(plan, other.plan, [...path, escapeName(name)])
  })
}

const hasScalars = (plan: WirePlan): boolean => Object.keys(reviverSchemaOf(plan)).length > 0

const isObject = (plan: WirePlan): plan is PlanOf<'object' | 'union'> =>
  plan.kind === 'object' || plan.kind === 'union'

const objectsOf = (plan: PlanOf<'object' | 'union'>): readonly PlanOf<'object'>[] =>
  plan.kind === 'object' ? [plan] : plan.branches.flatMap((branch) => objectsOf(branch.plan))

function first<T, R>(list: readonly T[], find: (entry: T, index: number) => R | undefined): R | undefined {
  for (const [index, entry] of list.entries()) {
    const found = find(entry, index)
    if (found !== undefined) return found
  }
  return undefined
}

/** Escapes a field name as a path segment. */
function escapeName(name: string): string {
  if (name === '') return '\\0'
  return name === arraySegment || name === recordSegment ? `\\${name}` : name.replaceAll(/[.\\]/g, '\\$&')
}
