import { reviverMismatchError } from '../configuration-errors.js'
import { undecodable, type Undecodable } from './codec.js'
import { parseJsonText } from './json-text.js'
import { ownFieldOf } from './plain-object.js'
import type { Revive } from './plan-reviver.js'
import type { AnyReviverSchema, ReviverSchema } from './reviver-schema.js'
import { listedScalars, scalarNamed } from './scalars.js'
import { arraySegment, type DecimalConstructor, recordSegment } from './wire-plan.js'

/** Parses the output of a {@link Stringifier}. */
export interface Reviver<T> {
  /** Returns a new value; {@link undecodable} if the text is not JSON or a declared path does not hold its scalar. */
  revive(text: string): T | null | undefined | Undecodable
}

/**
 * Creates a reviver from declared paths. It parses natively and then visits only these paths.
 *
 * @param options.Decimal the class of decimal paths, required if there are any
 * @throws ConfigurationError if a path declares an unknown scalar, or a decimal without a class
 */
export function createReviver<T>(
  schema: ReviverSchema<T>,
  options: { Decimal?: DecimalConstructor } = {},
): Reviver<T> {
  const revive = createPathReviver(schema as unknown as AnyReviverSchema, options.Decimal)
  return {
    revive(text) {
      try {
        return revive(parseJsonText(text)) as T | null | undefined
      } catch {
        return undecodable
      }
    },
  }
}

/** A declared path, below the value that is visited. */
interface DeclaredPath {
  readonly segments: readonly string[]
  readonly revive: Revive
}

/** Revives what a parsed value has at the paths of a schema. */
export function createPathReviver(schema: AnyReviverSchema, Decimal?: DecimalConstructor): Revive {
  return visitorOf(
    Object.entries(schema).map(([path, name]) => ({
      segments: splitPath(path),
      revive: scalarReviver(name, path, Decimal),
    })),
  )
}

function scalarReviver(name: string, path: string, Decimal: DecimalConstructor | undefined): Revive {
  const scalar = scalarNamed(name, Decimal)
  if (scalar)
    return (value) => (value === null || value === undefined ? value : scalar.fromText(value as string))
  throw reviverMismatchError(
    'reviver',
    path,
    name === 'decimal'
      ? 'is a decimal, but there is no Decimal class; pass it as the option `Decimal`.'
      : `declares the unknown scalar "${name}"; expected one of ${listedScalars}.`,
  )
}

/** Splits at unescaped dots; the path of the root, `''`, has no segments. */
const splitPath = (path: string): string[] => path.match(/(?:\\.|[^.\\])+/gs) ?? []

const emptyName = '\\0'

const unescapeName = (segment: string): string =>
  segment === emptyName ? '' : segment.replaceAll(/\\(.)/gs, '$1')

/** The cost of a visit depends on the declared paths, not on the other keys of the value. */
function visitorOf(paths: readonly DeclaredPath[]): Revive {
  const scalar = paths.find(({ segments }) => segments.length === 0)
  if (scalar) return scalar.revive
  const visits = new Map(
    Array.from(
      Map.groupBy(paths, ({ segments }) => segments[0]!),
      ([segment, below]) => [
        segment,
        visitorOf(below.map(({ revive, segments }) => ({ revive, segments: segments.slice(1) }))),
      ],
    ),
  )
  const visitElement = visits.get(arraySegment)
  const visitValue = visits.get(recordSegment)
  visits.delete(arraySegment)
  visits.delete(recordSegment)
  const fields = Array.from(visits, ([segment, visit]) => ({ name: unescapeName(segment), visit }))
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const parent = value as Record<string, unknown>
    for (const { name, visit } of fields) {
      const field = ownFieldOf(parent, name)
      if (field !== undefined) parent[name] = visit(field)
    }
    if (visitElement && Array.isArray(value))
      for (let i = 0; i < value.length; i++) value[i] = visitElement(value[i])
    if (visitValue) for (const key of Object.keys(value)) parent[key] = visitValue(parent[key])
    return value
  }
}
