/** Queries by unique keys and of lists, which lookups of the caches answer. */
import { setTimeout as delay } from 'node:timers/promises'
import { useOpened } from '../../support/use-opened.ts'
import type { Prisma } from '../differential/client/client.ts'
import { show } from '../differential/show.ts'
import { type CacheOptions, type Client, openReadsFixture } from './reads-fixture.ts'

const caches: readonly CacheOptions[] = [
  {
    model: 'Account',
    id: 'id',
    unique: { email: 'email', token: 'token' },
    lists: { ofManager: { by: 'managerId', orderBy: { name: 'desc' } } },
  },
  {
    model: 'Post',
    id: 'id',
    rows: 'shared',
    unique: { address: ['slug', 'authorId'] },
    lists: {
      ofAuthor: { by: 'authorId', orderBy: { title: 'desc' } },
      unedited: { by: 'authorId', where: { editorId: null }, orderBy: [{ title: 'asc' }], limit: 2 },
      last: { by: 'authorId', orderBy: [{ id: 'desc' }], limit: 1 },
    },
  },
  { model: 'Ticket', id: 'id', unique: { seat: 'seat' } },
  { model: 'Setting', id: 'id', unique: { place: ['scope', 'key'] } },
  { model: 'Comment', id: ['postId', 'number'], lists: { ofPost: { by: 'postId', limit: 2 } } },
]

const fixture = useOpened(() => openReadsFixture({ caches }))
let prisma: Client

beforeAll(async () => {
  ;({ prisma } = fixture)
  await fixture.sql.query(`INSERT INTO "Setting" (scope, key) VALUES ('a', 'b'), (NULL, 'b')`)
})
beforeEach(() => {
  fixture.outcomes()
  fixture.statements()
})

type Query = (client: Client) => Promise<unknown>

const byTitle = (): { orderBy: Prisma.PostOrderByWithRelationInput[] } => ({
  orderBy: [{ title: 'desc' }, { id: 'asc' }],
})
const token = '5eed0000-0000-4000-a000-0000000000ad'

it.each<[string, Query]>([
  ['findUnique', (c) => c.ticket.findUnique({ where: { seat: 's2' } })],
  ['findMany of a list', (c) => c.post.findMany({ where: { authorId: 3 }, ...byTitle() })],
  [
    'findMany with a condition and a limit',
    (c) =>
      c.post.findMany({
        where: { authorId: 2, editorId: null },
        orderBy: [{ title: 'asc' }, { id: 'asc' }],
        take: 2,
        select: { slug: true },
      }),
  ],
])('answers %s, with one statement for two queries', async (_, query) => {
  const expected = show(await query(fixture.plain as Client))
  expect(show(await query(prisma))).toBe(expected)
  await drain()
  // The load has the form of a query that is answered, but is none.
  expect(fixture.statements()).toHaveLength(1)
  expect(show(await query(prisma))).toBe(expected)
  expect(fixture.statements()).toEqual([])
  expect(fixture.outcomes()).toEqual(['answered', 'answered'])
})

async function drain(): Promise<void> {
  for (const { name } of fixture.definitions) await fixture.cacheOf(name).drain()
}

it('leaves it to Prisma to throw that there is no row', async () => {
  const query: Query = (c) => c.ticket.findUniqueOrThrow({ where: { seat: 'none' } })
  const expected = await query(fixture.plain as Client).catch((error: Error) => error.message)
  await expect(query(prisma)).rejects.toMatchObject({ code: 'P2025', message: expected })
  expect(fixture.outcomes()).toEqual(['not_found'])
})

it('leaves it to Prisma to refuse an order by a name that is no field', async () => {
  const orderBy = { 'title desc,id': 'asc' } as object
  const refusal = expect.objectContaining({ name: 'PrismaClientValidationError' })
  await expect(prisma.post.findMany({ where: { authorId: 2 }, orderBy })).rejects.toEqual(refusal)
  expect(fixture.outcomes()).toEqual(['order'])
})

