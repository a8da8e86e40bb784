/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import { unconnectedPostgres } from '../../../../../../test/support/sqlite-demo.js'
import { ModelCacheWrites } from '../../../protocol/index.js'
import { type ExtensionList, extensionsOf } from '../client-extensions.js'
import { extendPrisma } from '../extend-prisma.js'
import { type CallbackTransaction, originalOf, type QueryParams, type RuntimeField } from '../internals.js'
import { readsOf } from './answer-reads.js'
import { verifyReads } from './verify-reads.js'

type Request = (params: QueryParams) => Promise<unknown>

/** What the tests change of Prisma. */
interface Internals {
  _request: Request
  _executeRequest: Request
  _globalOmit: unknown
  _runtimeDataModel: {
    readonly models: Readonly<Record<string, { readonly fields: readonly RuntimeField[] }>>
  }
  $uncached: object
}

function opened(plain = unconnectedPostgres()) {
  const client = extendPrisma(plain, new ModelCacheWrites(), { reads: 'all' })
  return { client, original: originalOf(client) as Internals }
}

/** Which assumption does not hold, as the sentence names it. */
async function brokenIn(client: object): Promise<string | undefined> {
  const problems = await verifyReads(client)
  expect(readsOf(client)!.runner.planner.isDisabled).toBe(problems.length > 0)
  if (problems.length === 0) return undefined
  const [, broken] = /^Prisma passes .+, as without `reads` \((.+)\); use a Prisma version/.exec(
    problems.join(),
  )!
  return broken
}

const anotherForm = 'a query reaches the database in another form'
const ofFields = (fields: readonly Partial<RuntimeField>[]) => fields as readonly RuntimeField[]

it('finds no broken assumption', async () => {
  expect(await brokenIn(opened().client)).toBeUndefined()
})

it.each<[string, Readonly<Record<string, readonly RuntimeField[]>>]>([
  ['without models', {}],
  ['without relations', { GuestUser: ofFields([{ name: 'id', kind: 'scalar' }]) }],
  ['whose first model has no columns but enums', { GuestUser: ofFields([{ name: 'role', kind: 'enum' }]) }],
])('finds no broken assumption in a schema %s', async (_, fields) => {
  const { client, original } = opened()
  const models = Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, { fields: of }]))
  original._runtimeDataModel = { ...original._runtimeDataModel, models }
  expect(await brokenIn(client)).toBeUndefined()
})

it.each<[string, Partial<QueryParams>]>([
  [anotherForm, { model: 'User' }],
  [anotherForm, { action: 'findFirst' }],
  [anotherForm, { args: { where: { model: 'cache' } } }],
  [anotherForm, { args: undefined as never }],
  [anotherForm, { transaction: { kind: 'batch', id: 1 } }],
  [anotherForm, { dataPath: ['select', 'bids'] }],
  ['a fluent call cannot be recognised', { dataPath: [] }],
])('finds that %s: as %j', async (problem, change) => {
  const { client, original } = opened()
  const { _request: request } = original
  original._request = function (this: Internals, params) {
    return request.call(this, { ...params, ...change })
  }
  expect(await brokenIn(client)).toBe(problem)
})

it.each<[string, (execute: () => Promise<unknown>, request: () => Promise<unknown>) => unknown]>([
  [anotherForm, async (_, request) => ({ ...((await request()) as object) })],
  [`${anotherForm}: down`, () => Promise.reject(new Error('down'))],
  [`${anotherForm}: down`, () => Promise.reject('down' as never)],
  ['query hooks run after the query', (execute) => execute()],
])('finds that %s, whatever Prisma does with a query: %#', async (problem, send) => {
  const { client, original } = opened()
  const { _request: request } = original
  original._request = async function (this: Internals, params) {
    return send(
      () => this._executeRequest(params),
      () => request.call(this, params),
    )
  }
  expect(await brokenIn(client)).toBe(problem)
})

it('finds that a query in a transaction cannot be recognised', async () => {
  const plain = unconnectedPostgres()
  const _transactionWithCallback = function (this: object, { callback }: CallbackTransaction) {
    return callback(this)
  }
  Object.assign(plain, { _transactionWithCallback })
  expect(await brokenIn(opened(plain).client)).toBe('a query in a transaction cannot be recognised')
})

describe('extensions', () => {
  const unreadable = 'the extensions of a client cannot be read'
  const { client } = opened()
  const marks = extensionsOf(client.$uncached).getAllClientExtensions()
  const lists = Object.getPrototypeOf(extensionsOf(client)) as Record<string, unknown>
  const { getAllQueryCallbacks } = lists as Pick<ExtensionList, 'getAllQueryCallbacks'>
  /** Prisma reads the hooks of `guestUser`. */
  const withOthers: typeof getAllQueryCallbacks = function (this: ExtensionList, model, operation) {
    return model === 'GuestUser' ? [{}] : getAllQueryCallbacks.call(this, model, operation)
  }

  it.each<[string, Partial<ExtensionList>]>([
    [unreadable, { getAllComputedFields: () => undefined }],
    [unreadable, { getAllComputedFields: () => ({ modelCache: { name: 'modelCache', needs: ['name'] } }) }],
    [unreadable, { getAllQueryCallbacks: withOthers }],
    [unreadable, { getAllBatchQueryCallbacks: () => [{}] }],
    ['`$uncached` cannot be recognised', { getAllClientExtensions: () => marks }],
  ])('show that %s: %#', async (problem, change) => {
    const before = Object.fromEntries(Object.keys(change).map((name) => [name, lists[name]]))
    const changed = opened()
    Object.assign(lists, change)
    try {
      expect(await brokenIn(changed.client)).toBe(problem)
    } finally {
      Object.assign(lists, before)
    }
  })
})

it('finds that fields cannot be read which the client omits', async () => {
  const { client, original } = opened()
  original._globalOmit = { guestUser: true }
  expect(await brokenIn(client)).toBe('fields that the client omits cannot be read')
})

it('finds that `$uncached` is not marked', async () => {
  const { client } = opened()
  Object.defineProperty(client, '$uncached', { value: client })
  expect(await brokenIn(client)).toBe('`$uncached` cannot be recognised')
})

it('finds that `$uncached` leaves a transaction', async () => {
  const { client, original } = opened()
  Reflect.deleteProperty(original, '_createItxClient')
  expect(await brokenIn(client)).toBe('`$uncached` leaves a transaction')
})
