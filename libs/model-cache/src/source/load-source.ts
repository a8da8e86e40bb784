import type { Source } from './source.js'
import { isSameDatabaseAs } from './writes/prisma-internals.js'

/** Loads rows by a function of the user's. `client` is what forRoot was given as `prisma`, if anything. */
export function createLoadSource<Row, Id>(
  load: (client: never, ids: readonly Id[]) => Promise<readonly Row[]> | readonly Row[],
  client: unknown,
): Source<Row, Id> {
  return {
    load: async (ids, within = client as object) => load(within as never, ids),
    isOwnTransaction: typeof client === 'object' && client !== null ? isSameDatabaseAs(client) : () => false,
    mayBlameOneId: () => true,
  }
}
