import { readReplicas } from '@prisma/extension-read-replicas'
import { unconnectedPostgres } from '../../../../../test/support/sqlite-demo.js'
import {
  addUncached,
  extensionsOf,
  hasQueryHooks,
  isOfTransaction,
  isUncached,
  isUncachedCall,
  readsReplicas,
  withCached,
} from './client-extensions.js'
import { originalOf } from './internals.js'

const client = unconnectedPostgres()
const pass = ({ args, query }: { args: unknown; query: (args: unknown) => unknown }): unknown => query(args)
const $allOperations = pass
const sendsToReplicas = readReplicas({ replicas: [unconnectedPostgres()] })
const methods = { $primary: () => null, $replica: () => null }

describe('query hooks of a client', () => {
  it.each<[string, object, boolean]>([
    ['none', client, false],
    [
      'one of another operation',
      client.$extends({ query: { auctionItem: { count: pass } } } as never),
      false,
    ],
    ['one of another model', client.$extends({ query: { bid: { $allOperations } } } as never), false],
    ['one of the operation', client.$extends({ query: { auctionItem: { findMany: pass } } } as never), true],
    ['one of all models', client.$extends({ query: { $allOperations } } as never), true],
    [
      'one beside methods',
      client.$extends({ client: { $hi: pass }, query: { $allOperations } } as never),
      true,
    ],
    ['that of replicas', client.$extends(sendsToReplicas), false],
    ['that of replicas first', client.$extends(sendsToReplicas).$extends({ client: { $hi: pass } }), false],
    [
      'that of replicas after another one',
      client.$extends({ query: { $allOperations } } as never).$extends(sendsToReplicas),
      true,
    ],
    ['methods for replicas without one', client.$extends({ client: methods }), false],
  ])('are found or not: %s', (_, extended, expected) => {
    expect(hasQueryHooks(extended, 'AuctionItem', 'findMany')).toBe(expected)
  })
})

it.each<[object, boolean]>([
  [{}, false],
  [methods, true],
  [{ $primary: methods.$primary }, false],
  [{ $replica: methods.$replica }, false],
  [client.$extends(sendsToReplicas), true],
])('knows a client that reads replicas by its methods: %#', (given, expected) => {
  expect(readsReplicas(given)).toBe(expected)
})

describe('the client of some options', () => {
  it('is kept with those of a thousand others, and for as long as it is used', () => {
    const own = client.$extends({})
    const clientOf = (tag: string | number) => withCached(own, { ttl: '1m', tags: [`${tag}`] })
    const [often, once] = [clientOf('often'), clientOf('once')]
    for (let i = 0; i < 998; i++) clientOf(i)
    expect(clientOf('once')).toBe(once)
    for (let i = 998; i < 2_000; i++) {
      expect(clientOf('often')).toBe(often)
      clientOf(i)
    }
    expect(clientOf('once')).not.toBe(once)
  })
})

describe('$uncached', () => {
  let cached: ReturnType<typeof unconnectedPostgres>
  beforeEach(() => {
    cached = unconnectedPostgres()
    addUncached(cached)
  })
  const seen = { query: { $allOperations: async () => isUncachedCall() } } as never
  const seeing = (client: typeof cached) => client.$extends(seen) as unknown as typeof cached
  const uncachedOf = (of: object) => (of as { $uncached: typeof cached }).$uncached

  it('is one client for each list of extensions', () => {
    const extended = seeing(cached)
    expect(uncachedOf(cached)).toBe(uncachedOf(cached))
    expect(uncachedOf(extended)).toBe(uncachedOf(extended))
    expect(uncachedOf(extended)).not.toBe(uncachedOf(cached))
  })

  it('is marked, as are those that are extended from it', () => {
    const clients = [cached, cached.$extends({}), uncachedOf(cached), uncachedOf(cached).$extends({})]
    expect(clients.map((one) => isUncached(extensionsOf(one)))).toEqual([false, false, true, true])
  })

  it('has the extensions of its client see where queries come from', async () => {
    const extended = seeing(cached)
    expect(await extended.auctionItem.findMany()).toBe(false)
    expect(await uncachedOf(extended).auctionItem.findMany()).toBe(true)
    expect(await seeing(uncachedOf(cached)).auctionItem.findMany()).toBe(true)
    expect(isUncachedCall()).toBe(false)
  })

  it('of a transaction is its client itself, also of the parents of that', () => {
    type Transaction = typeof cached & { $parent: Transaction; auctionItem: { $parent: Transaction } }
    const { _createItxClient: create } = originalOf(cached) as { _createItxClient(of: object): Transaction }
    const tx = create.call(cached.$extends({ name: 'child' }), { id: 'tx' })
    for (const each of [tx, tx.$parent, tx.auctionItem.$parent, tx.$parent.$parent])
      expect(uncachedOf(each) === each && isOfTransaction(each)).toBe(true)
    expect(isOfTransaction(cached)).toBe(false)
  })

  it('has a parent with the models', () => {
    expect(uncachedOf(cached)).toHaveProperty(['$parent', 'auctionItem', 'findMany'])
  })

  it('can be replaced again, as can what Prisma has', () => {
    const free = { configurable: true }
    const descriptorOf = Object.getOwnPropertyDescriptor
    const original = originalOf(cached)!
    for (const name of ['_request', '_createItxClient'])
      expect(descriptorOf(original, name)).toMatchObject({ ...free, writable: true })
    expect(descriptorOf(original, '$uncached')).toMatchObject(free)
    expect(descriptorOf(uncachedOf(cached), '_appliedParent')).toMatchObject(free)
  })
})
