import { reviverMismatchError } from '../configuration-errors.js'
import type { AnyReviverSchema } from './reviver-schema.js'
import { scalarOf } from './scalars.js'
import type { ScalarName, WirePlan } from './wire-plan.js'
import { arraySegment, partsOf, recordSegment } from './wire-plan.js'

/** Returns the reviver schema that a plan implies: every path that ends in a scalar. */
export function reviverSchemaOf(plan: WirePlan): AnyReviverSchema {
  const scalars = [...placesOf(plan)].flatMap(([path, [place]]) =>
    scalarOf(place) ? [[path, place.kind as ScalarName]] : [],
  )
  return Object.freeze(Object.fromEntries(scalars) as Record<string, ScalarName>)
}

/**
 * Checks a hand-written reviver schema against the plan, for callers that bypass the compile-time check.
 *
 * @throws ConfigurationError naming the first path that is missing, unknown, of another scalar, or ambiguous
 */
export function assertReviverMatches(given: AnyReviverSchema, plan: WirePlan, model: string): void {
  const ambiguous = ambiguousPathOf(plan)
  if (ambiguous !== undefined) {
    throw reviverMismatchError(
      model,
      ambiguous,
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

/** The plans of the values at each path: several where objects of a union have it. */
function placesOf(plan: WirePlan): ReadonlyMap<string, readonly [WirePlan, ...WirePlan[]]> {
  const places = new Map<string, [WirePlan, ...WirePlan[]]>()
  const add = (node: WirePlan, segments: readonly string[]): void => {
    if (node.kind === 'union') return node.branches.forEach((branch) => add(branch.plan, segments))
    const path = segments.join('.')
    const known = places.get(path)
    if (known) known.push(node)
    else places.set(path, [node])
    partsOf(node).forEach((part, i) => add(part, [...segments, segmentOf(node, i)]))
  }
  add(plan, [])
  return places
}

function segmentOf(plan: WirePlan, index: number): string {
  if (plan.kind === 'object') return escapeName(plan.fields[index]!.name)
  if (plan.kind === 'tuple') return String(index)
  return plan.kind === 'array' ? arraySegment : recordSegment
}

/** Returns the first path that needs different revivers in two objects of the same union. */
function ambiguousPathOf(plan: WirePlan): string | undefined {
  const differ = (plans: readonly WirePlan[]): boolean => plans.some(({ kind }) => kind !== plans[0]!.kind)
  return [...placesOf(plan)].find(([, plans]) => differ(plans) && plans.some(hasScalars))?.[0]
}

function hasScalars(plan: WirePlan): boolean {
  return scalarOf(plan) !== undefined || partsOf(plan).some(hasScalars)
}

/** Escapes a field name as a path segment. */
function escapeName(name: string): string {
  if (name === '') return '\\0'
  return name === arraySegment || name === recordSegment ? `\\${name}` : name.replaceAll(/[.\\]/g, '\\$&')
}
