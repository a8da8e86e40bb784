import { adapterNameOf, originalOf, providerOf } from './internals.js'

/**
 * Adapters of SQLite whose queries wait until an open transaction has ended. Those of others, as better-sqlite3, have one connection
 * and run whatever is sent inside the transaction that is open on it.
 */
const isolating = new Set(['@prisma/adapter-libsql'])

const connections = new WeakMap<object, SharedConnection>()

/** The connection that all queries of a client share, whatever transaction they belong to; undefined if transactions have their own. */
export function sharedConnectionOf(client: object): SharedConnection | undefined {
  if (providerOf(client) !== 'sqlite' || isolating.has(adapterNameOf(client) ?? '')) return undefined
  const original = originalOf(client)!
  const connection = connections.get(original) ?? new SharedConnection()
  connections.set(original, connection)
  return connection
}

/** Begins to watch a load of a client whose queries share a connection; see {@link Source.watchLoad}. */
export function watchLoadOf(client: object): (() => () => boolean) | undefined {
  const connection = sharedConnectionOf(client)
  return connection && (() => connection.watch())
}

/** Knows when a transaction is open on the one connection of a client. */
export class SharedConnection {
  #open = 0
  #begun = 0

  /** Notes that a transaction is begun. Returns what notes its end. */
  begin(): () => void {
    this.#open++
    this.#begun++
    return () => void this.#open--
  }

  /** Begins to watch. Returns a check whether no transaction was open since. */
  watch(): () => boolean {
    const begun = this.#begun
    const isQuiet = this.#open === 0
    return () => isQuiet && this.#begun === begun
  }
}
