/** Delegates and find methods that the application has put in the place of Prisma's own before the client was extended. */
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../differential/client/client.ts'
import { show } from '../differential/show.ts'
import { openReadsFixture } from './reads-fixture.ts'

type Find = (args: object) => PromiseLike<unknown>
type Delegates = Record<string, Record<string, Find>>

/** Hides the rows that are deleted, here those with an odd id, and adds a field. */
const softDelete = (client: object) =>
  (client as PrismaClient).$extends({
    query: {
      post: {
        $allOperations: ({ args, query }) =>
          query({ ...args, where: { ...(args as { where?: object }).where, slug: { not: 'p1' } } } as never),
      },
    },
    result: { post: { shout: { needs: { title: true }, compute: ({ title }) => title.toUpperCase() } } },
  })
const postOf = (client: object): Record<string, Find> => (client as Delegates)['post']!
/** Has a find method add something to its results. */
const wrapped =
  (find: Find): Find =>
  async (args) => [await find(args), 'wrapped']

const ways: Readonly<Record<string, (client: PrismaClient) => object>> = {
  'all delegates of an extended client': (client) => Object.assign(client, softDelete(client)),
  'a delegate of an extended client': (client) => Object.assign(client, { post: postOf(softDelete(client)) }),
  'a getter of an extended client': (client) => {
    const extended = softDelete(client)
    return Object.defineProperty(client, 'post', { configurable: true, get: () => postOf(extended) })
  },
  'a delegate of its own': (client) => {
    const { findUnique, findMany } = postOf(client)
    return Object.assign(client, { post: { findUnique: wrapped(findUnique!), findMany: wrapped(findMany!) } })
  },
  'methods of its own': (client) => {
    const { findUnique, findMany } = postOf(client)
    Object.assign(postOf(client), { findUnique: wrapped(findUnique!), findMany: wrapped(findMany!) })
    return client
  },
  'a bound method': (client) => {
    const extended = softDelete(client)
    Object.assign(postOf(client), { findUnique: postOf(extended)['findUnique']!.bind(undefined) })
    return client
  },
  "methods of an extended client's delegate": (client) => {
    const { findUnique, findMany } = postOf(softDelete(client))
    Object.assign(postOf(client), { findUnique, findMany })
    return client
  },
}

const queries: readonly ((post: Record<string, Find>) => PromiseLike<unknown>)[] = [
  (post) => post['findUnique']!({ where: { id: 1 } }),
  (post) => post['findUnique']!({ where: { id: 2 }, select: { id: true, title: true } }),
  (post) => post['findMany']!({ where: { id: { in: [1, 2, 3] } }, orderBy: { id: 'asc' } }),
]

it.each(Object.entries(ways))('a client with %s returns what it did', async (_, prepare) => {
  const fixture = await openReadsFixture({ caches: [{ model: 'Post', id: 'id' }], prepare })
  const adapter = new PrismaPg({ connectionString: fixture.url, max: 2 })
  const plain = new PrismaClient({ adapter, errorFormat: 'minimal' })
  try {
    const truth = prepare(plain) as PrismaClient
    // A client that is extended from it has Prisma's own methods again, and the same caches.
    const others = [fixture.prisma.$extends({}), truth.$extends({})] as const
    for (const [cached, uncached] of [[fixture.prisma, truth] as const, others, others])
      for (const query of [...queries, ...queries])
        expect(show(await query(postOf(cached)))).toBe(show(await query(postOf(uncached))))
  } finally {
    await plain.$disconnect()
    await fixture.close()
  }
})
