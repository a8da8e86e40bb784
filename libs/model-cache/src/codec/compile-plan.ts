import { isDeepStrictEqual } from 'node:util'
import { unsupportedSchemaError } from '../configuration-errors.js'
import { discriminate } from './discriminate.js'
import { inWireOrder } from './record/wire-order.js'
import type { RowSchema } from './row-schema.js'
import { scalarOf } from './scalars.js'
import type { Constant, DecimalConstructor, PlanField, PlanOf, WirePlan } from './wire-plan.js'
import { arraySegment, partsOf, recordSegment } from './wire-plan.js'

/**
 * Compiles an ArkType schema to a {@link WirePlan}, through its draft-07 JSON Schema. The `fallback` hook of that conversion
 * reports dates, class instances and bigints, so no private API of ArkType is needed.
 *
 * @param name the name of the cache, for messages
 * @throws ConfigurationError naming the path, the type there and the remedy
 */
export function compilePlan(schema: RowSchema, name: string): WirePlan {
  const options = { target: 'draft-07', dialect: null, useRefs: false, fallback }
  const root = schema.toJsonSchema(options as never) as JsonNode
  return planOf(root, '', { cache: name, definitions: root.definitions ?? {}, within: [] })
}

/** A draft-07 node, or a marker that {@link fallback} put in its place. */
interface JsonNode {
  readonly [marker]?: Marker
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonNode[]
  readonly oneOf?: readonly JsonNode[]
  readonly $ref?: string
  readonly definitions?: Readonly<Record<string, JsonNode>>
  readonly properties?: Readonly<Record<string, JsonNode>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonNode | boolean
  readonly patternProperties?: Readonly<Record<string, JsonNode>>
  readonly items?: JsonNode | readonly JsonNode[]
  readonly minItems?: number
  readonly additionalItems?: JsonNode | boolean
  readonly default?: unknown
}

/** A schema that is being read. */
interface Reading {
  /** The name of the cache, for messages. */
  readonly cache: string
  /** What references lead to. Only a schema with a type that contains itself has any, and it has them for most of its types. */
  readonly definitions: Readonly<Record<string, JsonNode>>
  /** The references that lead to what is read now. */
  readonly within: readonly string[]
}

const marker = 'x-model-cache'

type Marker =
  | { readonly kind: 'date' | 'bigint' | 'bytes' | 'undefined' }
  | { readonly kind: 'decimal'; readonly Decimal: DecimalConstructor }
  | { readonly kind: 'unsupported'; readonly found: string; readonly remedy: string }

const mark = (value: Marker): object => ({ [marker]: value })
const refuse = (found: string, remedy: string): object => mark({ kind: 'unsupported', found, remedy })

const variableLength = ['a tuple of variable length', 'Use an array, or a tuple of fixed length.'] as const

const fallback = {
  date: () => mark({ kind: 'date' }),
  domain: ({ domain }: { domain: string }) =>
    domain === 'bigint'
      ? mark({ kind: 'bigint' })
      : refuse(`a ${domain}`, 'Leave the field out of the schema.'),
  proto: ({ proto }: { proto: unknown }) => markOfClass(proto as { name: string }),
  unit: ({ unit }: { unit: unknown }) =>
    unit === undefined
      ? mark({ kind: 'undefined' })
      : refuse(`the constant ${String(unit)}`, 'Use its type instead of one value of it.'),
  // Constraints on values do not change how they are serialized.
  predicate: ({ base }: { base: object }) => base,
  patternIntersection: ({ base }: { base: object }) => base,
  defaultValue: ({ base }: { base: object }) => base,
  morph: () => refuse('a morph', 'Cache the output of the morph: use its output type (`schema.out`).'),
  // In place, since ArkType ignores what is returned for a named key.
  symbolKey: ({ base }: { base: object }) => Object.assign(base, refuse('a symbol key', 'Use a string key.')),
  arrayObject: () => refuse('an array with extra properties', 'Make it an object that holds the array.'),
  arrayPostfix: () => refuse(...variableLength),
}

