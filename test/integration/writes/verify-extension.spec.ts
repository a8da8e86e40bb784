/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import { PrismaPg } from '@prisma/adapter-pg'
import { captured, extendPrisma } from 'model-cache'
import { verifyExtension } from 'model-cache/advanced'
import { Prisma, PrismaClient } from '#prisma/client/client.js'
import { RecordingCoordinator } from './recording-coordinator.js'

/** No server listens there. */
const adapter = new PrismaPg({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' })

describe('verifyExtension', () => {
  it('finds nothing lost with the installed Prisma, without a connection', async () => {
    const client = new PrismaClient({ adapter })
    expect(await verifyExtension(client)).toEqual([])
    const extended = extendPrisma(client, new RecordingCoordinator())
    expect(await verifyExtension(extended)).toEqual([])
    expect(await verifyExtension(extended.$extends({ client: { hello: () => 1 } }))).toEqual([])
  })

  it('names the models that cannot be read, and why', async () => {
    const client = new PrismaClient({ adapter })
    const text = schemaOf(client)
    replaceSchema(client, text.replace(/^ +rating .*/m, '').replace(/^ +bundle +SponsorBundle .*/m, ''))
    expect(await verifyExtension(client)).toEqual([
      'It is unknown which rows a write to User affects, so each invalidates all rows of all models (field User.rating is not in the schema)',
      'It is unknown which rows a write to SponsorBundle, Sponsor, Fundraiser affects, so each invalidates all rows of all models (field Sponsor.bundle is not in the schema)',
    ])
  })

  it('reports a missing schema', async () => {
    const client = new PrismaClient({ adapter })
    replaceSchema(client, '')
    const losses = await verifyExtension(client)
    expect(losses).toHaveLength(Object.keys(Prisma.ModelName).length)
    expect(losses).toContainEqual(
      expect.stringMatching(
        /^It is unknown which rows a write to User affects, .* \(model User is not in the schema\)$/,
      ),
    )
  })

  it('reports queries and transactions that it cannot capture', async () => {
    const client = new PrismaClient({ adapter })
    const otherwise = async () => null
    // A Prisma whose queries, transactions and ends take unknown ways.
    const deaf = {
      $extends: () => ({
        ...Object.fromEntries(Object.keys(client).map((name) => [name, { create: () => otherwise() }])),
        $transaction: otherwise,
        _createPrismaPromise: otherwise,
      }),
    }
    const stranger = Object.create(client, { _originalClient: { value: { _appliedParent: deaf } } })
    expect(await verifyExtension(stranger)).toEqual([
      expect.stringContaining('Queries take another way to the database'),
      expect.stringContaining('Transactions cannot be recognised'),
    ])
  })

  const losses = {
    queries: 'Queries take another way',
    callback: 'Transactions cannot be recognised',
  }
  it.each<[string, (probe: Probe) => object, readonly (keyof typeof losses)[]]>([
    ['goes to another model', ({ Item }) => ({ GuestUser: Item }), ['queries']],
    [
      'is another operation',
      ({ GuestUser: User }) => ({ GuestUser: { create: () => User.upsert({ where: {} }) } }),
      ['queries'],
    ],
    [
      'is another operation with the same arguments',
      ({ GuestUser: User }) => ({ GuestUser: { create: User.update } }),
      ['queries'],
    ],
    [
      'never arrives',
      (probe) => ({ GuestUser: silent, $transaction: inTransaction(probe, () => silent) }),
      ['queries', 'callback'],
    ],
    [
      'loses its arguments',
      ({ GuestUser: User }) => ({ GuestUser: { create: () => User.create() } }),
      ['queries'],
    ],
    [
      'is sent twice',
      ({ GuestUser: User }) => ({
        GuestUser: {
          create: (args: object) => {
            void User.create(args).then(() => {})
            return User.create(args)
          },
        },
      }),
      ['queries'],
    ],
    [
      'in a transaction does not belong to it',
      (probe) => ({
        $transaction: (work: unknown) =>
          typeof work === 'function' ? probe.$transaction(() => work(probe)) : probe.$transaction(work),
      }),
      ['callback'],
    ],
    [
      'in a transaction is sent outside of it',
      (probe) => ({ $transaction: inTransaction(probe, () => probe.GuestUser) }),
      ['callback'],
    ],
    [
      'seems to be in a transaction without one',
      () => ({
        _createPrismaPromise: (callback: (transaction: object) => unknown) => {
          void callback({ kind: 'itx', id: 'other' })
          return Promise.resolve()
        },
      }),
      ['callback'],
    ],
    [
      'in a transaction takes another way',
      (probe) => ({
        $transaction: (work: unknown) =>
          typeof work === 'function' ? work(probe) : probe.$transaction(work),
      }),
      ['callback'],
    ],
  ])('reports what it cannot capture if a query %s', async (_, change, expected) => {
    const found = await verifyExtension(changedPrisma(change))
    expect(found).toEqual(
      expected.map((name) =>
        expect.stringMatching(new RegExp(`^${losses[name]}.* \\(it behaves differently\\)$`)),
      ),
    )
  })

  it('reports a driver adapter, or an engine, that cannot be watched', async () => {
    const loss = expect.stringContaining('The client has no driver adapter that can be watched')
    const client = new PrismaClient({ adapter })
    const { _engineConfig: config, _engine: engine } = client as unknown as Record<string, object>
    for (const changed of [
      { _engineConfig: { value: { ...config, adapter: undefined } } },
      { _engineConfig: { value: { ...config, adapter: {} } } },
      { _engine: { value: { ...engine, start: undefined } } },
    ])
      expect(
        await verifyExtension(Object.create(client, changed as object as PropertyDescriptorMap) as object),
      ).toEqual([loss])
  })

  it('reports a client without models', async () => {
    expect(await verifyExtension({})).toEqual(['The client has no models, so no write is captured'])
  })
})

describe('extendPrisma', () => {
  it('refuses the writes of a client that had connected, not its reads, and says how to extend it', async () => {
    const client = new PrismaClient({ adapter })
    // As an engine that is connected.
    const answer = async (): Promise<never> => Promise.reject(new Error('nothing to say'))
    Object.assign((client as unknown as { _engine: object })._engine, {
      start: async () => undefined,
      request: answer,
      requestBatch: answer,
    })
    const extended = extendPrisma(client, new RecordingCoordinator())
    const { guestUser } = extended
    await expect(guestUser.create({ data: { name: '', email: '' } })).rejects.toMatchObject({
      code: 'E_CONNECTED_EARLY',
      message: expect.stringContaining('captured(adapter)') as unknown,
    })
    await expect(guestUser.count()).rejects.toThrow('nothing to say')
    await expect(extended.$transaction([guestUser.findMany(), guestUser.count()])).rejects.toThrow(
      'nothing to say',
    )
  })

  it('refuses a client without a driver adapter, and a second one with the same captured adapter', () => {
    const bare = new PrismaClient({ adapter })
    Object.assign(bare, {
      _engineConfig: { ...(bare as unknown as Engine)._engineConfig, adapter: undefined },
    })
    expect(() => extendPrisma(bare, new RecordingCoordinator())).toThrow(
      expect.objectContaining({ code: 'E_ADAPTER' }),
    )
    const shared = captured(adapter)
    extendPrisma(new PrismaClient({ adapter: shared }), new RecordingCoordinator())
    expect(() => extendPrisma(new PrismaClient({ adapter: shared }), new RecordingCoordinator())).toThrow(
      expect.objectContaining({ code: 'E_ADAPTER' }),
    )
  })

  it('refuses a client whose writes are announced already, whatever extensions it has', () => {
    const client = new PrismaClient({ adapter })
    const before = client.$extends({ client: { hello: () => 1 } })
    const extended = extendPrisma(client, new RecordingCoordinator())
    const after = extended.$extends({ client: { hello: () => 1 } })
    for (const again of [client, extended, before, after]) {
      expect(() => extendPrisma(again, new RecordingCoordinator())).toThrow(
        expect.objectContaining({ code: 'E_ALREADY_EXTENDED' }),
      )
    }
  })

  it('refuses objects that are not clients, and invalid limits', () => {
    const recorder = new RecordingCoordinator()
    expect(() => extendPrisma({}, recorder)).toThrow(
      'option "prisma" is an object (Object); expected a Prisma client.',
    )
    expect(() => extendPrisma(new PrismaClient({ adapter }), recorder, { maxRows: 0 })).toThrow(
      'option "maxRows" is 0; expected a whole number of rows, at least 1.',
    )
  })
})

interface Engine {
  readonly _engineConfig: object
}

/** The parts of a client that the checks use. */
interface Probe {
  readonly GuestUser: Record<'create' | 'update' | 'upsert', (args?: object) => PrismaQuery>
  readonly Item: Probe['GuestUser']
  $transaction(work: unknown): Promise<unknown>
}

interface PrismaQuery extends PromiseLike<unknown> {
  requestTransaction(transaction: unknown): PromiseLike<unknown>
}

/** A model whose queries are never sent. */
const silent = {
  create: () => ({
    // oxlint-disable-next-line unicorn/no-thenable -- Prisma's queries are
    then: (onFound: (found: null) => unknown) => onFound(null),
    [Symbol.toStringTag]: 'PrismaPromise',
    requestTransaction: async () => null,
  }),
}

/** A `$transaction` whose callback gets another model. */
function inTransaction(probe: Probe, modelOf: () => object): Probe['$transaction'] {
  const within = (tx: object): object =>
    new Proxy(tx, { get: (target, name) => (name === 'GuestUser' ? modelOf() : Reflect.get(target, name)) })
  return (work) =>
    typeof work === 'function'
      ? probe.$transaction((tx: object) => work(within(tx)))
      : probe.$transaction(work)
}

/** A client whose derived clients differ from Prisma's. */
function changedPrisma(change: (probe: Probe) => object): object {
  const client = new PrismaClient({ adapter })
  const $extends = (extension: object): object => {
    const probe = client.$extends(extension)
    return new Proxy(probe, {
      get: (target, name) => (change(target as never) as never)[name] ?? Reflect.get(target, name),
    })
  }
  return Object.create(client, { _originalClient: { value: { _appliedParent: { $extends } } } }) as object
}

function schemaOf(client: PrismaClient): string {
  return (client as unknown as { _engineConfig: { inlineSchema: string } })._engineConfig.inlineSchema
}

function replaceSchema(client: PrismaClient, inlineSchema: string): void {
  const internals = client as unknown as { _engineConfig: object }
  internals._engineConfig = { ...internals._engineConfig, inlineSchema }
}
