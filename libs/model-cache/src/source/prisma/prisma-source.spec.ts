import { WrittenModels } from './written-models.js'
import { createSqliteDemo, unconnectedPostgres } from '../../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../../test/support/use-opened.js'
import { isOwnQuery } from '../own-queries.js'
import type { WriteCoordinator } from '../write-coordinator.js'
import { extendPrisma } from './extend-prisma.js'
import { noteExtended } from './extended-clients.js'
import {
  createPrismaLoadSource,
  createPrismaSource,
  type PrismaSourceOptions,
  verifyPrismaSource,
} from './prisma-source.js'
import { answerReads } from './reads/answer-reads.js'
import { describeSchemaText } from './schema/describe-schema.js'

const options: PrismaSourceOptions = { name: 'Posts', model: 'Post', idFields: ['id'] }

/** A client that returns the queries which its models are sent. */
function clientOf(...delegates: readonly string[]): object {
  const findMany = async (query: object) => [query]
  return Object.fromEntries(delegates.map((name) => [name, { findMany }]))
}
const load = (idFields: readonly string[], ids: readonly unknown[], change: object = {}) =>
  createPrismaSource(clientOf('post'), { ...options, idFields, ...change }).load(ids)

describe('createPrismaSource', () => {
  it('loads all ids with one query, and selects what it is given', async () => {
    expect(await load(['id'], [1, 2])).toEqual([{ where: { id: { in: [1, 2] } } }])
    const select = { id: true }
    expect(await load(['id'], [1], { select })).toEqual([{ where: { id: { in: [1] } }, select }])
    const include = { tags: true }
    expect(await load(['id'], [1], { include })).toEqual([{ where: { id: { in: [1] } }, include }])
  })

  it('loads compound ids by their fields, and ignores other fields', async () => {
    const ids = [
      { org: 1, slug: 'a', title: 'A' },
      { org: 2, slug: 'b' },
    ]
    expect(await load(['org', 'slug'], ids)).toEqual([
      {
        where: {
          OR: [
            { org: 1, slug: 'a' },
            { org: 2, slug: 'b' },
          ],
        },
      },
    ])
  })

  it('loads fewer compound ids at once, and never more values than a statement takes', () => {
    const maxIds = (fields: number) =>
      createPrismaSource(clientOf('post'), { ...options, idFields: Array<string>(fields).fill('id') }).maxIds
    expect([1, 2, 3, 200].map(maxIds)).toEqual([5_000, 250, 250, 163])
  })

  it('finds rows through the client of a transaction', async () => {
    const tx = { post: { findMany: async (query: object) => [{ ...query, isInTransaction: true }] } }
    const source = createPrismaSource(clientOf('post'), options)
    const query = { where: { title: 'A' }, orderBy: [], take: 3 }
    expect(await source.find!(query)).toEqual([query])
    expect(await source.find!(query, tx)).toEqual([{ ...query, isInTransaction: true }])
    expect(await source.load([1], tx)).toMatchObject([{ isInTransaction: true }])
  })

  it('knows the transactions of its own PrismaClient', () => {
    const own = { _originalClient: {} }
    const { isOwnTransaction } = createPrismaSource({ ...clientOf('post'), ...own }, options)
    expect([own, { _originalClient: {} }, {}].map((tx) => isOwnTransaction!(tx))).toEqual([
      true,
      false,
      false,
    ])
  })

  it('refuses a model that the client lacks, and names those that it has', () => {
    const base = clientOf('inherited', '$reports')
    const client = Object.assign(Object.create(base) as object, clientOf('post', 'blogPost'))
    const others = { $extends: () => client, $parent: clientOf('other'), _engine: null, ready: true }
    Object.assign(client, others)
    for (const model of ['Missing', 'Ready', '$parent', '$extends', '_engine', '$reports']) {
      const create = () => createPrismaSource(client, { ...options, model })
      expect(create).toThrow(expect.objectContaining({ code: 'E_UNKNOWN_MODEL' }))
      expect(create).toThrow(/it has Post, BlogPost, Inherited\./)
    }
    expect(() => createPrismaSource(client, { ...options, model: 'BlogPost' })).not.toThrow()
  })

  it.each<[boolean, unknown]>([
    [true, { name: 'PrismaClientValidationError' }],
    [true, { code: 'P2023' }],
    [true, { code: 'P2000' }],
    [false, { code: 'P2024' }],
    [false, { code: 'P2037' }],
    [false, { code: 'P1001' }],
    [false, { code: 'P20' }],
    [false, { code: 'P20230' }],
    [false, { code: 'XP2023' }],
    [false, { code: 2023 }],
    [false, { code: ['P2023'] }],
    [false, new Error('lost')],
    [false, undefined],
  ])('%p: one id may have caused %j', (expected, error) => {
    expect(createPrismaSource(clientOf('post'), options).mayBlameOneId(error)).toBe(expected)
  })
})

