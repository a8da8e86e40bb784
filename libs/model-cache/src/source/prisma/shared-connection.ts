import { AsyncLocalStorage } from 'node:async_hooks'
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

/** Knows what runs on the one connection of a client that may have opened a transaction. */
export class SharedConnection {
  readonly #running = new Set<Promise<void>>()
  readonly #holders = new AsyncLocalStorage<Promise<void>>()
  #begun = 0

  /** Whether the caller runs within something that has not ended, such as the callback of a transaction. */
  get isHeldByCaller(): boolean {
    return this.#running.has(this.#holders.getStore()!)
  }

  /** Runs a transaction, or a write that Prisma may send as one. */
  async run<T>(work: () => PromiseLike<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#running.add(promise)
    this.#begun++
    try {
      return await this.#holders.run(promise, work)
    } finally {
      this.#running.delete(promise)
      resolve()
    }
  }

  /** Resolves when all has ended that runs now. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Begins to watch. Returns a check whether no transaction was open since. */
  watch(): () => boolean {
    const begun = this.#begun
    const isQuiet = this.#running.size === 0
    return () => isQuiet && this.#begun === begun
  }
}
