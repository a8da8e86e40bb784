import { asOwnQuery } from './own-queries.js'
import type { Source } from './source.js'

/**
 * Loads rows with a function of yours.
 *
 * @param client the first argument of `load`; inside a transaction of its database, the transaction's client takes its place
 * @param isOwnTransaction whether a transaction belongs to the database of `client`, by the transaction's client @default none does
 */
export function createLoadSource<Row, Id>(
  load: (client: never, ids: readonly Id[]) => Promise<readonly Row[]> | readonly Row[],
  client: unknown,
  isOwnTransaction: (client: object) => boolean = () => false,
): Source<Row, Id> {
  return {
    // Only the definition that `load` comes from knows the type of the client.
    load: (ids, within = client as object) => asOwnQuery(async () => load(within as never, ids)),
    isOwnTransaction,
    mayBlameOneId: () => true,
  }
}
