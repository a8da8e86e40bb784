import type { WriteCoordinator } from '../write-coordinator.js'
import { isSameDatabaseAs, originalOf } from './internals.js'

const coordinators = new WeakMap<object, WriteCoordinator>()

/** Clients that read replicas, as they were constructed. */
const replicas = new WeakMap<WriteCoordinator, Set<object>>()

/** Remembers a client whose writes are announced. */
export function noteExtended(client: object, writes: WriteCoordinator, isOfReplica: boolean): void {
  const original = originalOf(client)!
  coordinators.set(original, writes)
  if (isOfReplica) replicas.set(writes, (replicas.get(writes) ?? new Set()).add(original))
}

/** The coordinator that receives the writes of a client; undefined without `extendPrisma`. */
export function coordinatorOf(client: object): WriteCoordinator | undefined {
  return coordinators.get(originalOf(client) ?? client)
}

/** Whether a client was extended with the option `replica`. */
export function readsReplica(client: object): boolean {
  return replicasBeside(client).has(originalOf(client)!)
}

/** The clients of the same coordinator that read replicas. */
export function replicasBeside(client: object): ReadonlySet<object> {
  const coordinator = coordinatorOf(client)
  return (coordinator && replicas.get(coordinator)) ?? new Set()
}

/**
 * Returns a check whether a transaction, by its client, is one of the database whose rows a client reads. A replica has rows of the
 * database that the other clients of its coordinator write to.
 */
export function isTransactionFor(client: object): (transaction: object) => boolean {
  if (!readsReplica(client)) return isSameDatabaseAs(client)
  return (transaction) => coordinatorOf(transaction) === coordinatorOf(client)
}
