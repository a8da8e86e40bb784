/** Queries for a part of a list, or for its length: the database answers them where the list is long. */
import { type Client, type ReadsFixture, openReadsFixture } from './reads-fixture.ts'

const caches = [
  { model: 'Account', id: 'id' },
  { model: 'Post', id: 'id', lists: { byAuthor: { by: 'authorId', orderBy: { id: 'asc' } } } },
]
const many = 200
const few = 5

const fixtures: ReadsFixture[] = []
const open = async (reads: object = {}): Promise<ReadsFixture> => {
  const fixture = await openReadsFixture({ caches, reads })
  fixtures.push(fixture)
  await fixture.sql.query(
    `INSERT INTO accounts (name, email, updated_at) VALUES ('many', 'many@long', now()), ('few', 'few@long', now());
     INSERT INTO "Post" ("authorId", slug, title) SELECT a.id, 'long ' || n, 'Title ' || n % 7 FROM accounts a,
       LATERAL generate_series(1, CASE a.name WHEN 'many' THEN ${many} ELSE ${few} END) n WHERE a.name IN ('many', 'few')`,
  )
  return fixture
}
afterEach(() => Promise.all(fixtures.splice(0).map((fixture) => fixture.close())))

const idOf = async ({ plain }: ReadsFixture, name: string): Promise<number> =>
  (await plain.account.findFirstOrThrow({ where: { name } })).id

type Query = (client: Client, id: number) => Promise<unknown>
const parts: readonly (readonly [string, Query])[] = [
  ['its length', ({ post }, authorId) => post.count({ where: { authorId } })],
  [
    'its first rows',
    ({ post }, authorId) => post.findMany({ where: { authorId }, orderBy: { id: 'asc' }, take: 3 }),
  ],
  ['its first row', ({ post }, authorId) => post.findFirst({ where: { authorId }, orderBy: { id: 'asc' } })],
  [
    'rows that fulfil a condition',
    ({ post }, authorId) => post.findMany({ where: { authorId, slug: 'long 3' }, orderBy: { id: 'asc' } }),
  ],
  [
    'a _count of the row that leads to it',
    ({ account }, id) =>
      account.findUnique({ where: { id }, select: { name: true, _count: { select: { posts: true } } } }),
  ],
]

it.each(parts)('the database answers for %s once the list has turned out long', async (_, query) => {
  const fixture = await open()
  const { outcomes, plain, prisma } = fixture
  const [long, short] = [await idOf(fixture, 'many'), await idOf(fixture, 'few')]
  const expected = await query(plain as Client, long)
  outcomes()
  for (let i = 0; i < 3; i++) expect(await query(prisma, long)).toEqual(expected)
  expect(outcomes()).toEqual(['answered', 'costs', 'costs'])
  for (let i = 0; i < 2; i++) expect(await query(prisma, short)).toEqual(await query(plain as Client, short))
  expect(outcomes()).toEqual(['answered', 'answered'])
})

it('the database answers for rows to which a long list leads', async () => {
  const fixture = await open()
  const { outcomes, plain, prisma } = fixture
  const query = ({ account }: Pick<Client, 'account'>, authorId: number) =>
    account.findMany({ where: { posts: { some: { authorId } } }, select: { id: true } })
  const [long, short] = [await idOf(fixture, 'many'), await idOf(fixture, 'few')]
  outcomes()
  for (let i = 0; i < 3; i++) expect(await query(prisma, long)).toEqual(await query(plain, long))
  expect(outcomes()).toEqual(['answered', 'costs', 'costs'])
  for (let i = 0; i < 2; i++) expect(await query(prisma, short)).toEqual(await query(plain, short))
  expect(outcomes()).toEqual(['answered', 'answered'])
})

it('a query for several rows that needs long lists reads no cache any more', async () => {
  const fixture = await open()
  const { cacheOf, outcomes, plain, prisma } = fixture
  const [long, short] = [await idOf(fixture, 'many'), await idOf(fixture, 'few')]
  const query = ({ account }: Pick<Client, 'account'>, ids: readonly number[]) =>
    account.findMany({
      where: { OR: ids.map((id) => ({ id })) },
      select: { id: true, _count: { select: { posts: true } } },
      orderBy: { id: 'asc' },
    })
  const both = [long, short]
  outcomes()
  // Lists of unknown length count as long once most of these queries have read long ones.
  for (let i = 0; i < 20; i++) expect(await query(prisma, both)).toEqual(await query(plain, both))
  expect(outcomes().slice(-6)).toEqual(Array(6).fill('costs'))
  await cacheOf('Account').invalidateAll()
  for (let i = 0; i < 5; i++) await query(prisma, both)
  expect(outcomes()).toEqual(Array(5).fill('costs'))
  expect(await cacheOf('Account').explain(short as never)).toMatchObject({ stored: { isHit: false } })
})

it('caches answer for all of a long list', async () => {
  const fixture = await open()
  const { outcomes, prisma } = fixture
  const id = await idOf(fixture, 'many')
  outcomes()
  for (let i = 0; i < 3; i++) {
    const posts = await prisma.post.findMany({ where: { authorId: id }, orderBy: { id: 'asc' } })
    expect(posts).toHaveLength(many)
    const account = await prisma.account.findUnique({
      where: { id },
      include: { posts: { orderBy: { id: 'asc' } } },
    })
    expect(account!.posts).toEqual(posts)
  }
  expect(new Set(outcomes())).toEqual(new Set(['answered']))
})

it.each(parts)('caches answer for %s if the options say so', async (_, query) => {
  const fixture = await open({ longLists: 'answer' })
  const { outcomes, prisma } = fixture
  const id = await idOf(fixture, 'many')
  outcomes()
  for (let i = 0; i < 4; i++) await query(prisma, id)
  expect(outcomes()).toEqual(Array(4).fill('answered'))
})
