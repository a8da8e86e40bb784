import { show } from '../differential/show.ts'
import { openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

let fixture: ReadsFixture
let tickets: string[]

beforeAll(async () => {
  fixture = await openReadsFixture({
    caches: [
      { model: 'Account', id: 'id' },
      { model: 'Account', id: 'token', name: 'AccountByToken', fields: ['token', 'name', 'id'] },
      { model: 'Ticket', id: 'id' },
      { model: 'Comment', id: ['postId', 'number'] },
      { model: 'Post', id: 'id' },
      { model: 'Post', id: ['authorId', 'slug'], name: 'PostByAddress' },
      { model: 'Label', id: 'name' },
      { model: 'Badge', id: 'id' },
      {
        model: 'Setting',
        id: 'id',
      },
      { model: 'Grant', id: ['accountId', 'role'], name: 'Grant' },
    ],
  })
  tickets = (await fixture.plain.ticket.findMany({ select: { id: true } })).map(({ id }) => id)
})
afterAll(() => fixture.close())

/** Any of the queries that both clients run. */
type Query = (client: Record<string, Record<string, (args?: object) => Promise<unknown>>>) => Promise<unknown>

/** Runs a query through both clients, twice through the one with caches, so that its rows are loaded and then found. */
async function compare(
  query: Query,
): Promise<{ plain: string; loaded: string; found: string; outcomes: string[] }> {
  const { plain, prisma, outcomes } = fixture
  outcomes()
  const run = async (client: object): Promise<string> => {
    try {
      return show(await query(client as never))
    } catch (error) {
      const { name, message, code, meta } = error as Error & { code?: string; meta?: unknown }
      return show({ name, message, code, meta })
    }
  }
  return {
    plain: await run(plain),
    loaded: await run(prisma),
    found: await run(prisma),
    outcomes: [...new Set(outcomes())],
  }
}

async function expectAnswered(query: Query): Promise<void> {
  const { plain, loaded, found, outcomes } = await compare(query)
  expect({ loaded, found, outcomes }).toEqual({ loaded: plain, found: plain, outcomes: ['answered'] })
}

async function expectBypassed(reason: string, query: Query): Promise<void> {
  const { plain, loaded, found, outcomes } = await compare(query)
  expect({ loaded, found, outcomes }).toEqual({ loaded: plain, found: plain, outcomes: [reason] })
}

describe('queries that are answered', () => {
  it.each<[string, Query]>([
    ['findUnique', (c) => c.account!.findUnique!({ where: { id: 3 } })],
    ['findUnique of no row', (c) => c.account!.findUnique!({ where: { id: 300 } })],
    ['findUnique by a BigInt', (c) => c.post!.findUnique!({ where: { id: 3n } })],
    ['findUnique by a BigInt, given as a number', (c) => c.post!.findUnique!({ where: { id: 3 } })],
    ['findUnique by text', (c) => c.label!.findUnique!({ where: { name: 'l3' } })],
    ['findUnique by a UUID', (c) => c.ticket!.findUnique!({ where: { id: tickets[2] } })],
    [
      'findUnique by another unique field',
      (c) =>
        c.account!.findUnique!({
          where: { token: '5eed0000-0000-4000-a000-0000000000ad' },
          select: { id: true },
        }),
    ],
    [
      'findUnique by several fields',
      (c) => c.comment!.findUnique!({ where: { postId_number: { number: 1, postId: 2n } } }),
    ],
    [
      'findUnique by a key with a name',
      (c) => c.post!.findUnique!({ where: { address: { authorId: 2, slug: 'p1' } } }),
    ],
    [
      'findUnique by a key with an enum',
      (c) => c.grant!.findUnique!({ where: { accountId_role: { accountId: 2, role: 'ADMIN' } } }),
    ],
    ['findUniqueOrThrow', (c) => c.account!.findUniqueOrThrow!({ where: { id: 3 } })],
    ['findFirst', (c) => c.account!.findFirst!({ where: { id: 3 } })],
    [
      'findFirst with operators',
      (c) => c.account!.findFirst!({ where: { id: { equals: 3 } }, take: 1, skip: 0 }),
    ],
    [
      'findFirst of several rows in order',
      (c) => c.account!.findFirst!({ where: { id: { in: [2, 4, 3] } }, orderBy: { id: 'desc' }, skip: 1 }),
    ],
    ['findFirst past the last row', (c) => c.account!.findFirst!({ where: { id: 2 }, skip: 1 })],
    ['findFirstOrThrow', (c) => c.account!.findFirstOrThrow!({ where: { id: 3 }, select: { email: true } })],
    ['findMany of one row', (c) => c.account!.findMany!({ where: { id: 3 } })],
    ['findMany of no row', (c) => c.account!.findMany!({ where: { id: 300 } })],
    ['findMany of no id', (c) => c.account!.findMany!({ where: { id: { in: [] } } })],
    [
      'findMany in order',
      (c) => c.account!.findMany!({ where: { id: { in: [5, 2, 300, 5, 3] } }, orderBy: { id: 'asc' } }),
    ],
    [
      'findMany in descending order',
      (c) => c.post!.findMany!({ where: { id: { in: [5, 2, 5, 3] } }, orderBy: [{ id: 'desc' }] }),
    ],
    [
      'findMany of a page',
      (c) =>
        c.account!.findMany!({
          where: { id: { in: [5, 2, 4, 3] } },
          orderBy: { id: 'asc' },
          skip: 1,
          take: 2,
        }),
    ],
    [
      'findMany with a take that leaves none out',
      (c) => c.account!.findMany!({ where: { id: { in: [5] } }, take: 1 }),
    ],
    [
      'findMany in the order of UUIDs',
      (c) => c.ticket!.findMany!({ where: { id: { in: tickets.toReversed() } }, orderBy: { id: 'desc' } }),
    ],
    [
      'findMany with OR',
      (c) =>
        c.account!.findMany!({ where: { OR: [{ id: 2 }, { id: { in: [4, 2] } }] }, orderBy: { id: 'asc' } }),
    ],
    [
      'findMany by several fields',
      (c) => c.comment!.findMany!({ where: { postId: 2, number: { equals: 1 } } }),
    ],
    [
      'findMany by several keys',
      (c) =>
        c.comment!.findMany!({
          where: {
            OR: [
              { postId: 3, number: 2 },
              { postId: 2, number: 1 },
              { postId: 3, number: 1 },
            ],
          },
          orderBy: [{ number: 'desc' }, { postId: 'asc' }],
        }),
    ],
    [
      'select in any order',
      (c) =>
        c.account!.findUnique!({
          where: { id: 3 },
          select: { updatedAt: true, id: true, avatar: true, born: false },
        }),
    ],
    [
      'omit',
      (c) => c.account!.findUnique!({ where: { id: 3 }, omit: { email: true, id: false, updatedAt: false } }),
    ],
    ['omit of nothing', (c) => c.account!.findUnique!({ where: { id: 3 }, omit: {} })],
    [
      'undefined arguments',
      (c) =>
        c.account!.findUnique!({ where: { id: 3 }, select: undefined, include: undefined, omit: undefined }),
    ],
    ['a further condition', (c) => c.account!.findUnique!({ where: { id: 3, name: 'name 0' } })],
    [
      'a further condition that the row does not fulfil',
      (c) => c.account!.findUnique!({ where: { id: 3, name: 'none' } }),
    ],
    ['AND', (c) => c.account!.findMany!({ where: { AND: [{ id: 3 }] } })],
    ['cursor', (c) => c.account!.findMany!({ where: { id: 3 }, cursor: { id: 3 } })],
    ['count', (c) => c.account!.count!({ where: { id: { in: [3, 300] } } })],
    [
      'the order of part of a key',
      (c) =>
        c.comment!.findMany!({
          where: {
            OR: [
              { postId: 3, number: 2 },
              { postId: 3, number: 1 },
            ],
          },
          orderBy: { number: 'desc' },
        }),
    ],
    ['undefined beside the id', (c) => c.account!.findUnique!({ where: { id: 3, name: undefined } })],
  ])('%s', (_, query) => expectAnswered(query))

  it('returns rows without orderBy in the order of the ids', async () => {
    const rows = await fixture.prisma.account.findMany({ where: { id: { in: [5, 2, 300, 5, 3] } } })
    expect(rows.map(({ id }) => id)).toEqual([5, 2, 3])
  })

  it('loads the rows of a list in one query', async () => {
    const { prisma, statements } = fixture
    statements()
    await prisma.badge.findMany({ where: { id: { in: [1, 2, 3] } } })
    expect(statements()).toHaveLength(1)
    await fixture.cacheOf('Badge').drain()
    await prisma.badge.findMany({ where: { id: { in: [3, 2, 1] } } })
    expect(statements()).toEqual([])
  })
})

it('each has decimals of its own', async () => {
  const { account } = fixture.prisma
  const one = await account.findUniqueOrThrow({ where: { id: 3 } })
  const other = await account.findUniqueOrThrow({ where: { id: 3 } })
  const listed = await account.findMany({ where: { id: { in: [3] } } })
  const decimals = new Set([one, other, ...listed].map(({ balance }) => balance))
  expect(decimals.size).toBe(3)
  Object.assign(other.balance, { s: -1, e: 12, d: [1] })
  await expectAnswered((c) => c.account!.findUnique!({ where: { id: 3 } }))
})

/** More than a statement of PostgreSQL has parameters. */
const manyIds = Array.from({ length: 40_000 }, (_, id) => id)

describe('queries that go to the database', () => {
  it.each<[string, string, Query]>([
    [
      'too_many_ids',
      'findMany of too many ids, which Prisma refuses',
      (c) => c.account!.findMany!({ where: { id: { in: manyIds } }, orderBy: { id: 'asc' } }),
    ],
    [
      'too_many_ids',
      'findMany of too many ids, for which Prisma sends several statements',
      (c) => c.account!.findMany!({ where: { id: { in: manyIds } }, select: { id: true } }),
    ],
    [
      'not_found',
      'findUniqueOrThrow of no row',
      (c) => c.account!.findUniqueOrThrow!({ where: { id: 300 } }),
    ],
    [
      'not_found',
      'findFirstOrThrow of no row',
      (c) => c.account!.findFirstOrThrow!({ where: { id: { in: [300] } } }),
    ],
    ['condition', 'another unique field', (c) => c.account!.findUnique!({ where: { email: 'a3@x.org' } })],
    ['condition', 'an undefined id', (c) => c.account!.findUnique!({ where: { id: undefined } })],
    [
      'condition',
      'an undefined id in findMany',
      (c) => c.label!.findMany!({ where: { name: undefined }, orderBy: { name: 'asc' } }),
    ],
    [
      'condition',
      'a further condition that only the database decides',
      (c) => c.account!.findUnique!({ where: { id: 3, name: { contains: '0' } } }),
    ],
    ['operation', 'aggregate', (c) => c.account!.aggregate!({ where: { id: 3 }, _count: true })],
    ['condition', 'an operator', (c) => c.account!.findMany!({ where: { id: { gt: 5 } } })],
    ['condition', 'no where', (c) => c.label!.findFirst!({ orderBy: { name: 'asc' } })],
    ['condition', 'no arguments', (c) => c.label!.findMany!()],
    [
      'condition',
      'part of a key',
      (c) => c.comment!.findMany!({ where: { postId: 3 }, orderBy: { number: 'asc' } }),
    ],
    [
      'condition',
      'a key by another name',
      (c) => c.post!.findUnique!({ where: { authorId_slug: { authorId: 2, slug: 'p1' } } }),
    ],
    ['condition', 'OR within OR', (c) => c.account!.findMany!({ where: { OR: [{ OR: [{ id: 3 }] }] } })],
    ['id_value', 'equals in findUnique', (c) => c.account!.findUnique!({ where: { id: { equals: 3 } } })],
    [
      'id_value',
      'equals in the key of findUnique',
      (c) => c.comment!.findUnique!({ where: { postId_number: { postId: { equals: 2n }, number: 1 } } }),
    ],
    ['id_value', 'null', (c) => c.account!.findMany!({ where: { id: null } })],
    ['id_value', 'null in a list', (c) => c.account!.findMany!({ where: { id: { in: [3, null] } } })],
    [
      'id_value',
      'undefined in a list',
      (c) => c.account!.findMany!({ where: { id: { in: [3, undefined] } } }),
    ],
    ['id_value', 'a list that is none', (c) => c.account!.findMany!({ where: { id: { in: 3 } } })],
    ['id_value', 'text for a number', (c) => c.account!.findUnique!({ where: { id: '3' } })],
    ['id_value', 'a fraction', (c) => c.account!.findUnique!({ where: { id: 3.5 } })],
    ['id_value', 'a number beyond 32 bits', (c) => c.account!.findUnique!({ where: { id: 2 ** 31 } })],
    ['id_value', 'a bigint beyond 64 bits', (c) => c.post!.findUnique!({ where: { id: 2n ** 63n } })],
    [
      'id_value',
      'a UUID in capitals',
      (c) => c.ticket!.findUnique!({ where: { id: tickets[2]!.toUpperCase() } }),
    ],
    ['id_value', 'no UUID', (c) => c.ticket!.findUnique!({ where: { id: 'seven' } })],
    [
      'id_value',
      'no value of the enum',
      (c) => c.grant!.findUnique!({ where: { accountId_role: { accountId: 2, role: 'admin' } } }),
    ],
    [
      'id_value',
      'a field',
      (c) =>
        c.account!.findMany!({
          where: { id: (c.account as never as { fields: { managerId: unknown } }).fields.managerId },
          orderBy: { id: 'asc' },
        }),
    ],
    ['relations', 'include', (c) => c.account!.findUnique!({ where: { id: 3 }, include: { profile: true } })],
    [
      'relations',
      'a relation in select',
      (c) => c.account!.findUnique!({ where: { id: 3 }, select: { id: true, teams: true } }),
    ],
    ['relations', '_count', (c) => c.account!.findUnique!({ where: { id: 3 }, select: { _count: true } })],
    [
      'relations',
      'a relation with arguments',
      (c) => c.account!.findUnique!({ where: { id: 3 }, select: { teams: { take: 1 } } }),
    ],
    [
      'relations',
      'an unknown field',
      (c) => c.account!.findUnique!({ where: { id: 3 }, select: { id: true, nothing: true } }),
    ],
    [
      'relations',
      'a relation that is not omitted',
      (c) => c.account!.findUnique!({ where: { id: 3 }, omit: { profile: false } }),
    ],
    [
      'fields',
      'a field that the cache lacks',
      (c) => c.account!.findUnique!({ where: { token: '5eed0000-0000-4000-a000-0000000000ad' } }),
    ],
    ['fields', 'no field', (c) => c.account!.findUnique!({ where: { id: 3 }, select: { id: false } })],
    [
      'argument',
      'select and omit',
      (c) => c.account!.findUnique!({ where: { id: 3 }, select: { id: true }, omit: { name: true } }),
    ],
    ['argument', 'null for select', (c) => c.account!.findUnique!({ where: { id: 3 }, select: null })],
    ['argument', 'an unknown argument', (c) => c.account!.findUnique!({ where: { id: 3 }, nothing: 1 })],
    [
      'argument',
      'orderBy in findUnique',
      (c) => c.account!.findUnique!({ where: { id: 3 }, orderBy: { id: 'asc' } }),
    ],
    [
      'order',
      'the order of text',
      (c) => c.label!.findMany!({ where: { name: { in: ['l1', 'l3'] } }, orderBy: { name: 'desc' } }),
    ],
    [
      'order',
      'the order of another field',
      (c) => c.account!.findMany!({ where: { id: { in: [2, 3] } }, orderBy: { email: 'desc' } }),
    ],
    [
      'order',
      'an order that Prisma refuses',
      (c) => c.account!.findMany!({ where: { id: 3 }, orderBy: { id: 'up' } }),
    ],
    [
      'order',
      'the first of rows in any order',
      (c) => c.account!.findFirst!({ where: { id: { in: [3, 300] } } }),
    ],
    [
      'paging',
      'a page of rows in any order',
      (c) => c.account!.findMany!({ where: { id: { in: [3, 300] } }, take: 1 }),
    ],
    ['paging', 'a negative take', (c) => c.account!.findMany!({ where: { id: 3 }, take: -1 })],
    ['paging', 'a negative skip', (c) => c.account!.findMany!({ where: { id: 3 }, skip: -1 })],
    ['paging', 'distinct', (c) => c.account!.findMany!({ where: { id: 3 }, distinct: ['name'] })],
    ['paging', 'a take that findFirst refuses', (c) => c.account!.findFirst!({ where: { id: 3 }, take: 2 })],
    [
      'relations',
      'a fluent call to rows that no cache has',
      (c) =>
        (c.account!.findUnique!({ where: { id: 3 } }) as never as { profile(): Promise<unknown> }).profile(),
    ],
  ])('%s: %s', (reason, _, query) => expectBypassed(reason, query))
})
