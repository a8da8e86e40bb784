import { queryShapeOf, type ShapedArgs } from './query-shape.js'
import { queryText } from './query-text.js'
import type { BypassReason } from './read-outcome.js'
import { type Mutable, ShapeCounts } from './shape-counts.js'

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

/** Reasons that have nothing to do with the arguments of a query. */
export const unshapedReasons: ReadonlySet<BypassedQuery['reason']> = new Set([
  'transaction',
  'uncached',
  'unsupported_client',
  'error',
])

type Counted = Mutable<BypassedQuery>

/** Counts the queries of a client that went to the database, by their shapes. Has no values of queries, and a bounded size. */
export class BypassedQueries extends ShapeCounts<Counted> {
  /** Returns what counts the query, and may count others of the same shape. */
  add({ action, args, model, reason }: Bypassed): Counted {
    const counted = this.countedOf(
      `${model} ${action} ${reason}`,
      { model, action, reason, count: 0 },
      unshapedReasons.has(reason) ? undefined : args,
    )
    counted.count++
    return counted
  }

  /** The query as people write it, without values. */
  textOf({ action, args, model }: Pick<Bypassed, 'model' | 'action'> & { readonly args: object }): string {
    const shape = queryShapeOf(this.models, model, args)
    return `${model}.${shape ? queryText(action, shape) : `${action}(…)`}`
  }

  /** The most frequent ones first. */
  all(): readonly BypassedQuery[] {
    return this.allCounted().map((query) => ({ ...query }))
  }
}
