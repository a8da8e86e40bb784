import { AsyncLocalStorage } from 'node:async_hooks'
import { adapterFactoryOf, providerOf, type RawQuery, type RawTransaction } from './internals.js'

/** A read that shall lock the rows that it finds. */
interface LockingRead {
  /** Whether the adapter has sent it as one. */
  isSent: boolean
}

const running = new AsyncLocalStorage<LockingRead>()
const prepared = new WeakSet<object>()

/** Whether the rows that a SELECT finds can be locked by it alone, which then sees what was committed last. */
export function hasLockingReads(client: object): boolean {
  return providerOf(client) === 'mysql'
}

/**
 * Prepares a client of MySQL for {@link lockingRead}, before it connects. Prisma has no `FOR UPDATE`, so the transactions of its driver
 * adapter add it to these reads.
 */
export function prepareLockingReads(client: object): void {
  const factory = adapterFactoryOf(client)
  if (!factory || !hasLockingReads(client) || prepared.has(factory)) return
  prepared.add(factory)
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    const startTransaction = adapter.startTransaction.bind(adapter)
    adapter.startTransaction = async (level) => addLocks(await startTransaction(level))
    return adapter
  }
}

/** Returns what a SELECT of a transaction finds, and locks it; undefined if the client connected before it was prepared. */
export async function lockingRead<T>(send: () => Promise<T>): Promise<T | undefined> {
  const read: LockingRead = { isSent: false }
  const found = await running.run(read, send)
  return read.isSent ? found : undefined
}

function addLocks(transaction: RawTransaction): RawTransaction {
  const queryRaw = transaction.queryRaw.bind(transaction)
  transaction.queryRaw = (query: RawQuery) => {
    const read = running.getStore()
    if (!read || !query.sql.startsWith('SELECT')) return queryRaw(query)
    read.isSent = true
    return queryRaw({ ...query, sql: `${query.sql} FOR UPDATE` })
  }
  return transaction
}
