import type { Models } from '../../schema-facts.js'
import { queryShapeOf, type ShapedArgs } from './query-shape.js'
import { queryText } from './query-text.js'
import type { BypassReason } from './read-outcome.js'

/** Queries of one shape that went to the database. */
export interface BypassedQuery {
  readonly model: string
  readonly action: string
  /** `'no_cache'`: the model has no cache. */
  readonly reason: BypassReason | 'no_cache'
  /** Undefined where the reason has nothing to do with the arguments, and for shapes that are too long, or too rare. */
  readonly args?: ShapedArgs
  readonly count: number
}

export interface Bypassed extends Pick<BypassedQuery, 'model' | 'action' | 'reason'> {
  /** Undefined if only Prisma can read them. */
  readonly args?: object | undefined
}

/** Shapes that are counted apart. */
const maxShapes = 1_000
/** Characters of a shape. */
const maxLength = 1_000
/** Characters of all shapes, which processes send to each other. */
const maxTotalLength = 400_000

/** Reasons that have to do with the arguments of a query. */
const shapedReasons: ReadonlySet<BypassedQuery['reason']> = new Set([
  ...([
    'no_cache',
    'not_registered',
    'condition',
    'id_value',
    'too_many_ids',
    'relations',
    'fields',
  ] as const),
  ...(['order', 'paging', 'costs', 'argument', 'not_found', 'apart'] as const),
])

type Counted = { -readonly [Field in keyof BypassedQuery]: BypassedQuery[Field] }

/** Counts the queries of a client that went to the database, by their shapes. Has no values of queries, and a bounded size. */
export class BypassedQueries {
  readonly #models: Models
  readonly #shapes = new Map<string, Counted>()
  #totalLength = 0
  /** Queries that are not distinguished by their arguments. */
  readonly #others = new Map<string, Counted>()

  constructor(models: Models) {
    this.#models = models
  }

  /** Returns what counts the query, and may count others of the same shape. */
  add({ action, args, model, reason }: Bypassed): Counted {
    const shape = args && shapedReasons.has(reason) ? queryShapeOf(this.#models, model, args) : undefined
    const query = { model, action, reason }
    const text = shape && JSON.stringify(shape)
    if (text === undefined || text.length > maxLength)
      return count(this.#others, `${model} ${action} ${reason}`, query, 1)
    const key = `${model} ${action} ${reason} ${text}`
    if (!this.#shapes.has(key)) this.#totalLength += key.length
    const counted = count(this.#shapes, key, { ...query, args: shape! }, 1)
    if (this.#shapes.size > maxShapes || this.#totalLength > maxTotalLength) this.#dropRarest()
    return counted
  }

  /** The query as people write it, without values. */
  textOf({ action, args, model }: Pick<Bypassed, 'model' | 'action'> & { readonly args: object }): string {
    const shape = queryShapeOf(this.#models, model, args)
    return `${model}.${shape ? queryText(action, shape) : `${action}(…)`}`
  }

  /** The most frequent ones first. */
  all(): readonly BypassedQuery[] {
    return [...this.#shapes.values(), ...this.#others.values()]
      .map((query) => ({ ...query }))
      .toSorted((one, other) => other.count - one.count)
  }

  /** Keeps frequent queries, however many shapes there are. */
  #dropRarest(): void {
    const byCount = [...this.#shapes].toSorted(([, one], [, other]) => one.count - other.count)
    for (const [key, { action, count: dropped, model, reason }] of byCount.slice(0, byCount.length / 4)) {
      this.#shapes.delete(key)
      this.#totalLength -= key.length
      count(this.#others, `${model} ${action} ${reason}`, { model, action, reason }, dropped)
    }
  }
}

function count(
  counts: Map<string, Counted>,
  key: string,
  query: Omit<Counted, 'count'>,
  by: number,
): Counted {
  let known = counts.get(key)
  if (known) known.count += by
  else counts.set(key, (known = { ...query, count: by }))
  return known
}