function markOfClass(proto: { name: string }): object {
  if (proto === (Uint8Array as unknown)) return mark({ kind: 'bytes' })
  if (isDecimalConstructor(proto)) return mark({ kind: 'decimal', Decimal: proto })
  return refuse(
    `an instance of ${proto.name}`,
    'Date, Decimal, bigint and Uint8Array can be cached; of other classes, cache the plain fields.',
  )
}

function isDecimalConstructor(value: unknown): value is DecimalConstructor {
  return typeof (value as { isDecimal?: unknown }).isDecimal === 'function'
}

function planOf(node: JsonNode, path: string, reading: Reading): WirePlan {
  const branches = node.anyOf ?? node.oneOf
  if (branches) return planOfUnion(branches, path, reading)
  if (node[marker]) return planOfMarker(node[marker], path, reading)
  if (node.$ref !== undefined) return planOfReference(node.$ref, path, reading)
  if ('const' in node) return planOfConstants([node.const])
  if (node.enum) return planOfConstants(node.enum)
  switch (node.type) {
    case 'string':
    case 'boolean':
      return present({ kind: node.type })
    case 'number':
    case 'integer':
      return present({ kind: 'number' })
    case 'null':
      return { ...present({ kind: 'json' }), nullable: true }
    case 'array':
      return planOfArray(node, path, reading)
    case 'object':
      return planOfObject(node, path, reading)
    default:
      return { ...present({ kind: 'json' }), nullable: true }
  }
}

const definitionsAt = '#/definitions/'

function planOfReference(reference: string, path: string, reading: Reading): WirePlan {
  const { cache, definitions, within } = reading
  const found = definitions[reference.slice(definitionsAt.length)]
  if (!found || within.includes(reference)) {
    throw unsupportedSchemaError(
      cache,
      path,
      'a type that contains itself',
      'Declare that field `json` if it is plain JSON, or cache its parts as models of their own.',
    )
  }
  return planOf(found, path, { ...reading, within: [...within, reference] })
}

const present = <P extends object>(plan: P) => ({ ...plan, nullable: false, undefinable: false })

function planOfMarker(mark: Marker, path: string, reading: Reading): WirePlan {
  switch (mark.kind) {
    case 'unsupported':
      throw unsupportedSchemaError(reading.cache, path, mark.found, mark.remedy)
    case 'undefined':
      return { kind: 'literal', values: [], nullable: false, undefinable: true }
    case 'decimal':
      return present({ kind: 'decimal', Decimal: mark.Decimal })
    default:
      return present({ kind: mark.kind })
  }
}

function planOfConstants(values: readonly unknown[]): WirePlan {
  const nullable = values.includes(null)
  return {
    kind: 'literal',
    values: values.filter((value) => value !== null) as Constant[],
    nullable,
    undefinable: false,
  }
}

function planOfUnion(branches: readonly JsonNode[], path: string, reading: Reading): WirePlan {
  const plans = branches.map((branch) => planOf(branch, path, reading))
  const nullability = {
    nullable: plans.some((plan) => plan.nullable),
    undefinable: plans.some((plan) => plan.undefinable),
  }
  // Branches that are only null or undefined are covered by the flags.
  const values = plans.filter((plan, i) => !isOnlyNullish(plan) && branches[i]!.type !== 'null')
  const [only] = values
  // Branches that differ in their constraints alone, such as dates of two ranges, are one.
  if (only && values.every((plan) => isDeepStrictEqual(plan, only))) return { ...only, ...nullability }
  const constants = values.flatMap((plan) => (plan.kind === 'literal' ? plan.values : []))
  const kinds = values.filter((plan) => plan.kind !== 'literal')
  if (kinds.length === 0) return { kind: 'literal', values: constants, ...nullability }
  const first = kinds[0]!
  if (
    isPlainKind(first) &&
    kinds.every((plan) => plan.kind === first.kind) &&
    constants.every((c) => typeof c === first.kind)
  ) {
    return { ...first, ...nullability }
  }
  const areObjects = values.every(isObject)
  const union = areObjects ? discriminate(values) : undefined
  if (union) return { ...union, ...nullability }
  if (values.every(isRestoredByJson)) return { kind: 'json', ...nullability }
  if (areObjects) {
    throw unsupportedSchemaError(
      reading.cache,
      path,
      'a union of objects without a discriminator',
      `Give each object a required field of the same name with its own constants: kind: "'image'", kind: "'video'".`,
    )
  }
  throw unsupportedSchemaError(
    reading.cache,
    path,
    `a union of ${[...new Set(values.map((plan) => plan.kind))].join(', ')}`,
    'Unions with null or undefined, of constants, of plain JSON values, and of objects with a discriminator can be ' +
      'cached; split other unions into several fields.',
  )
}

