import { ReviverMismatchError } from '../errors.js'
import type { Revive } from './compiled-reviver.js'
import { fieldOf } from './plain-object.js'
import type { AnyReviverSchema } from './reviver-schema.js'
import type { Scalar } from './scalars.js'
import { scalarNamed, scalarOf } from './scalars.js'
import type { DecimalConstructor, ScalarName, WirePlan } from './wire-plan.js'
import { arraySegment, recordSegment } from './wire-plan.js'

/**
 * The paths of a reviver schema as a trie. Visiting it costs what the schema declares, however many other keys the
 * payload has.
 */
interface TrieNode {
  /** What stands here, when a path ends here. */
  scalar?: ScalarName
  /** By field name, or by position in a tuple. */
  readonly children: Map<string, TrieNode>
  /** Of every element of an array. */
  elements?: TrieNode
  /** Of every value of an open record. */
  values?: TrieNode
}

const tries = new WeakMap<AnyReviverSchema, TrieNode>()

/**
 * Makes a reviver that walks the trie of a reviver schema; it needs no code generation. Paths are split once per
 * schema object.
 *
 * @param Decimal the class that `'decimal'` paths come back as
 * @throws ReviverMismatchError when a path declares an unknown scalar, or a decimal without a class
 */
export function createTrieReviver(
  schema: AnyReviverSchema,
  model: string,
  Decimal?: DecimalConstructor,
): Revive {
  const visit = visitorOf(trieOf(schema), (name, path) => {
    const scalar = scalarNamed(name, Decimal)
    if (scalar) return scalar
    throw new ReviverMismatchError(
      model,
      path,
      name === 'decimal'
        ? 'is a decimal, but no Decimal class was given.'
        : `declares the unknown scalar "${name}".`,
    )
  })
  return visit
}

/** The reviver schema that a plan implies: every path that ends in a scalar. */
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
  }
}

/** The class that decimals of this plan have, if it has any. */
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
    default:
      return undefined
  }
}

/**
 * Holds a hand-written reviver schema against the plan, for those whom the compiler did not stop.
 *
 * @throws ReviverMismatchError naming the first path that is missing, unknown, or of another scalar
 */
export function assertReviverMatches(given: AnyReviverSchema, plan: WirePlan, model: string): void {
  const expected = reviverSchemaOf(plan)
  for (const [path, scalar] of Object.entries(expected)) {
    if (given[path] === undefined)
      throw new ReviverMismatchError(model, path, `is missing; the schema has a ${scalar} there.`)
    if (given[path] !== scalar) {
      throw new ReviverMismatchError(
        model,
        path,
        `declares "${given[path]}", but the schema has a ${scalar} there.`,
      )
    }
  }
  const unknown = Object.keys(given).find((path) => !(path in expected))
  if (unknown !== undefined) {
    throw new ReviverMismatchError(model, unknown, 'is declared, but the schema has nothing to revive there.')
  }
}

function trieOf(schema: AnyReviverSchema): TrieNode {
  const known = tries.get(schema)
  if (known) return known
  const root: TrieNode = { children: new Map() }
  for (const [path, scalar] of Object.entries(schema)) {
    let node = root
    for (const segment of splitPath(path)) node = descend(node, segment)
    node.scalar = scalar
  }
  tries.set(schema, root)
  return root
}

function descend(node: TrieNode, segment: string): TrieNode {
  if (segment === arraySegment) return (node.elements ??= { children: new Map() })
  if (segment === recordSegment) return (node.values ??= { children: new Map() })
  const name = unescapeName(segment)
  const child = node.children.get(name) ?? { children: new Map() }
  node.children.set(name, child)
  return child
}

/** Splits at dots that are not escaped; the path of the root, `''`, has no segments. */
const splitPath = (path: string): string[] => (path === '' ? [] : (path.match(/(?:\\.|[^.\\])+/gs) ?? []))

const emptyName = '\\0'

const unescapeName = (segment: string): string =>
  segment === emptyName ? '' : segment.replaceAll(/\\(.)/gs, '$1')

function escapeName(name: string): string {
  if (name === '') return emptyName
  return name === arraySegment || name === recordSegment ? `\\${name}` : name.replaceAll(/[.\\]/g, '\\$&')
}

/** One closure per trie node, so that nothing is looked up while visiting. */
function visitorOf(node: TrieNode, scalarFor: (name: ScalarName, path: string) => Scalar, path = ''): Revive {
  if (node.scalar) {
    const { fromText } = scalarFor(node.scalar, path)
    return (value) => (value === null || value === undefined ? value : fromText(value as string))
  }
  const below = (child: TrieNode, segment: string): Revive =>
    visitorOf(child, scalarFor, path ? `${path}.${segment}` : segment)
  const children = [...node.children].map(([name, child]) => ({ name, visit: below(child, name) }))
  const visitElement = node.elements && below(node.elements, arraySegment)
  const visitValue = node.values && below(node.values, recordSegment)

  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const parent = value as Record<string, unknown>
    for (const { name, visit } of children) {
      const field = fieldOf(parent, name)
      if (field !== undefined) parent[name] = visit(field)
    }
    if (visitElement && Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) value[i] = visitElement(value[i])
    }
    if (visitValue) {
      for (const key of Object.keys(value)) parent[key] = visitValue(parent[key])
    }
    return value
  }
}
