import type { WriteCoordinator } from '../write-coordinator.js'
import { isTransactionFor, noteExtended, readsReplica, replicasBeside } from './extended-clients.js'

/** A PrismaClient, and the client of a transaction on it. */
function opened() {
  const original = {}
  Object.assign(original, { _originalClient: original })
  return { original, transaction: Object.create(original) as object }
}

const primary = opened()
const second = opened()
const replica = opened()
const stranger = opened()
const plain = opened()
const [writes, others] = [{}, {}] as WriteCoordinator[]
noteExtended(primary.transaction, writes!, false)
noteExtended(second.transaction, writes!, false)
noteExtended(replica.transaction, writes!, true)
noteExtended(stranger.transaction, others!, false)

it('knows the clients of a coordinator that read replicas', () => {
  expect([primary, replica, stranger, plain].map(({ transaction }) => readsReplica(transaction))).toEqual([
    false,
    true,
    false,
    false,
  ])
  expect([...replicasBeside(second.transaction)]).toEqual([replica.original])
  expect([...replicasBeside(stranger.original)]).toEqual([])
})

it('takes transactions of one PrismaClient for its own', () => {
  const isOwn = isTransactionFor(primary.original)
  const clients = [primary, second, replica, stranger, plain]
  expect(clients.map(({ transaction }) => isOwn(transaction))).toEqual([true, false, false, false, false])
})

it('takes transactions of all clients of the coordinator for those of a replica', () => {
  const isOwn = isTransactionFor(replica.original)
  const clients = [primary, second, replica, stranger, plain]
  expect(clients.map(({ transaction }) => isOwn(transaction))).toEqual([true, true, true, false, false])
})
