import { isPlain } from '../../plain.js'
import type { CachedOptions } from '../client-extensions.js'
import type { Args } from '../internals.js'
import type { Bypassed } from './bypassed-queries.js'
import type { GivenRead } from './read-arguments.js'
import { RecentlyUsed } from './recently-used.js'

/** How often in a row queries of one shape are planned in vain before others are passed on unplanned. */
const trustedAfter = 3
/** How many of them are passed on before one is planned again: with other values it may be answered. */
const passesPerPlan = 63
/** Shapes that are kept, however long ago queries of them were sent. */
const maxKept = 500

/** What became of queries of one shape that no cache answers. */
export class ShapeRefusal {
  readonly reason: Bypassed['reason']
  /** How the last one that was planned is counted. */
  counted: { count: number } | undefined
  #times = 0
  #passed = 0

  constructor(reason: Bypassed['reason']) {
    this.reason = reason
  }

  repeat(): void {
    this.#times++
    this.counted = undefined
  }

  /** Notes that a query of the shape is answered. */
  forget(): void {
    this.#times = 0
  }

  /** Whether the next query is passed on unplanned. */
  passes(): boolean {
    if (this.#times < trustedAfter || !this.counted) return false
    if (this.#passed++ < passesPerPlan) return true
    this.#passed = 0
    return false
  }
}

/** The refusals whose reason does not depend on the values of a query. */
const ofShapes = new Set<Bypassed['reason']>([
  'operation',
  'no_cache',
  'not_registered',
  'condition',
  'relations',
  'fields',
  'order',
  'paging',
])

/**
 * Queries that are passed on unplanned, as those of the same shape before them were planned in vain: a query that the database answers costs
 * hardly more than without caches.
 */
export class Refusals {
  /** The refusals by the method of the client, and by shape. */
  readonly #kept = new RecentlyUsed<ShapeRefusal>(maxKept)

  /**
   * Plans a query, unless those of its shape are passed on.
   *
   * @param plan gets what is known of queries of the same shape that {@link leave} was called for
   */
  plan<Planned extends object>(
    { args, params: { clientMethod } }: GivenRead,
    plan: (left: ShapeRefusal | undefined) => Planned | Unplanned,
  ): Planned | Unplanned {
    // Methods all of whose queries are answered need no shapes.
    const shape = this.#kept.has(clientMethod) ? literalShapeOf(args) : undefined
    const known = shape === undefined ? undefined : this.#kept.get(clientMethod, shape)
    if (known?.passes()) return { reason: known.reason, args, refusal: known }
    const left = known?.reason === 'costs' ? known : undefined
    const planned = plan(left)
    if (!('reason' in planned)) {
      // What a query costs is known once it has been answered.
      if (known && !left) this.#kept.delete(clientMethod, shape!)
      return planned
    }
    const { reason } = planned
    const ofRefused = ofShapes.has(reason) ? (shape ?? literalShapeOf(args)) : undefined
    return ofRefused === undefined
      ? planned
      : { ...planned, refusal: this.#refuse(clientMethod, ofRefused, reason) }
  }

  /** Notes that the database answers a planned query for less. Returns undefined if its arguments have no shape. */
  leave({ args, params }: GivenRead): ShapeRefusal | undefined {
    const shape = literalShapeOf(args)
    return shape === undefined ? undefined : this.#refuse(params.clientMethod, shape, 'costs')
  }

  #refuse(method: string | undefined, shape: string, reason: ShapeRefusal['reason']): ShapeRefusal {
    let refusal = this.#kept.get(method, shape)
    if (refusal?.reason !== reason) this.#kept.set(method, shape, (refusal = new ShapeRefusal(reason)))
    refusal.repeat()
    return refusal
  }
}

/** Why a query is not answered, and its arguments if that has to do with them. */
export interface Unplanned extends Pick<Bypassed, 'reason' | 'args'> {
  /** What is known of queries of the same shape. */
  readonly refusal?: ShapeRefusal | undefined
  /** How the result of the query is kept, of a client that `cached` has made. */
  readonly cached?: CachedOptions | undefined
}

/** Lists of more elements have no shape. */
const maxElements = 100
/** Characters of a shape, of which thousands are kept. Longer ones have values of JSON in them. */
const maxLength = 10_000

/**
 * The arguments of a query without the values of its conditions; undefined if they hold anything else than literals and dates, or are
 * long.
 */
export function literalShapeOf(args: Args): string | undefined {
  const text = shape(args, true)
  return text !== undefined && text.length > maxLength ? undefined : text
}

/** @param isExact whether texts and numbers count, and not only their types */
function shape(value: unknown, isExact: boolean): string | undefined {
  switch (typeof value) {
    case 'string':
      return isExact ? JSON.stringify(value) : 'text'
    case 'number':
      return isExact ? String(value) : 'number'
    case 'boolean':
      return String(value)
    case 'bigint':
    case 'undefined':
      return typeof value
    case 'object':
      break
    default:
      return undefined
  }
  if (value === null) return 'null'
  if (Array.isArray(value)) {
    return value.length > maxElements ? undefined : shapeOfList(value, isExact)
  }
  if (!isPlain(value)) return value instanceof Date ? 'date' : undefined
  let text = '{'
  for (const name in value) {
    const inner = shape(value[name], isExact && name !== 'where' && name !== 'cursor')
    if (inner === undefined) return undefined
    // Where a name ends shows its length: that of a JSON value may hold anything.
    text += `${name.length}.${name}:${inner},`
  }
  return text + '}'
}

/** In conditions, how many elements look the same counts for as much as whether there are several. */
function shapeOfList(values: readonly unknown[], isExact: boolean): string | undefined {
  const seen = new Set<string>()
  let text = ''
  for (const value of values) {
    const inner = shape(value, isExact)
    if (inner === undefined) return undefined
    if (!isExact && seen.has(inner)) continue
    seen.add(inner)
    text += `${inner},`
  }
  return `[${text}${values.length > 1 ? '+' : ''}]`
}
