import { WrittenModels } from '../written-models.js'
import type { AnsweringCache, AnsweringLookup, CachedRow } from '../../read-caches.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
import type { ExtensionList } from '../client-extensions.js'
import type { QueryParams } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { invalidateTags } from '../cached.js'
import { answerReads, invalidateResults, isAnswering, readsOf, readsOn } from './answer-reads.js'
import { clientQueriesOf } from './client-queries.js'
import { describeReads, queryCoverageOf } from './query-coverage.js'
import type { Reads } from './read-options.js'
import { verifyHooks } from './verify-hooks.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
model Post {
  id    Int    @id
  title String
  meta  Json
  notes Note[]
}
model Note {
  id     Int  @id
  postId Int
  post   Post @relation(fields: [postId], references: [id])
}
model Tag {
  id   Int    @id
  word String
}`)
const all = ['id', 'title', 'meta']

interface Change {
  readonly fields?: readonly string[]
  readonly exactFields?: readonly string[]
  readonly idFields?: readonly string[]
  readonly model?: string
  readonly lookups?: readonly Partial<AnsweringLookup>[]
  readonly isFrom?: boolean
  readonly rows?: readonly CachedRow[] | Error
}

/** A cache with the rows of a test, and what it has counted. */
function cacheOf(name: string, change: Change = {}) {
  const { model = 'Post', fields = all, exactFields = fields, idFields = ['id'], lookups = [] } = change
  const { isFrom = true, rows = [] } = change
  const counted: string[] = []
  const get = async (id: unknown): Promise<CachedRow | null> => {
    if (rows instanceof Error) throw rows
    return rows.find((row) => row['id'] === id) ?? null
  }
  const cache = {
    name,
    model,
    fields,
    exactFields,
    idFields,
    sharesRows: false,
    holdsRows: false,
    lookups,
    isFrom: () => isFrom,
    get,
    getMany: (ids: readonly unknown[]) => Promise.all(ids.map(get)),
    countRead: (outcome: string, count: number) => counted.push(`${outcome} ${count}`),
    countShadow: (outcome: string) => counted.push(`shadow: ${outcome}`),
    warn: () => undefined,
  } as AnsweringCache
  return { cache, counted }
}

interface Extensions {
  /** The operations that query hooks see, as `post.findMany`. */
  readonly hooked?: readonly string[]
  readonly replacesSending?: boolean
}

const extensionsWith = ({ hooked = [], replacesSending = false }: Extensions): ExtensionList => ({
  getAllComputedFields: () => undefined,
  getAllClientExtensions: () => undefined,
  getAllModelExtensions: () => undefined,
  getAllQueryCallbacks: (delegate, operation) => (hooked.includes(`${delegate}.${operation}`) ? [{}] : []),
  getAllBatchQueryCallbacks: () => (replacesSending ? [{}] : []),
})

interface Opened extends Extensions {
  readonly reads?: Reads
  readonly omit?: Readonly<Record<string, object>>
  readonly isInTransaction?: boolean
  readonly isTraced?: boolean
  readonly isReplica?: boolean
  /** What the database answers. */
  readonly result?: unknown
}

/** A client whose queries these caches answer, and the queries that reach its database. */
function opened(caches: readonly AnsweringCache[], options: Opened = {}) {
  const { reads = 'all', omit, isInTransaction = false, isTraced = false, isReplica = false } = options
  const { result = 'of the database' } = options
  const client: Record<string, unknown> = {
    _extensions: extensionsWith(options),
    _globalOmit: omit,
    _tracingHelper: { isEnabled: () => isTraced },
  }
  client['_originalClient'] = client
  const sent: QueryParams[] = []
  const query = async (params: QueryParams): Promise<unknown> => {
    sent.push(params)
    return result
  }
  const known = { version: 1, all: () => caches, isInTransaction }
  const coordinator = { reads: known } as unknown as WriteCoordinator
  const runner = answerReads(client, {
    reads,
    coordinator,
    facts,
    query,
    isReplica,
    written: new WrittenModels(),
  })
  const run = (action: string, args: object | undefined, change: Partial<QueryParams> = {}) =>
    runner.run(client, { model: 'Post', action, args, dataPath: [], ...change } as QueryParams)
  return { client, known, run, runner, sent }
}

const post = { id: 1, title: 'a', meta: {} }
const posts = (change: Change = {}) => cacheOf('Posts', { rows: [post], ...change })
const definition = { name: 'Posts', model: 'Post' }

describe('a client whose caches have not started', () => {
  it.each([
    ['results', (client: object) => invalidateResults(client)],
    ['tags', (client: object) => invalidateTags(client, ['a'])],
  ])('cannot end %s that other processes have', async (_, invalidate) => {
    await expect(invalidate(opened([]).client)).rejects.toMatchObject({ code: 'E_NOT_STARTED' })
  })
})

describe('a client that was extended without `reads`', () => {
  it('has no reports', () => {
    for (const client of [{}, { _originalClient: {} }]) {
      expect(readsOf(client)).toBeUndefined()
      expect(readsOn(client)).toEqual([])
      expect(isAnswering(client, definition)).toBe(false)
      expect(queryCoverageOf(client, definition)).toBeUndefined()
      expect(describeReads(client, [definition])).toBeUndefined()
      expect(clientQueriesOf(client)).toBeUndefined()
      expect(verifyHooks(client)).toEqual([])
    }
  })

  it('needs a coordinator with caches', () => {
    const options = {
      reads: 'all',
      coordinator: {},
      facts,
      query: async () => null,
      isReplica: false,
      written: new WrittenModels(),
    } as const
    expect(() => answerReads({}, options as never)).toThrow(/a coordinator that has caches/)
  })
})

describe('whether a cache answers', () => {
  it('is known by its name and its model', () => {
    const { client } = opened([posts().cache, cacheOf('Others').cache])
    expect(isAnswering(client, definition)).toBe(true)
    expect(isAnswering({ _originalClient: client }, definition)).toBe(true)
    expect(isAnswering(client, { name: 'Missing', model: 'Post' })).toBe(false)
    expect(isAnswering(client, { name: 'Posts', model: 'Tag' })).toBe(false)
  })

  it('is false in shadow mode', () => {
    expect(isAnswering(opened([posts().cache], { reads: 'shadow' }).client, definition)).toBe(false)
  })

  it('is known of a model', () => {
    expect(opened([posts().cache]).runner.mayAnswer('Tag')).toBe(true)
    const reads = [definition]
    expect(opened([posts().cache], { reads }).runner.mayAnswer('Tag')).toBe(false)
    expect(opened([posts().cache], { reads }).runner.mayAnswer('Post')).toBe(true)
    expect(opened([posts().cache], { reads: 'shadow' }).runner.mayAnswer('Post')).toBe(false)
  })
})

describe('the queries that a cache answers', () => {
  const coverageOf = (caches: readonly AnsweringCache[], options?: Opened) =>
    queryCoverageOf(opened(caches, options).client, definition)
  const answers = { mode: 'answer', canAnswer: true, missing: [] }

  it('are all, of a cache with all fields', () => {
    expect(coverageOf([posts().cache])).toEqual(answers)
    expect(coverageOf([posts().cache], { reads: 'shadow' })).toEqual({ ...answers, mode: 'shadow' })
  })

  it('are none of a cache that `reads` does not name', () => {
    expect(coverageOf([posts().cache], { reads: [{ name: 'Others', model: 'Post' }] })).toBeUndefined()
    expect(coverageOf([posts().cache], { reads: [{ name: 'Tags', model: 'Tag' }] })).toBeUndefined()
    expect(coverageOf([posts().cache], { reads: [definition] })).toEqual(answers)
  })

  it('are none if only the database compares its ids, or the cache does not exist', () => {
    const none = { ...answers, canAnswer: false }
    expect(coverageOf([cacheOf('Others').cache, posts({ idFields: ['meta'] }).cache])).toEqual(none)
    expect(coverageOf([])).toEqual(none)
  })

  it('lack fields that its rows do not have, or not as the database has them', () => {
    const { cache } = posts({ fields: ['id', 'meta'], exactFields: ['id'] })
    expect(coverageOf([cache])).toEqual({
      ...answers,
      missing: [
        { field: 'title', because: 'omitted' },
        { field: 'meta', because: 'reshaped' },
      ],
    })
    expect(coverageOf([cache], { omit: { post: { title: true, meta: true } } })).toEqual(answers)
    expect(coverageOf([cache], { omit: { post: { bids: false } } })).toEqual(answers)
  })

  it('lack none that another cache of the model has', () => {
    const { cache } = posts({ fields: ['id'] })
    expect(coverageOf([cache, cacheOf('Others').cache])).toEqual(answers)
    expect(coverageOf([cache, cacheOf('Tags', { model: 'Tag', fields: ['id'] }).cache])).toMatchObject({
      missing: [{ field: 'title' }, { field: 'meta' }],
    })
  })
})

describe('the report of a client', () => {
  it('names the caches that answer no query, and the fields that a model lacks', () => {
    const few = posts({ fields: ['id'] }).cache
    const more = cacheOf('More', { fields: ['id', 'title'] }).cache
    const silent = cacheOf('Silent', { model: 'Tag', idFields: ['missing'], fields: ['id', 'word'] }).cache
    const definitions = [few, more, silent, { name: 'Unknown', model: 'Missing' }]
    const report = { caches: 'all', isShadow: false, canAnswer: true, silent: ['Silent', 'Unknown'] }
    for (const given of [definitions, definitions.toReversed()]) {
      const found = describeReads(opened([few, more, silent]).client, given)!
      expect({ ...found, silent: found.silent.toSorted() }).toEqual({
        ...report,
        lacking: new Map([['Post', ['meta']]]),
        results: [],
      })
    }
  })

  it('names the caches of `reads`', () => {
    const reads = { caches: [definition, { name: 'Others', model: 'Post' }, { name: 'Tags', model: 'Tag' }] }
    const { client } = opened([posts().cache], { reads: { ...reads, shadow: true } })
    expect(describeReads(client, [definition, { name: 'Unnamed', model: 'Post' }])).toEqual({
      caches: ['Posts', 'Others', 'Tags'],
      isShadow: true,
      canAnswer: true,
      silent: [],
      lacking: new Map(),
      results: [],
    })
    expect(describeReads(client, [])).toMatchObject({ canAnswer: false })
  })
})

describe('what became of queries', () => {
  const lookup = {
    name: 'byTitle',
    kind: 'list',
    by: ['title'],

    orderBy: [{ id: 'asc' }],
  } as const
  const hidden = { through: undefined, limit: undefined, keyOf: () => null }

  it('is counted by their models', async () => {
    const { cache } = posts()
    const { client, run } = opened([cache], {
      omit: { post: { title: true, meta: false } },
      reads: { findFirst: 'any' },
    })
    await run('findUnique', { where: { id: 1 } })
    await run('findMany', { where: { title: 'a' } })
    await run('findMany', { where: { word: 'a' } }, { model: 'Tag' })
    const found = clientQueriesOf(client)!
    expect(found).toMatchObject({ composed: ['default'], takesAnyRow: true })
    expect(found.models).toEqual([
      {
        model: 'Post',
        answered: 1,
        omitted: ['title'],
        caches: [{ name: 'Posts', idFields: ['id'], fields: all, exactFields: all, lookups: [] }],
        bypassed: [expect.objectContaining({ action: 'findMany', reason: 'condition', count: 1 })],
      },
      {
        model: 'Tag',
        answered: 0,
        omitted: [],
        bypassed: [expect.objectContaining({ reason: 'no_cache', count: 1 })],
      },
    ])
    expect(Object.keys(found.models[1]!)).not.toContain('caches')
  })

  it('names no bypassed queries of a model without any', () => {
    expect(clientQueriesOf(opened([posts().cache]).client)!.models).toMatchObject([{ bypassed: [] }])
    expect(clientQueriesOf(opened([], { reads: { compose: 'never' } }).client)).toEqual({
      composed: [],
      takesAnyRow: false,
      models: [],
    })
  })

  it.each<[string, object, object]>([
    ['no conditions', { where: {} }, { where: {} }],
    ['null', { where: { meta: null } }, { where: { meta: null } }],
    ['not null', { where: { meta: { not: null } } }, { where: { meta: { not: null } } }],
    ['a value', { where: { meta: null, title: 'a' } }, { where: null }],
    ['not a value', { where: { title: { not: 'a' } } }, { where: null }],
    ['another operator', { where: { title: { equals: null } } }, { where: null }],
    ['not null and another operator', { where: { title: { not: null, in: ['a'] } } }, { where: null }],
    ['a relation', { where: {}, through: 'tags' }, { where: {}, through: 'tags' }],
    ['a limit', { where: {}, limit: 5 }, { where: {}, limit: 5 }],
  ])('describes lookups with %s', (_, change, reported) => {
    const { cache } = posts({ lookups: [{ ...lookup, ...hidden, ...change }] })
    const [answered] = clientQueriesOf(opened([cache]).client)!.models
    const described = (answered as { caches?: unknown }).caches as readonly { lookups: readonly object[] }[]
    expect(described[0]!.lookups).toEqual([{ ...lookup, ...reported }])
    expect(Object.keys(described[0]!.lookups[0]!)).toHaveLength(
      Object.keys({ ...lookup, ...reported }).length,
    )
  })
})

describe('query hooks', () => {
  const hooked = ['post.findMany']

  it('of models that caches answer are refused', () => {
    const { client } = opened([posts().cache, cacheOf('Others').cache], { hooked })
    expect(() => verifyHooks(client)).toThrow(/see reads of Post, whose/)
  })

  it('are named in shadow mode, without the period', () => {
    const { client } = opened([posts().cache], { hooked, reads: 'shadow' })
    expect(verifyHooks(client)).toEqual([expect.stringMatching(/ see reads of Post, [^]*\. [^]*[^.]$/)])
  })

  it('are taken where `reads` skips them, and for operations and models of no answers', () => {
    expect(verifyHooks(opened([posts().cache], { hooked, reads: { hooks: 'skip' } }).client)).toEqual([])
    expect(verifyHooks(opened([posts().cache], { hooked: ['post.create', 'tag.findMany'] }).client)).toEqual(
      [],
    )
    expect(verifyHooks(opened([posts().cache], { reads: 'shadow' }).client)).toEqual([])
  })
})

describe('a query', () => {
  const byId = { where: { id: 1 } }

  it('is answered by a cache', async () => {
    const { cache, counted } = posts()
    const { client, run, runner, sent } = opened([cache])
    expect(await run('findUnique', byId)).toEqual(post)
    expect(await run('findUnique', byId)).toEqual(post)
    expect(await run('findUnique', { where: { id: 2 } })).toBeNull()
    expect(
      await runner.ask(client, { model: 'Post', action: 'findMany', args: byId, dataPath: [] }, 1, fail),
    ).toEqual([post])
    expect(counted).toEqual(Array(4).fill('answered 1'))
    expect(sent).toEqual([])
  })

  it.each<[string, string, object | undefined, Opened, Partial<QueryParams>]>([
    ['operation', 'aggregate', byId, {}, {}],
    ['transaction', 'findUnique', byId, {}, { transaction: {} as never }],
    ['transaction', 'findUnique', byId, { isInTransaction: true }, {}],
    ['unsupported_client', 'findUnique', byId, { replacesSending: true }, {}],
    ['condition', 'findMany', undefined, {}, {}],
    ['condition', 'findMany', { where: { title: 'a' } }, {}, {}],
    ['argument', 'findMany', { where: byId.where, other: 1 }, {}, {}],
  ])('is left to the database: %s', async (reason, action, args, options, change) => {
    const { cache, counted } = posts()
    const { client, run, sent } = opened([cache], options)
    expect(await run(action, args, change)).toBe('of the database')
    expect(sent).toEqual([{ model: 'Post', action, args, dataPath: [], ...change }])
    expect(counted).toEqual([`${reason} 1`])
    expect(clientQueriesOf(client)!.models[0]!.bypassed).toMatchObject([{ action, reason, count: 1 }])
  })

  const unreadable = {
    get where(): object {
      throw new Error('no condition')
    },
  }
  const down = (): never => {
    throw new Error('down')
  }

  it.each<
    [string, string, Partial<AnsweringCache>, object, ...((given: ReturnType<typeof opened>) => void)[]]
  >([
    [
      'Prisma behaves in another way than expected',
      'unsupported_client',
      {},
      byId,
      ({ runner }) => void (runner.planner.isDisabled = true),
    ],
    ['its cache loads from another one', 'not_registered', { isFrom: () => false }, byId],
    ['the cache fails', 'error', { get: async () => down() }, byId],
    ['the cache throws', 'error', { get: down, getMany: down }, byId],
    ['a row has another id', 'id_value', { get: async () => ({ ...post, id: 2 }) }, byId],
    ['there is no cache of a relation', 'relations', {}, { ...byId, include: { notes: true } }],
    [
      'its extensions cannot be read',
      'unsupported_client',
      {},
      byId,
      ({ client }) => (client['_extensions'] = {}),
    ],
    ['its arguments cannot be read', 'argument', {}, unreadable],
  ])('is left to the database if %s: %s', async (_, reason, change, args, ...[before]) => {
    const { cache, counted } = posts()
    const given = opened([{ ...cache, ...change }])
    before?.(given)
    expect(await given.run('findUnique', args)).toBe('of the database')
    expect(counted).toEqual([`${reason} 1`])
    if (reason === 'error')
      expect(clientQueriesOf(given.client)!.models[0]!.bypassed).toEqual([
        { model: 'Post', action: 'findUnique', reason, count: 1 },
      ])
  })

  it('is answered by a cache that loads from another one if the client is its replica', async () => {
    const { cache } = posts({ isFrom: false })
    expect(await opened([cache], { isReplica: true }).run('findUnique', byId)).toEqual(post)
  })

  it('is left to the database if one of its caches loads from another one', async () => {
    const args = { where: { id: 5 }, include: { post: true } }
    const rows = [{ id: 5, postId: 1 }]
    const { cache } = cacheOf('Notes', { model: 'Note', fields: ['id', 'postId'], rows })
    const answer = (isFrom: boolean) =>
      opened([cache, posts({ isFrom }).cache]).run('findUnique', args, { model: 'Note' })
    expect(await answer(true)).toEqual({ id: 5, postId: 1, post })
    expect(await answer(false)).toBe('of the database')
  })

  it('of `$uncached` is left to the database', async () => {
    const { cache, counted } = posts()
    const { client, run } = opened([cache])
    client['$extends'] = ({ client: marks }: { client: object }) => ({ marks })
    const { marks } = client['$uncached'] as { marks: object }
    client['_extensions'] = { ...extensionsWith({}), getAllClientExtensions: () => marks }
    expect(await run('findUnique', byId)).toBe('of the database')
    expect(counted).toEqual(['uncached 1'])
  })

  it('of a model whose caches are gone is counted as such', async () => {
    const { client, known, run } = opened([])
    known.all = () => [posts().cache]
    known.version++
    expect(await run('findUnique', byId)).toEqual(post)
    known.all = () => []
    known.version++
    expect(await run('findUnique', byId)).toBe('of the database')
    expect(clientQueriesOf(client)!.models[0]!.bypassed).toMatchObject([{ reason: 'not_registered' }])
  })

  it('is planned again once caches have come or gone', async () => {
    const { known, run } = opened([])
    // The fourth is passed on unplanned.
    for (let times = 0; times < 4; times++) expect(await run('findUnique', byId)).toBe('of the database')
    for (const row of [post, { ...post, title: 'b' }]) {
      const { cache } = posts({ rows: [row] })
      known.all = () => [cache]
      known.version++
      expect(await run('findUnique', byId)).toEqual(row)
    }
  })

  it('of a model without caches is left to the database in a transaction, too', async () => {
    const change = { model: 'Tag', transaction: {} as never }
    const { client, run } = opened([posts().cache])
    expect(await run('findUnique', byId, change)).toBe('of the database')
    expect(clientQueriesOf(client)!.models[1]!.bypassed).toMatchObject([{ reason: 'transaction' }])
  })

  it('is compared in shadow mode, and the database answers', async () => {
    const { cache, counted } = posts()
    const { client, run, sent } = opened([cache], { reads: 'shadow' })
    expect(await run('findUnique', byId)).toBe('of the database')
    await new Promise(setImmediate)
    expect(counted[0]).toBe('shadowed 1')
    expect(clientQueriesOf(client)!.models).toMatchObject([{ answered: 1 }])
    expect(sent).toMatchObject([{ action: 'findUnique', args: byId }])
    const same = posts()
    const { run: compare } = opened([same.cache], { reads: 'shadow', result: post })
    expect(await compare('findUnique', byId)).toBe(post)
    // Caches answer, and are compared, in microtasks.
    await new Promise(setImmediate)
    expect(same.counted).toEqual(['shadowed 1', 'shadow: same'])
  })

  it('that is asked is sent once, and planned once', async () => {
    const { cache, counted } = posts()
    const { client, runner } = opened([cache])
    const params: QueryParams = {
      model: 'Post',
      action: 'findMany',
      args: { where: { title: 'a' } },
      dataPath: [],
    }
    const send = (given: QueryParams) => runner.run(client, given)
    expect(await runner.ask(client, params, params, send)).toBe('of the database')
    expect(counted).toEqual(['condition 1'])
    expect(await runner.run(client, { ...params, args: byId })).toEqual([post])
    const error = new Error('refused')
    await expect(runner.ask(client, params, params, () => Promise.reject(error))).rejects.toBe(error)
    // What was refused is not that of the next query.
    expect(await runner.run(client, { ...params, args: byId })).toEqual([post])
  })

  it('is given to Prisma if it is traced', async () => {
    const { client, runner } = opened([posts().cache], { isTraced: true })
    const params: QueryParams = { model: 'Post', action: 'findUnique', args: byId, dataPath: [] }
    expect(await runner.ask(client, params, params, async () => 'of Prisma')).toBe('of Prisma')
  })
})

function fail(): never {
  throw new Error('Nothing is sent.')
}