interface Opened {
  readonly isOfReplica?: boolean
  /** Whether an extension sends queries to replicas. */
  readonly isSplit?: boolean
  readonly isAnswering?: boolean
}

/** A client that says by which of its clients it was sent a query. */
function openedClient({ isOfReplica = false, isSplit = false, isAnswering = false }: Opened): object {
  const delegate = (by: string) => ({ findMany: async () => [isOwnQuery() && by] })
  const client = {
    post: delegate('own'),
    _activeProvider: 'sqlite',
    _appliedParent: { $extends: () => ({ _extensions: {}, post: delegate('bare') }) },
    _extensions: { getAllClientExtensions: () => undefined },
    ...(isSplit && { $primary: () => {}, $replica: () => {} }),
  }
  Object.assign(client, { _originalClient: client })
  const fields = ['id']
  const cache = { name: 'Posts', model: 'Post', lookups: [], fields, exactFields: fields, idFields: fields }
  const coordinator = { reads: { version: 1, all: () => [cache] } } as unknown as WriteCoordinator
  noteExtended(client, coordinator, isOfReplica)
  const facts = describeSchemaText('model Post {\n id Int @id\n}')
  const reads = {
    coordinator,
    facts,
    query: async () => null,
    isReplica: isOfReplica,
    written: new WrittenModels(),
  }
  if (isAnswering) answerReads(client, { ...reads, reads: 'all' })
  return client
}

describe('the client of a source', () => {
  it.each<[string, boolean]>([
    ['own', false],
    ['bare', true],
  ])('sends loads as the %s one if a cache answers its queries: %p', async (by, isAnswering) => {
    const source = createPrismaSource(openedClient({ isAnswering }), options)
    expect([await source.load([1]), await source.find!({ where: {}, orderBy: [] })]).toEqual([[by], [by]])
  })

  it.each<[boolean, boolean, Opened]>([
    [false, false, {}],
    [false, false, { isAnswering: true }],
    [true, true, { isOfReplica: true }],
    [true, true, { isOfReplica: true, isAnswering: true }],
    [true, true, { isSplit: true }],
    // The client without extensions reads the primary, and a `load` does as it likes.
    [false, true, { isSplit: true, isAnswering: true }],
  ])('reads replicas: %p, by a function: %p, with %j', (isFromReplicas, isFromReplicasByLoad, opened) => {
    const client = openedClient(opened)
    expect(createPrismaSource(client, options).isFromReplicas!()).toBe(isFromReplicas)
    const loading = createPrismaLoadSource(() => [], client, options)
    expect(loading.isFromReplicas!()).toBe(isFromReplicasByLoad)
  })

  it.each<[string, (client: object, change: object) => ReturnType<typeof createPrismaSource>]>([
    ['findMany', (client, change) => createPrismaSource(client, { ...options, ...change })],
    ['a function', (client, change) => createPrismaLoadSource(() => [], client, { ...options, ...change })],
  ])('goes with its primary, and with a check of what it reads, to %s', (_, create) => {
    const client = openedClient({})
    const bare = {}
    const primary = { _originalClient: { _appliedParent: bare } }
    expect(create(client, {}).primary).toBeUndefined()
    expect(create(client, { primary }).primary).toBe(bare)
    expect(create(client, {}).watchLoad!()()).toBe(true)
    expect(create(clientOf('post'), {}).watchLoad).toBeUndefined()
  })
})

describe('query hooks of the client', () => {
  const demo = useOpened(createSqliteDemo)
  beforeAll(async () => {
    const data = ['ada', 'bob'].map((id) => ({ id, name: id, email: `${id}@example.org` }))
    await demo.client().guestUser.createMany({ data })
  })
  const users = { name: 'Users', model: 'GuestUser', idFields: ['id'], select: { id: true } }

  it('may filter loads by fields of the rows, and not by those of others', async () => {
    const loadWith = (condition: object): Promise<unknown> => {
      const findMany = ({ args, query }: { args: { where?: object }; query: (args: object) => unknown }) =>
        query({ ...args, where: { AND: [args.where, condition] } })
      const client: object = demo.client().$extends({ query: { guestUser: { findMany } } } as never)
      extendPrisma(client, {} as WriteCoordinator)
      return createPrismaSource(client, users).load(['ada', 'bob'])
    }
    expect(await loadWith({ name: { not: 'bob' } })).toEqual([{ id: 'ada' }])
    await expect(loadWith({ bids: { none: {} } })).rejects.toMatchObject({ code: 'E_LOAD_HOOKS' })
  })

  it('see no loads if none of them is for these queries', async () => {
    const client: object = demo.client().$extends({ query: { user: { findMany: () => [] } } } as never)
    extendPrisma(client, {} as WriteCoordinator)
    expect(await createPrismaSource(client, users).load(['bob'])).toEqual([{ id: 'bob' }])
  })
})

