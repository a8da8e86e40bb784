import { AsyncLocalStorage } from 'node:async_hooks'

/** A query that has passed all extensions of a client. */
export interface Arrival {
  readonly model: string
  readonly action: string
  readonly args: unknown
  readonly isInTransaction: boolean
  readonly result: Promise<unknown>
}

interface OwnQuery {
  readonly onArrival: ((arrival: Arrival) => void) | undefined
}

const own = new AsyncLocalStorage<OwnQuery>()

/**
 * Sends queries of the library itself, which no cache answers. A load cannot be answered by its own cache, and a row of another cache
 * may be older than the row that is built from it.
 *
 * @param onArrival receives what the extensions of an extended client have made of the queries. @default nobody looks
 */
export function asOwnQuery<T>(send: () => Promise<T>, onArrival?: OwnQuery['onArrival']): Promise<T> {
  return own.run({ onArrival }, send)
}

/** Whether a query is one of the library itself. */
export function isOwnQuery(): boolean {
  return own.getStore() !== undefined
}

/** Who looks at what reaches the database; undefined outside of loads whose client has query hooks. */
export function currentArrivals(): OwnQuery['onArrival'] {
  return own.getStore()?.onArrival
}
