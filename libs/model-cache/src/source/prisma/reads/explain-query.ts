import { invalidOptionError } from '../../../configuration-errors.js'
import { delegateNameOf } from '../internals.js'
import { isRead } from '../operations.js'
import { readsOf } from './answer-reads.js'
import type { QueryExplanation } from './query-explanation.js'

/** A query, as {@link explainQuery} takes it. */
export interface ExplainedQuery {
  /** In the schema, or of the client: `'AuctionItem'`, `'auctionItem'`. */
  readonly model: string
  /** The method, such as `'findMany'`. */
  readonly action: string
  /** @default none */
  readonly args?: object
}

/**
 * Says what would answer a query now: rows of caches, the result of the same query, or the database, and why. Sends no query, and changes
 * nothing.
 *
 * @param client of `extendPrisma` or `provideExtendedPrisma`, with `reads`; or a view that `cached` has made
 * @throws ConfigurationError for a client without `reads`, a model that it does not have, and an operation that does not read;
 *   StoreError when the store does not answer
 * @example
 * const { answeredBy, result } = await explainQuery(prisma, { model: 'Item', action: 'groupBy', args: { by: ['category'] } })
 */
export async function explainQuery(client: object, query: ExplainedQuery): Promise<QueryExplanation> {
  const reads = readsOf(client)
  if (!reads) throw invalidOptionError('reads', undefined, 'set for a client whose queries are explained')
  const { action, args = {} } = query
  const model = [...reads.facts.models.keys()].find(
    (name) => name === query.model || delegateNameOf(name) === query.model,
  )
  if (model === undefined)
    throw invalidOptionError('explainQuery.model', query.model, 'a model of the client')
  if (!isRead(action))
    throw invalidOptionError('explainQuery.action', action, "an operation that reads, as 'findMany'")
  return reads.runner.explain(client, { model, action, args: args as never, dataPath: [] })
}