describe('verifyPrismaSource', () => {
  const verify = (change: Partial<PrismaSourceOptions>, client: object = unconnectedPostgres()) =>
    verifyPrismaSource(client, { name: 'Lots', model: 'AuctionItem', idFields: ['id'], ...change })

  it.each<[string, Partial<PrismaSourceOptions>]>([
    ['a primary key', { select: { id: true } }],
    ['a relation beside it', { include: { bids: true } }],
    ['a compound key', { idFields: ['fundraiserId', 'lot'] }],
    ['a compound key in another order', { idFields: ['lot', 'fundraiserId'] }],
    ['a unique field', { model: 'User', idFields: ['email'] }],
  ])('accepts %s', async (_, change) => {
    expect(await verify(change)).toBeUndefined()
  })

  it('sends nothing that the application sees as an error', async () => {
    const errors: unknown[] = []
    const client = unconnectedPostgres((error) => errors.push(error))
    await verify({ idFields: ['fundraiserId', 'lot'] }, client)
    expect(errors).toEqual([])
  })

  const notUnique = (fields: string, keys: string, remedy: string): string =>
    `id ${fields} is not unique in AuctionItem, so one id could mean several rows; unique are ${keys}. Add ${remedy}, ` +
    'choose another id, or give a `load` function.'

  it.each<[string, Partial<PrismaSourceOptions>, code: string, reason: string]>([
    [
      'a selection without the id',
      { select: { id: true, lot: false }, idFields: ['id', 'lot'] },
      'E_INVALID_SELECTION',
      '`select` leaves out the id field "lot"; add it.',
    ],
    [
      'a selection that Prisma refuses',
      { select: { id: true, nope: true } },
      'E_INVALID_SELECTION',
      'Prisma refuses its select or include: Unknown field `nope` for select statement on model `AuctionItem`. Available options are marked with ?.',
    ],
    [
      'an id that the model lacks',
      { idFields: ['nope'] },
      'E_INVALID_ID_FIELD',
      'id "nope" cannot be looked up in AuctionItem: Unknown argument `nope`.',
    ],
    [
      'an id of a type that has no lists',
      { model: 'FeatureFlags', idFields: ['flags'] },
      'E_INVALID_ID_FIELD',
      'id "flags" cannot be looked up in FeatureFlags: Unknown argument `in`.',
    ],
    [
      'an id that is not unique',
      { idFields: ['bidCount'] },
      'E_INVALID_ID_FIELD',
      notUnique('"bidCount"', 'id, fundraiserId_lot', '@id or @unique to it'),
    ],
    [
      'half of a compound key',
      { idFields: ['fundraiserId'] },
      'E_INVALID_ID_FIELD',
      notUnique('"fundraiserId"', 'id, fundraiserId_lot', '@id or @unique to it'),
    ],
    [
      'half of a compound key, and another field',
      { idFields: ['fundraiserId', 'name'] },
      'E_INVALID_ID_FIELD',
      notUnique(
        '"fundraiserId" + "name"',
        'id, fundraiserId_lot',
        '@@id([fundraiserId, name]) or @@unique([fundraiserId, name])',
      ),
    ],
  ])('refuses %s', async (_, change, code, reason) => {
    const message = expect.stringContaining(`ModelCache "Lots": ${reason}`) as string
    await expect(verify(change)).rejects.toMatchObject({ code, message })
  })

  it.each<[string, Error, string | undefined]>([
    [
      'refused',
      Object.assign(new Error('Invalid query:\n\nNo such field.\n'), { name: 'PrismaClientValidationError' }),
      'No such field.',
    ],
    ['lost', new Error('no connection'), undefined],
  ])('says why a query is %s, as far as that is about the query', async (_, error, reason) => {
    const fail = async (): Promise<never> => {
      throw isOwnQuery() ? error : new Error('a query of the application')
    }
    const verified = verify({}, { auctionItem: { findMany: fail } })
    if (reason === undefined) expect(await verified).toBeUndefined()
    else await expect(verified).rejects.toThrow(new RegExp(`refuses its select or include: ${reason}$`))
  })
})

describe('createPrismaLoadSource', () => {
  it('loads rows with the function, which gets the client', async () => {
    const client = clientOf('post')
    const source = createPrismaLoadSource((...given) => [given], client, options)
    expect(await source.load([1, 2])).toEqual([[client, [1, 2]]])
    const tx = {}
    const [given] = await source.load([1], tx)
    expect(given![0]).toBe(tx)
  })
})