const isOnlyNullish = (plan: WirePlan): boolean => plan.kind === 'literal' && plan.values.length === 0
const isObject = (plan: WirePlan): plan is PlanOf<'object'> => plan.kind === 'object'
const isPlainKind = (plan: WirePlan): boolean =>
  plan.kind === 'string' || plan.kind === 'number' || plan.kind === 'boolean'

/** Whether JSON alone restores the value, whichever branch of a union it belongs to. */
export function isRestoredByJson(plan: WirePlan): boolean {
  return !scalarOf(plan) && partsOf(plan).every(isRestoredByJson)
}

function planOfArray(node: JsonNode, path: string, reading: Reading): WirePlan {
  if (Array.isArray(node.items)) {
    const given = node.items as readonly JsonNode[]
    // An element with a default is in every row.
    if (node.additionalItems || given.slice(node.minItems).some((item) => !('default' in item)))
      throw unsupportedSchemaError(reading.cache, path, ...variableLength)
    const items = given.map((item, i) => planOf(item, join(path, String(i)), reading))
    return present({ kind: 'tuple', items })
  }
  // Without `items` an element can be anything.
  const items = (node.items ?? {}) as JsonNode
  return present({ kind: 'array', items: planOf(items, join(path, arraySegment), reading) })
}

function planOfObject(node: JsonNode, path: string, reading: Reading): WirePlan {
  // A field with this name becomes the prototype of the JSON Schema's properties instead of one of them.
  if (
    Object.getPrototypeOf(node.properties ?? {}) !== Object.prototype ||
    node.required?.includes('__proto__')
  ) {
    throw unsupportedSchemaError(
      reading.cache,
      join(path, '__proto__'),
      'a field of this name',
      'Rename the field.',
    )
  }
  const properties = Object.entries(node.properties ?? {})
  const open = [node.additionalProperties, ...Object.values(node.patternProperties ?? {})].filter(isNode)
  if (open.length > 0) {
    if (properties.length > 0) {
      throw unsupportedSchemaError(
        reading.cache,
        path,
        'an object with both named and open keys',
        'Put the open keys into a field of their own.',
      )
    }
    const [values, ...others] = open.map((of) => planOf(of, join(path, recordSegment), reading))
    if (others.some((other) => !isDeepStrictEqual(other, values))) {
      throw unsupportedSchemaError(
        reading.cache,
        path,
        'an object whose open keys are of several types',
        'Give each type an object of its own, or all open keys one type.',
      )
    }
    return present({ kind: 'record', values: values! })
  }
  if (properties.length === 0) return present({ kind: 'json' })
  const fields = properties.map(([name, property]): PlanField => {
    const optional = !(node.required ?? []).includes(name)
    const plan = planOf(property, join(path, name), reading)
    return { name, optional, plan: optional ? { ...plan, undefinable: true } : plan }
  })
  // So that the keys of rows do not depend on how a version of ArkType sorts them.
  return present({ kind: 'object', fields: inWireOrder(fields) })
}

const isNode = (node: JsonNode | boolean | undefined): node is JsonNode => typeof node === 'object'

const join = (path: string, segment: string): string => (path ? `${path}.${segment}` : segment)
