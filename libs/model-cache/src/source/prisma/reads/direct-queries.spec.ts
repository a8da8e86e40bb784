/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import type { Args, QueryParams } from '../internals.js'
import { answerDirectly } from './direct-queries.js'
import type { ReadRunner } from './read-runner.js'

type Query = Promise<unknown> & {
  readonly [Symbol.toStringTag]: string
  readonly spec: unknown
  requestTransaction(transaction: object): unknown
  bids(args?: object): Query
  bidder(args?: object): Query
}
type Find = (args?: object) => Query

interface Options {
  readonly errorFormat?: string
  /** Models with fields that result extensions add. */
  readonly computed?: readonly string[]
  /** Methods of model extensions. */
  readonly own?: readonly string[]
  readonly hooked?: readonly string[]
  readonly answered?: readonly string[]
}

/** A client whose own methods return what they were asked for, and the queries of its caches. */
function opened({
  answered = ['Lot', 'Bid'],
  computed = [],
  errorFormat = 'minimal',
  ...options
}: Options = {}) {
  const { hooked = [], own = [] } = options
  const asked: { client: object; params: QueryParams; send: () => unknown }[] = []
  const prismas = (path: string): object => ({
    spec: path,
    requestTransaction: (transaction: object) => [path, transaction],
    bids: (args?: object) => prismas(`${path}.bids(${JSON.stringify(args)})`),
    bidder: (args?: object) => prismas(`${path}.bidder(${JSON.stringify(args)})`),
  })
  const methodsOf = (name: string): Record<string, Find> =>
    Object.fromEntries(
      ['findUnique', 'findFirst', 'findMany', 'count'].map((action) => [
        action,
        (args?: object) => {
          client._createPrismaPromise()
          return prismas(`${name}.${action}(${JSON.stringify(args)})`) as Query
        },
      ]),
    )
  const fields = (relation: string, type: string) => ({
    fields: [
      { name: 'id', kind: 'scalar', type: 'Int' },
      { name: relation, kind: 'object', type },
    ],
  })
  const client = {
    _createPrismaPromise: () => {},
    get _originalClient(): object {
      return client
    },
    get _appliedParent(): object {
      return client
    },
    $extends: () => ({ _extensions: {}, lot: methodsOf('lot'), bid: methodsOf('bid') }),
    _errorFormat: errorFormat,
    _runtimeDataModel: {
      models: { Lot: fields('bids', 'Bid'), Bid: fields('bidder', 'User'), User: fields('bids', 'Bid') },
    },
    _extensions: {
      getAllComputedFields: (model: string) => (computed.includes(model) ? {} : undefined),
      getAllQueryCallbacks: (delegate: string, action: string) =>
        hooked.includes(`${delegate}.${action}`) ? [{}] : [],
    },
    lot: methodsOf('lot'),
    bid: methodsOf('bid'),
  }
  Object.assign(client.lot, Object.fromEntries(own.map((name) => [name, () => 'own'])))
  const { ...lot } = client.lot
  const result: { current: Promise<unknown> } = { current: Promise.resolve('answer') }
  const runner = {
    mayAnswer: (model: string) => answered.includes(model),
    ask(asking: object, params: QueryParams, query: unknown, send: (query: unknown) => unknown) {
      asked.push({ client: asking, params, send: () => send(query) })
      return result.current
    },
  } as unknown as ReadRunner
  answerDirectly(client, runner)
  const isDirect = (action: string): boolean => client.lot[action] !== lot[action]
  return { asked, client, isDirect, lot: client.lot as Record<'findUnique' | 'findMany', Find>, result }
}

const byId = { where: { id: 1 } }

describe('a query of a find method', () => {
  it('asks the caches once, when it is awaited', async () => {
    const { asked, client, lot } = opened()
    const query = lot.findUnique(byId)
    expect(asked).toEqual([])
    expect(await query).toBe('answer')
    expect(await query.then((value) => [value])).toEqual(['answer'])
    expect(asked.map((each) => each.params)).toEqual([
      {
        model: 'Lot',
        action: 'findUnique',
        jsModelName: 'lot',
        clientMethod: 'lot.findUnique',
        callsite: { getLocation: expect.any(Function) as unknown },
        args: byId,
        dataPath: [],
      },
    ])
    expect(asked[0]!.client).toBe(client)
    expect(asked[0]!.send()).toMatchObject({ spec: 'lot.findUnique({"where":{"id":1}})' })
  })
})

describe('a relation that is followed from a query', () => {
  it.each<[string, object | undefined, unknown]>([
    ['no arguments', undefined, true],
    ['arguments', { take: 1 }, { take: 1 }],
  ])('is selected with %s', async (_, args, selected) => {
    const { asked, lot } = opened()
    expect(await lot.findUnique({ ...byId, select: { id: true } }).bids(args)).toBe('answer')
    expect(asked[0]!.params).toMatchObject({
      model: 'Lot',
      action: 'findUnique',
      clientMethod: 'lot.findUnique',
      args: { ...byId, select: { id: true, bids: selected } },
      dataPath: ['select', 'bids'],
    })
    expect(asked[0]!.params.dataPath).toHaveLength(2)
    const outer = 'lot.findUnique({"where":{"id":1},"select":{"id":true}})'
    expect(asked[0]!.send()).toMatchObject({ spec: `${outer}.bids(${JSON.stringify(args)})` })
  })

  it('is that of the arguments as they were', () => {
    const { lot } = opened()
    const args: Args = { ...byId }
    const query = lot.findUnique(args).bids()
    Object.assign(args, { where: { id: 2 } })
    expect(query.spec).toBe('lot.findUnique({"where":{"id":1}}).bids(undefined)')
  })
})

describe('the methods of a client', () => {
  it.each<[string, Options, boolean, boolean]>([
    ['errors that name places', { errorFormat: 'pretty' }, false, false],
    ['computed fields of its model', { computed: ['Lot'] }, false, false],
    ['computed fields of another model', { computed: ['User'] }, false, false],
    ['a model that no cache answers', { answered: ['Bid'] }, false, false],
    ['a query hook', { hooked: ['lot.findUnique'] }, false, true],
    ['a method of an extension', { own: ['findUnique'] }, false, true],
    ['another method of an extension', { own: ['findOften'] }, true, true],
    ['a model without methods', { answered: ['Lot', 'User'] }, true, true],
  ])('are those of Prisma or not, with %s', (_, options, isUnique, isMany) => {
    const { isDirect } = opened(options)
    expect([isDirect('findUnique'), isDirect('findMany')]).toEqual([isUnique, isMany])
  })
})