it('gives every caller rows of its own', async () => {
  const query = () => prisma.post.findMany({ where: { authorId: 2 }, ...byTitle() })
  const expected = show(await query())
  const results = await Promise.all([query(), query()])
  for (const rows of results) {
    rows[0]!.title = 'changed'
    rows.pop()
  }
  expect(show(await query())).toBe(expected)
})

it('takes keys as they are when a query begins', async () => {
  const where = { seat: { in: ['s1'] } }
  const pending = prisma.ticket.findMany({ where }).then((rows) => rows)
  where.seat.in[0] = 's2'
  expect(await pending).toMatchObject([{ seat: 's1' }])
})

it('loads the lists of one event-loop turn together', async () => {
  const lists = await Promise.all(
    [1, 4, 5].map((authorId) => prisma.post.findMany({ where: { authorId }, ...byTitle() })),
  )
  expect(lists.map(([row]) => row?.authorId)).toEqual([1, 4, 5])
  expect(fixture.statements()).toHaveLength(1)
})

it('leaves the queries together that Prisma puts together', async () => {
  const find = (client: Client) =>
    [1, 2, 3].map((id) => client.account.findUnique({ where: { id }, include: { profile: true } }))
  await Promise.all(find(prisma.$uncached as Client))
  const alone = fixture.statements()
  const query = () => prisma.account.findUnique({ where: { token } })
  await query()
  await drain()
  fixture.statements()
  fixture.outcomes()
  const [first, ...others] = find(prisma)
  await Promise.all([first, query(), ...others])
  expect(fixture.outcomes().toSorted()).toEqual(['answered', 'relations', 'relations', 'relations'])
  expect(fixture.statements()).toEqual(alone)
})

it('leaves queries in transactions to the database, which see what the transaction wrote', async () => {
  const list = { where: { authorId: 2 }, ...byTitle() }
  const before = await prisma.post.findMany(list)
  await prisma.$transaction(async (tx) => {
    await tx.post.create({ data: { slug: 'new', authorId: 2 } })
    expect(await tx.post.findMany(list)).toHaveLength(before.length + 1)
    expect(await tx.post.findUnique({ where: { address: { authorId: 2, slug: 'new' } } })).not.toBeNull()
    await tx.post.deleteMany({ where: { slug: 'new' } })
  })
  expect(fixture.outcomes()).toEqual(['answered', 'transaction', 'transaction'])
})

it('answers with what was invalidated by hand', async () => {
  const list = { where: { authorId: 3 }, ...byTitle() }
  const before = await prisma.post.findMany(list)
  await drain()
  await fixture.sql.query(`INSERT INTO "Post" (slug, title, "authorId") VALUES ('raw', 'z', 3)`)
  expect(await prisma.post.findMany(list)).toEqual(before)
  await fixture.cacheOf('Post').invalidateBy('ofAuthor', [3])
  expect(await prisma.post.findMany(list)).toEqual([expect.objectContaining({ slug: 'raw' }), ...before])
  await fixture.sql.query(`DELETE FROM "Post" WHERE slug = 'raw'`)
})

describe('in shadow mode', () => {
  const shadow = useOpened(() => openReadsFixture({ caches, reads: 'shadow' }))

  async function comparison(query: Query): Promise<string> {
    await query(shadow.prisma)
    for (;;) {
      const [found] = shadow.comparisons()
      if (found !== undefined) return found
      await delay(5)
    }
  }

  it('compares lists in their order', async () => {
    const list: Query = (c) => c.post.findMany({ where: { authorId: 2 }, ...byTitle(), select: { id: true } })
    expect(await comparison(list)).toBe('same')
    await shadow.cacheOf('Post').drain()
    await shadow.sql.query(
      `UPDATE "Post" SET title = CASE title WHEN 'title 1' THEN 'title 6' ELSE 'title 1' END WHERE "authorId" = 2`,
    )
    expect(await comparison(list)).toBe('different')
    expect(shadow.warnings).toEqual([expect.stringContaining('differ in id,')])
  })
})
