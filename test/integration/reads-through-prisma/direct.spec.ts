/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
/** Queries that caches answer before Prisma prepares them: they are like Prisma's in all that a caller sees. */
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, ModelCacheWrites } from 'model-cache'
import { PrismaClient } from '../differential/client/client.ts'
import { show } from '../differential/show.ts'
import { openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

type Query = PromiseLike<unknown> & {
  catch(onFailed: (reason: unknown) => unknown): Promise<unknown>
  finally(onEnd: () => void): Promise<unknown>
  readonly spec?: unknown
} & Record<string, (args?: object) => Query>
type Find = (args?: object) => Query
type Client = Record<string, Record<string, Find>> & {
  $transaction(queries: readonly Query[]): Promise<unknown>
}

let fixture: ReadsFixture
let cached: Client
let truth: Client
/** How many queries Prisma has prepared. */
let prepared = 0

beforeAll(async () => {
  fixture = await openReadsFixture({
    caches: [
      { model: 'Account', id: 'id' },
      { model: 'Post', id: 'id', lists: { byAuthor: { by: 'authorId', orderBy: { id: 'asc' } } } },
    ],
  })
  ;[truth, cached] = [fixture.plain, fixture.prisma] as unknown as [Client, Client]
  const original = (fixture.prisma as unknown as { _originalClient: { _request(params: object): unknown } })
    ._originalClient
  const request = original._request
  original._request = function (params) {
    prepared++
    return request.call(this, params)
  }
})
beforeEach(() => {
  prepared = 0
  fixture.outcomes()
})
afterAll(() => fixture.close())

const outcomeOf = async (query: PromiseLike<unknown>): Promise<string> => {
  try {
    return show(await query)
  } catch (error) {
    return `throws ${(error as Error).message}`
  }
}

describe('a query that a cache answers', () => {
  const queries: Record<string, (client: Client) => PromiseLike<unknown>> = {
    findUnique: ({ post }) => post!['findUnique']!({ where: { id: 1 } }),
    findUniqueOrThrow: ({ post }) =>
      post!['findUniqueOrThrow']!({ where: { id: 1 }, select: { title: true } }),
    findFirst: ({ post }) => post!['findFirst']!({ where: { id: 2 } }),
    findFirstOrThrow: ({ post }) => post!['findFirstOrThrow']!({ where: { id: { equals: 2 } } }),
    findMany: ({ post }) => post!['findMany']!({ where: { id: { in: [1, 3] } }, orderBy: { id: 'asc' } }),
    'a row that does not exist': ({ post }) => post!['findUnique']!({ where: { id: 99 } }),
    'the fluent API of one row': ({ post }) => post!['findUnique']!({ where: { id: 1 } })['author']!(),
    'the fluent API of several rows': ({ account }) =>
      account!['findUnique']!({ where: { id: 2 } })['posts']!({
        orderBy: { id: 'asc' },
        select: { slug: true },
      }),
    'the fluent API without a row': ({ account }) =>
      account!['findFirst']!({ where: { id: 99 } })['posts']!({ orderBy: { id: 'asc' } }),
  }

  it.each(Object.entries(queries))('is not prepared by Prisma: %s', async (_, query) => {
    // The first one may load the rows.
    const first = await outcomeOf(query(cached))
    prepared = 0
    const answers = [first, await outcomeOf(query(cached))]
    expect([prepared, fixture.outcomes()]).toEqual([0, ['answered', 'answered']])
    const expected = await outcomeOf(query(truth))
    expect(answers).toEqual([expected, expected])
  })

  it('has the arguments of when it is awaited', async () => {
    const answerOf = async ({ post }: Client): Promise<string> => {
      const args = { where: { id: 1 }, select: { id: true } as object }
      const query = post!['findUnique']!(args)
      args.where.id = 2
      args.select = { id: true, title: true }
      return outcomeOf(query)
    }
    expect(await answerOf(cached)).toBe(await answerOf(truth))
  })

  it('is one of Prisma to all others', async () => {
    const shown = ({ post }: Client): unknown => {
      const query = post!['findUnique']!({ where: { id: 1 } })
      return [Object.prototype.toString.call(query), query.spec]
    }
    expect(shown(cached)).toEqual(shown(truth))
    const all = ({ post }: Client): readonly Query[] => [
      post!['findUnique']!({ where: { id: 1 } }),
      post!['findMany']!({ where: { id: 2 } }),
      post!['findUnique']!({ where: { id: 1 } })['author']!(),
    ]
    expect(show(await cached.$transaction(all(cached)))).toBe(show(await truth.$transaction(all(truth))))
    expect(fixture.outcomes()).toEqual(['transaction', 'transaction', 'transaction'])
  })
})

describe('the promise of a query', () => {
  const uses: Record<string, (query: Query) => unknown> = {
    'in a proxy': (query) => new Proxy(query, {}),
    'as a prototype': (query) => Object.create(query) as Query,
    'in a copy': (query) => ({ ...query }),
    'by a method without it': ({ then }) => new Promise((resolve, reject) => void then(resolve, reject)),
    'by a relation without it': ({ author }) => author?.() ?? Promise.resolve('none'),
    'by catch and finally without it': ({ catch: caught, finally: ended }) =>
      Promise.all([caught(() => 'failed'), ended(() => {})]),
    'with a method that the caller has put in its place': (query) =>
      Object.assign(query, { catch: () => 'mine' }).catch(() => {}),
    'by its properties': async (query) => [
      Object.keys(query),
      Object.entries(query).map(([name, value]) => [name, typeof value]),
      ['then', 'author', 'title', 'spec'].map((name) => [name in query, Object.hasOwn({ ...query }, name)]),
      Object.getPrototypeOf(query) === Object.prototype,
      query.spec,
    ],
  }
  const queries: Record<string, (client: Client) => Query> = {
    findUnique: ({ post }) => post!['findUnique']!({ where: { id: 1 } }),
    findMany: ({ post }) => post!['findMany']!({ where: { id: 1 } }),
    'the fluent API': ({ post }) => post!['findUnique']!({ where: { id: 1 } })['author']!(),
  }

  it.each(Object.entries(uses))('may be used as that of Prisma: %s', async (_, use) => {
    for (const query of Object.values(queries)) {
      const outcomes = [cached, truth].map((client) => outcomeOf(Promise.resolve(use(query(client)))))
      const [ofCache, ofPrisma] = await Promise.all(outcomes)
      expect(ofCache).toBe(ofPrisma)
      expect(ofCache).not.toContain('throws')
    }
  })

  it('may be given to a transaction by a copy of it', async () => {
    const outcomes = [cached, truth].map((client) =>
      outcomeOf(client.$transaction([{ ...queries['findMany']!(client) } as Query])),
    )
    const [ofCache, ofPrisma] = await Promise.all(outcomes)
    expect(ofCache).toBe(ofPrisma)
  })
})

class InheritedSelection {
  where = { id: 1 }
  get select(): object {
    return { comments: true }
  }
}

describe('a query that no cache answers', () => {
  const queries: Record<string, (client: Client) => PromiseLike<unknown>> = {
    'of another model': ({ label }) => label!['findMany']!({ orderBy: { name: 'asc' } }),
    'of other rows': ({ post }) =>
      post!['findMany']!({ where: { title: { contains: '1' } }, orderBy: { id: 'asc' } }),
    'of two relations': ({ post }) =>
      post!['findUnique']!({ where: { id: 1 } })['author']!()['posts']!({ orderBy: { title: 'asc' } }),
    'with an unknown argument': ({ post }) => post!['findUnique']!({ where: { id: 1 }, extra: true }),
    'that names a field like the arguments of another': ({ post }) =>
      post!['findUnique']!({ where: { '{"select":{"title":true,},}id': 1 } }),
    'without arguments': ({ post }) => post!['findUnique']!(),
    'of no row, which must exist': ({ post }) => post!['findUniqueOrThrow']!({ where: { id: 99 } }),
    'with a selection that is inherited, beside the fluent API': ({ post }) =>
      post!['findUnique']!(new InheritedSelection())['author']!(),
    'with include beside the fluent API': ({ post }) =>
      post!['findUnique']!({ where: { id: 1 }, include: { author: true } })['author']!(),
  }

  it.each(Object.entries(queries))('has the result, or the error, of Prisma: %s', async (_, query) => {
    // So that a plan for such a query is known, but not for this one.
    await cached['post']!['findUnique']!({ where: { id: 1 }, select: { title: true } })
    const answers = [await outcomeOf(query(cached)), await outcomeOf(query(cached))]
    const expected = await outcomeOf(query(truth))
    expect(answers).toEqual([expected, expected])
    expect(fixture.outcomes().filter((outcome) => outcome === 'answered')).toHaveLength(1)
  })
})

describe('clients to which Prisma or others add something', () => {
  const open = (options: object = {}, change: (client: PrismaClient) => object = (client) => client) => {
    const adapter = new PrismaPg({ connectionString: fixture.url, max: 1 })
    const client = change(new PrismaClient({ adapter, errorFormat: 'minimal', ...options }))
    const prisma = extendPrisma(client, new ModelCacheWrites(), { reads: 'all' })
    return prisma as unknown as Client & { $disconnect(): Promise<void> }
  }
  /** Whether the method is the library's own; Prisma makes a new one each time. */
  const isDirect = ({ post }: Client, action = 'findUnique'): boolean => post![action] === post![action]

  it.each<[string, object, ((client: PrismaClient) => object) | undefined]>([
    ['errors that show the line of the call', { errorFormat: 'colorless' }, undefined],
    [
      'computed fields',
      {},
      (client) => client.$extends({ result: { account: { one: { compute: () => 1 } } } }),
    ],
    [
      'hooks',
      {},
      (client) =>
        client.$extends({ query: { $allModels: { findUnique: ({ args, query }) => query(args) } } }),
    ],
  ])('prepare their queries: %s', async (_, options, change) => {
    const client = open(options, change)
    expect([isDirect(open()), isDirect(client)]).toEqual([true, false])
    await client.$disconnect()
  })

  it.each([
    ['another object', {}],
    ['a text', 'mine'],
    ['nothing', undefined],
  ])('have what an extension has put in the place of a model: %s', (_, own) => {
    const client = open({}, (given) => given.$extends({ client: { post: own } }))
    expect(client['post']).toEqual(own)
    expect(client['account']!['findUnique']).toBe(client['account']!['findUnique'])
  })

  it('keep the methods of extensions', () => {
    const findUnique = () => 'mine'
    const client = open({}, (given) => given.$extends({ model: { post: { findUnique } } }))
    expect(client['post']!['findUnique']!({ where: { id: 1 } })).toBe('mine')
  })

  it('prepare the queries of a client that is extended later', async () => {
    const seen: unknown[] = []
    const later = fixture.prisma.$extends({
      query: {
        post: {
          findUnique({ args, query }) {
            seen.push(args)
            return query(args)
          },
        },
      },
    })
    expect(await later.post.findUnique({ where: { id: 1 }, select: { id: true } })).toEqual({ id: 1n })
    expect([seen.length, prepared, fixture.outcomes()]).toEqual([1, 1, ['answered']])
  })
})
