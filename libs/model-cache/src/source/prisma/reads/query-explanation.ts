import type { KeptResult } from '../../query-results.js'
import type { BypassReason } from './read-outcome.js'

/** What would answer a query. */
export interface QueryExplanation {
  /** Rows of caches, the result of the same query, which is loaded if there is none, or the database. */
  readonly answeredBy: 'rows' | 'result' | 'database'
  /** Why rows do not answer it: `'shadow'` in shadow mode, otherwise a reason of docs/transparent-reads.md. Undefined for `cached`. */
  readonly reason?: BypassReason | 'no_cache' | 'shadow'
  /** Undefined if rows answer it, and never a result instead. */
  readonly result?: ResultExplanation
}

export interface ResultExplanation extends Partial<KeptResult> {
  /** All models that the query reads; undefined if that is not known. */
  readonly models?: readonly string[]
  /** Why no result may answer it; undefined if one may. */
  readonly refusal?: ResultRefusal
}

/** Why no result may answer a query. */
export type ResultRefusal =
  /** The client keeps no results. */
  | 'not_kept'
  /** The caches have not started, or are those of another client. */
  | 'not_started'
  /** Only Prisma knows what the query reads. */
  | 'arguments'
  /** It returns a field that the schema marks `/// @cache(omit)`. */
  | 'kept_out'
  /** Results of one of its models are not kept. */
  | 'unlisted'
  /** Too few queries of its shape find a result. A sample of them still looks for one, and stores it. */
  | 'seldom_found'
  /** Why it goes to the database whatever is kept, such as `'transaction'`. */
  | BypassReason
  | 'no_cache'
