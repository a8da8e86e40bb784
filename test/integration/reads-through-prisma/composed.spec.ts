/** Queries with relations, which caches of several models answer. */
import { Redis } from 'ioredis'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { show } from '../differential/show.ts'
import { type CacheOptions, type Client, openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

const caches: readonly CacheOptions[] = [
  { model: 'Account', id: 'id' },
  { model: 'Profile', id: 'accountId' },
  { model: 'Locker', id: 'number', unique: { account: 'accountId' } },
  { model: 'Post', id: 'id', lists: { ofAuthor: { by: 'authorId', orderBy: { id: 'asc' } } } },
  {
    model: 'Comment',
    id: ['postId', 'number'],
    lists: { ofPost: { by: 'postId', orderBy: { number: 'asc' } } },
  },
]

let valkey: ValkeyServer
let control: Redis
let fixture: ReadsFixture
let prisma: Client
beforeAll(async () => {
  valkey = await startValkey()
  control = new Redis(valkey.port)
  fixture = await openReadsFixture({ caches, storeUrl: valkey.url })
  ;({ prisma } = fixture)
})
beforeEach(async () => {
  await fixture.refill()
  fixture.outcomes()
  fixture.statements()
})
afterAll(async () => {
  await fixture.close()
  control.disconnect()
  await valkey.stop()
})

const posts = {
  orderBy: { id: 'asc' },
  include: { comments: { orderBy: { number: 'asc' } } },
} as const
const withAll = (id: number) =>
  ({ where: { id }, include: { profile: true, manager: true, locker: true, posts } }) as const

const drain = (): Promise<unknown> => Promise.all(caches.map(({ model }) => fixture.cacheOf(model).drain()))

it('loads what the store lacks with one statement for each relation, and then none', async () => {
  const expected = show(await fixture.plain.account.findUnique(withAll(2)))
  expect(show(await prisma.account.findUnique(withAll(2)))).toBe(expected)
  // The account has no manager.
  expect(fixture.statements()).toHaveLength(5)
  await drain()
  expect(show(await prisma.account.findUnique(withAll(2)))).toBe(expected)
  expect(fixture.statements()).toEqual([])
  expect(fixture.outcomes()).toEqual(['answered', 'answered'])
})

it('reads each level of a page with the same commands, however many queries there are', async () => {
  const page = (ids: readonly number[]) =>
    Promise.all(ids.map((id) => prisma.account.findUnique(withAll(id))))
  const ids = [2, 3, 4, 5, 6, 7]
  for (let i = 0; i < 2; i++) {
    await page(ids)
    await drain()
  }
  fixture.statements()
  const readsOf = async (some: readonly number[]): Promise<number> => {
    await control.config('RESETSTAT')
    await page(some)
    const stats = await control.info('commandstats')
    return [...stats.matchAll(/^cmdstat_(?:mget|get):calls=(\d+)/gm)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    )
  }
  // One for the accounts, then profiles, managers, lockers and posts with their entries, then comments with theirs.
  const commands = 9
  // A machine that is busy may read a level in two ticks. Queries by themselves would take 54 commands and 162.
  expect(await readsOf(ids)).toBeLessThan(2 * commands)
  expect(await readsOf([...ids, ...ids, ...ids])).toBeLessThan(2 * commands)
  expect(fixture.statements()).toEqual([])
})

it('shows the writes of its process at each level', async () => {
  await prisma.account.findUnique(withAll(2))
  await drain()
  await prisma.post.create({
    data: { authorId: 2, slug: 'new', comments: { create: { number: 1, body: 'first' } } },
  })
  await prisma.account.update({
    where: { id: 2 },
    data: { name: 'renamed', profile: { update: { bio: 'new' } } },
  })
  await prisma.comment.deleteMany({ where: { postId: 3n } })
  const expected = await fixture.plain.account.findUnique(withAll(2))
  expect(show(await prisma.account.findUnique(withAll(2)))).toBe(show(expected))
  expect(expected!.posts.at(-1)!.comments).toHaveLength(1)
})

it('decides conditions on relations as the writes of its process left them', async () => {
  const isSeen = async (): Promise<boolean> => {
    const where = { id: 2, posts: { some: { title: 'seen' } } }
    const found = await prisma.account.findUnique({ where })
    expect(await prisma.post.findMany({ where: { author: { id: 2, posts: where.posts } } })).toHaveLength(
      found ? await prisma.post.count({ where: { authorId: 2 } }) : 0,
    )
    return found !== null
  }
  expect(await isSeen()).toBe(false)
  const { id } = await prisma.post.create({ data: { authorId: 2, slug: 'seen', title: 'seen' } })
  expect(await isSeen()).toBe(true)
  await drain()
  fixture.statements()
  expect(await isSeen()).toBe(true)
  expect(fixture.statements()).toEqual([])
  await prisma.post.update({ where: { id }, data: { authorId: 3 } })
  expect(await isSeen()).toBe(false)
  expect(new Set(fixture.outcomes())).toEqual(new Set(['answered']))
})

it('leaves a row to the database whose foreign key leads to no row', async () => {
  const query = { where: { id: 3n }, include: { author: true } } as const
  await prisma.post.findUnique(query)
  await drain()
  // Another program moves the post and deletes its author; only the second is known so far.
  const { authorId } = (await fixture.plain.post.findUnique({ where: { id: 3n } }))!
  await fixture.sql.query(`UPDATE "Post" SET "authorId" = 5, slug = 'moved' WHERE id = 3`)
  await fixture.sql.query('SET session_replication_role = replica')
  await fixture.sql.query('DELETE FROM accounts WHERE id = $1', [authorId])
  await fixture.sql.query('SET session_replication_role = DEFAULT')
  await fixture.cacheOf('Account').invalidate(authorId as never)
  fixture.outcomes()
  expect(show(await prisma.post.findUnique(query))).toBe(show(await fixture.plain.post.findUnique(query)))
  expect(fixture.outcomes()).toEqual(['apart'])
})

it('gives each caller and each row objects of its own', async () => {
  const ids = [3n, 4n, 5n]
  const query = { where: { id: { in: ids } }, include: { author: true } } as const
  await prisma.post.findMany(query)
  await drain()
  const [found, again] = await Promise.all([prisma.post.findMany(query), prisma.post.findMany(query)])
  const authors = [...found, ...again].map(({ author }) => author)
  expect(new Set(authors).size).toBe(authors.length)
  expect(new Set(authors.map(({ createdAt }) => createdAt)).size).toBe(authors.length)
  expect(new Set(authors.map(({ balance }) => balance)).size).toBe(authors.length)
})

it('composes nothing with `compose: never`', async () => {
  const other = await openReadsFixture({
    caches,
    reads: (definitions) => ({ caches: definitions, compose: 'never' }),
  })
  await other.prisma.account.findUnique({ where: { id: 2 }, include: { profile: true } })
  await other.prisma.account.findUnique({ where: { id: 2 } })
  expect(other.outcomes()).toEqual(['relations', 'answered'])
  await other.close()
})
