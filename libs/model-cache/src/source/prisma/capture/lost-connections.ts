import type { Adapter } from './adapter.js'

/** What concerns the connections of a pool of `pg`. */
interface Pool {
  on(
    event: 'connect',
    listener: (connection: { on(event: 'error', listener: () => void): unknown }) => void,
  ): unknown
}

const guarded = new WeakSet<object>()

/**
 * Has a connection that is lost fail what is sent over it next, as others do, instead of ending the process. `pg` hears nothing of a
 * connection between its pool, which hands it out, and the adapter, which has to wait a microtask for it before it begins a
 * transaction: an error in between is one that nobody handles. A single write needs no transaction without the library.
 */
export function surviveLostConnections(adapter: Adapter): void {
  const pool = adapter.adapterName === '@prisma/adapter-pg' ? adapter.underlyingDriver?.() : undefined
  if (!pool || guarded.has(pool)) return
  guarded.add(pool)
  ;(pool as Pool).on('connect', (connection) => connection.on('error', ignore))
}

const ignore = (): void => {}
