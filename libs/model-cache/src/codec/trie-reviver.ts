import { reviverMismatchError } from '../configuration-errors.js'
import { ownFieldOf } from './plain-object.js'
import type { Revive } from './plan-reviver.js'
import type { AnyReviverSchema } from './reviver-schema.js'
import type { Scalar } from './scalars.js'
import { listedScalars, scalarNamed } from './scalars.js'
import type { DecimalConstructor, ScalarName } from './wire-plan.js'
import { arraySegment, recordSegment } from './wire-plan.js'

/**
 * The paths of a reviver schema as a trie. The cost of a visit depends on the declared paths, not on the other keys of the
 * payload.
 */
interface TrieNode {
  /** The scalar of a path that ends here. */
  scalar?: ScalarName
  /** Children by field name or position in a tuple. */
  readonly children: Map<string, TrieNode>
  /** The node of every element of an array. */
  elements?: TrieNode
  /** The node of every value of an open record. */
  values?: TrieNode
}

const tries = new WeakMap<AnyReviverSchema, TrieNode>()

/**
 * Creates a reviver that visits the trie of a reviver schema. Paths are split once per schema object.
 *
 * @param Decimal the class of `'decimal'` paths
 * @throws ConfigurationError if a path declares an unknown scalar, or a decimal without a class
 */
export function createTrieReviver(
  schema: AnyReviverSchema,
  model: string,
  Decimal?: DecimalConstructor,
): Revive {
  const visit = visitorOf(trieOf(schema), (name, path) => {
    const scalar = scalarNamed(name, Decimal)
    if (scalar) return scalar
    throw reviverMismatchError(
      model,
      path,
      name === 'decimal'
        ? 'is a decimal, but there is no Decimal class; pass it as the option `Decimal`.'
        : `declares the unknown scalar "${name}"; expected one of ${listedScalars}.`,
    )
  })
  return visit
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

/** Splits at unescaped dots; the path of the root, `''`, has no segments. */
const splitPath = (path: string): string[] => path.match(/(?:\\.|[^.\\])+/gs) ?? []

const emptyName = '\\0'

const unescapeName = (segment: string): string =>
  segment === emptyName ? '' : segment.replaceAll(/\\(.)/gs, '$1')

/** Creates one closure per trie node, so that a visit needs no lookups. */
function visitorOf(node: TrieNode, scalarFor: (name: ScalarName, path: string) => Scalar, path = ''): Revive {
  if (node.scalar) return visitorOfScalar(scalarFor(node.scalar, path))
  const below = (child: TrieNode, segment: string): Revive =>
    visitorOf(child, scalarFor, path ? `${path}.${segment}` : segment)
  return visitorOfContainer({
    children: [...node.children].map(([name, child]) => ({ name, visit: below(child, name) })),
    visitElement: node.elements && below(node.elements, arraySegment),
    visitValue: node.values && below(node.values, recordSegment),
  })
}

function visitorOfScalar({ fromText }: Scalar): Revive {
  return (value) => (value === null || value === undefined ? value : fromText(value as string))
}

type Children = readonly { readonly name: string; readonly visit: Revive }[]

interface Visitors {
  readonly children: Children
  readonly visitElement?: Revive | undefined
  readonly visitValue?: Revive | undefined
}

function visitorOfContainer({ children, visitElement, visitValue }: Visitors): Revive {
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const parent = value as Record<string, unknown>
    for (const { name, visit } of children) {
      const field = ownFieldOf(parent, name)
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
