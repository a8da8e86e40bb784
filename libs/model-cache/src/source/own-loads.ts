import { AsyncLocalStorage } from 'node:async_hooks'

const loads = new AsyncLocalStorage<true>()

/**
 * Runs the load of a cache. The queries that it sends are answered by the database: by its own cache they could not be, and a row of
 * another cache may be older than the row that is built from it.
 */
export function asOwnLoad<T>(load: () => Promise<T>): Promise<T> {
  return loads.run(true, load)
}

/** Whether the caller is the load of a cache. */
export function isOwnLoad(): boolean {
  return loads.getStore() === true
}
