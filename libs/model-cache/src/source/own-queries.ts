import { AsyncLocalStorage } from 'node:async_hooks'

const own = new AsyncLocalStorage<true>()

/**
 * Sends queries of the library itself, which no cache answers. A load cannot be answered by its own cache, and a row of another cache
 * may be older than the row that is built from it.
 */
export function asOwnQuery<T>(send: () => Promise<T>): Promise<T> {
  return own.run(true, send)
}

/** Whether a query is one of the library itself. */
export function isOwnQuery(): boolean {
  return own.getStore() === true
}
