/** Arguments that are not literals: objects of classes, as `@Body()` of Nest gives them, and whatever else Prisma reads like one. */
import { runInNewContext } from 'node:vm'
import { Decimal, skip } from '@prisma/client/runtime/client'
import { show } from '../differential/show.ts'
import { openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

let fixture: ReadsFixture

beforeAll(async () => {
  fixture = await openReadsFixture({
    caches: [
      { model: 'Account', id: 'id', unique: { email: 'email' } },
      { model: 'Profile', id: 'accountId' },
      { model: 'Badge', id: 'id', lists: { ofProfile: { by: 'profileId' } } },
      {
        model: 'Post',
        id: 'id',
        unique: { address: ['authorId', 'slug'] },
        lists: { ofAuthor: { by: 'authorId' }, titled: { by: 'title' } },
      },
      { model: 'Comment', id: ['postId', 'number'], lists: { ofPost: { by: 'postId' } } },
      { model: 'Label', id: 'name', lists: { under: { by: 'parentName' } } },
    ],
  })
})
beforeEach(() => fixture.refill())
afterAll(() => fixture.close())

type Fields = Record<string, unknown>
type Client = Record<string, Record<string, (args?: unknown) => Promise<unknown>>>

class Dto {
  constructor(fields: object) {
    Object.assign(this, fields)
  }
  /** No property to Prisma. */
  get summary(): string {
    return 'a DTO'
  }
  validate(): void {}
}

/** Ways to write an object that all mean the same to Prisma. */
const forms: Record<string, (fields: object) => unknown> = {
  'an object of a class': (fields) => new Dto(fields),
  'an object without a prototype': (fields) => Object.assign(Object.create(null), fields),
  'inherited properties': (fields) => Object.create(fields),
  getters: (fields) =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, { get: () => value, enumerable: true }]),
      ),
    ),
  'getters with another answer the next time': (fields) => fickle(fields as Fields),
  'a proxy': (fields) => new Proxy(new Dto(fields), {}),
  'an object of another realm': (fields) => Object.assign(runInNewContext('({})'), fields),
  'Prisma.skip and undefined beside it': (fields) => ({
    ...fields,
    nothing: skip,
    editorId: skip,
    at: undefined,
  }),
  'an object with toJSON': (fields) => ({ toJSON: () => fields }),
  'an object whose toJSON gives one of a class': (fields) => ({ toJSON: () => new Dto(fields) }),
}

/** The values that Prisma gets when it reads them first; later ones name rows that nobody has written. */
function fickle(fields: Fields): object {
  const read = new Set<string>()
  const later: Fields = { id: 99, number: 99, slug: 'later', title: 'later', email: 'later', name: 'l9' }
  const names = Object.keys(fields)
  const get = (name: string): unknown => {
    if (!read.has(name)) return (read.add(name), fields[name])
    return later[name] ?? undefined
  }
  return Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { get: () => get(name), enumerable: true }])),
  )
}

type As = (fields: object) => unknown
type Write = (client: Client, as: As) => Promise<unknown>

const writes: Record<string, Write> = {
  'a changed id': (c, as) => c.post!.update!(new Dto({ where: as({ id: 1 }), data: as({ id: 50 }) })),
  'a changed id, of a row found by another key': (c, as) =>
    c.post!.update!({ where: { address: as({ authorId: 2, slug: 'p1' }) }, data: as({ id: 50 }) }),
  'a changed unique key': (c, as) =>
    c.account!.update!({ where: { id: 1 }, data: as({ email: 'new@x.org' }) }),
  'a row that changes lists': (c, as) =>
    c.post!.update!({ where: as({ id: 1 }), data: as({ title: 'title 2' }) }),
  'a row that is connected to another one': (c, as) =>
    c.post!.update!({ where: { id: 1 }, data: as({ author: as({ connect: as({ id: 5 }) }) }) }),
  'rows that change with the key of another one': (c, as) =>
    c.account!.update!({ where: { id: 1 }, data: as({ id: 77 }) }),
  'rows that are deleted with another one': (c, as) => c.post!.delete!(new Dto({ where: as({ id: 3 }) })),
  'a nested create': (c, as) =>
    c.account!.update!({
      where: { id: 2 },
      data: as({ posts: as({ create: as({ id: 60, slug: 'new', title: 'title 1' }) }) }),
    }),
  'nested creates in a create': (c, as) =>
    c.post!.create!({
      data: as({
        id: 61,
        slug: 'p',
        comments: as({ createMany: as({ data: [as({ number: 1, body: 'b' })] }) }),
      }),
    }),
  'a nested update': (c, as) =>
    c.account!.update!({
      where: { id: 2 },
      data: as({ posts: as({ update: [as({ where: as({ id: 1 }), data: as({ title: 'title 2' }) })] }) }),
    }),
  'a nested update of any row': (c, as) =>
    c.account!.update!({
      where: { id: 2 },
      data: as({ posts: as({ updateMany: as({ where: as({}), data: as({ title: 'title 9' }) }) }) }),
    }),
  'a nested update of a single row': (c, as) =>
    c.profile!.update!({
      where: { accountId: 1 },
      data: as({ account: as({ update: as({ email: 'single@x.org' }) }) }),
    }),
  'a nested delete': (c, as) =>
    c.profile!.update!({ where: { accountId: 3 }, data: as({ badges: as({ deleteMany: as({}) }) }) }),
  'a nested connect': (c, as) =>
    c.account!.update!({ where: { id: 5 }, data: as({ posts: as({ connect: as({ id: 1 }) }) }) }),
  'a nested upsert': (c, as) =>
    c.label!.update!({
      where: { name: 'l1' },
      data: as({
        children: as({
          upsert: as({ where: as({ name: 'l8' }), create: as({ name: 'l8' }), update: as({}) }),
        }),
      }),
    }),
  createMany: (c, as) =>
    c.post!.createMany!(new Dto({ data: [as({ id: 62, slug: 'm', authorId: 2 }), { id: 63, slug: 'n' }] })),
  'createMany of one row': (c, as) =>
    c.post!.createMany!({ data: as({ slug: 'q', authorId: 2, title: 'title 2' }) }),
  'an upsert that creates': (c, as) =>
    c.label!.upsert!(
      new Dto({ where: as({ name: 'l9' }), create: as({ name: 'l9', parentName: 'l1' }), update: as({}) }),
    ),
  'an upsert that updates': (c, as) =>
    c.label!.upsert!(
      new Dto({ where: as({ name: 'l3' }), create: as({ name: 'l3' }), update: as({ parentName: 'l2' }) }),
    ),
  updateMany: (c, as) =>
    c.post!.updateMany!(
      new Dto({ where: as({ authorId: as({ in: [2, 3] }) }), data: as({ title: 'title 9' }) }),
    ),
  deleteMany: (c, as) =>
    c.post!.deleteMany!(new Dto({ where: as({ OR: [as({ id: 1 }), as({ author: as({ id: 3 }) })] }) })),
}

/** The rows and lists that the writes change, as a client answers them. */
async function contentsOf(client: Client): Promise<string[]> {
  const ids = [1, 2, 3, 4, 5, 50, 60, 61, 62, 63, 77, 99]
  const authors = [1, 2, 3, 5, 77]
  const slugs = ['p0', 'p1', 'p2', 'new', 'later', 'p', 'q']
  const emails = ['new@x.org', 'single@x.org', 'later', 'a1@x.org', 'a2@x.org']
  const names = [1, 2, 3, 8, 9].map((n) => `l${n}`)
  const times = { seenAt: true, updatedAt: true, createdAt: true }
  const one = { email: true, id: true }
  const byId = { orderBy: { id: 'asc' } }
  const address = authors.flatMap((authorId) => slugs.map((slug) => ({ authorId, slug })))
  const queries = [
    client.account!.findMany!({ where: { id: { in: ids } }, omit: times, ...byId }),
    client.profile!.findMany!({ where: { accountId: { in: ids } }, orderBy: { accountId: 'asc' } }),
    client.post!.findMany!({ where: { id: { in: ids } }, ...byId }),
    ...emails.map((email) => client.account!.findUnique!({ where: { email }, select: one })),
    ...address.map((address) => client.post!.findUnique!({ where: { address }, select: { id: true } })),
    ...authors.map((authorId) => client.post!.findMany!({ where: { authorId }, ...byId })),
    ...[1, 2, 9].map((n) => client.post!.findMany!({ where: { title: `title ${n}` }, ...byId })),
    client.badge!.findMany!({ where: { profileId: 3 }, ...byId }),
    ...[1, 3, 50, 61].map((postId) =>
      client.comment!.findMany!({ where: { postId }, orderBy: [{ postId: 'asc' }, { number: 'asc' }] }),
    ),
    ...names.map((name) => client.label!.findUnique!({ where: { name } })),
    ...names.map((parentName) =>
      client.label!.findMany!({ where: { parentName }, orderBy: { name: 'asc' } }),
    ),
  ]
  return (await Promise.all(queries)).map((answer) => show(answer))
}

async function expectNoneStale(write: (client: Client) => Promise<unknown>): Promise<void> {
  const { plain, prisma } = fixture
  const [truth, cached] = [plain, prisma] as unknown as [Client, Client]
  const before = await contentsOf(cached)
  await write(cached)
  const after = await contentsOf(truth)
  expect(after).not.toEqual(before)
  expect(await contentsOf(cached)).toEqual(after)
}

describe('no cache is stale after', () => {
  it.each(Object.entries(writes))('%s, with objects of a class', async (_, write) => {
    await expectNoneStale((client) => write(client, forms['an object of a class']!))
  })

  const some = [
    'a changed id',
    'a row that changes lists',
    'a nested create',
    'a nested update',
    'createMany',
  ]
  const others = Object.entries(forms).slice(1)
  it.each(others.flatMap(([form, as]) => some.map((name) => [name, form, as] as const)))(
    '%s, with %s',
    async (name, _, as) => {
      await expectNoneStale((client) => writes[name]!(client, as))
    },
  )
})

describe('a write', () => {
  const rest = async (): Promise<number> => fixture.plain.badge.count()

  it.each<[string, unknown]>([
    ['a number', 2],
    ['a number with a fraction', 2.5],
    ['a decimal', new Decimal(2)],
    ['toJSON', { toJSON: () => 2 }],
  ])('deletes as many rows as its limit allows: %s', async (_, limit) => {
    const before = await rest()
    const where = new Dto({ profileId: new Dto({ gt: 0 }) })
    const { badge } = fixture.prisma as unknown as Client
    expect(await badge!.deleteMany!({ where, limit })).toEqual({ count: 2 })
    expect(await rest()).toBe(before - 2)
  })

  it('of null is refused, as by Prisma', async () => {
    const before = await rest()
    for (const { badge } of [fixture.plain, fixture.prisma] as unknown as Client[])
      await expect(badge!.deleteMany!(null)).rejects.toThrow(TypeError)
    expect(await rest()).toBe(before)
  })

  it('of arguments that cannot be read fails with the error of the getter', async () => {
    const data = {
      get title(): string {
        throw new Error('not now')
      },
    }
    const update = fixture.prisma.post.update({ where: { id: 1 }, data })
    await expect(update).rejects.toThrow('not now')
  })

  it('in a batch may have objects of classes', async () => {
    const { plain, prisma } = fixture
    const { post } = prisma as unknown as Client
    const lists = (client: typeof plain): Promise<unknown> =>
      Promise.all(
        [1, 2].map((n) => client.post.findMany({ where: { title: `title ${n}` }, orderBy: { id: 'asc' } })),
      )
    await lists(prisma)
    await prisma.$transaction([
      post!.update!(new Dto({ where: new Dto({ id: 1 }), data: new Dto({ title: 'title 2' }) })),
      post!.createMany!(new Dto({ data: [new Dto({ slug: 'batch', title: 'title 1' })] })),
    ] as never)
    expect(await lists(prisma)).toEqual(await lists(plain))
  })
})

describe('a read', () => {
  const queries: Record<string, (client: Client, as: As) => Promise<unknown>> = {
    'by id': (c, as) => c.post!.findUnique!({ where: as({ id: 1 }) }),
    'by id with toJSON': (c, as) => c.post!.findFirst!({ where: as({ id: { toJSON: () => 1 } }) }),
    'by a unique key': (c, as) =>
      c.post!.findUnique!({ where: as({ address: as({ authorId: 2, slug: 'p1' }) }) }),
    'of several ids': (c, as) =>
      c.post!.findMany!({ where: as({ id: as({ in: [1, 2, 3] }) }), orderBy: as({ id: 'desc' }), take: 2 }),
    'of a list': (c, as) =>
      c.post!.findMany!({ where: as({ authorId: as({ equals: 2 }) }), orderBy: [as({ id: 'asc' })] }),
  }
  const readable = Object.entries(forms).filter(([form]) => !form.includes('toJSON'))

  it.each(Object.entries(queries))('%s is answered as by Prisma, with whatever object', async (_, query) => {
    const [truth, cached] = [fixture.plain, fixture.prisma] as unknown as [Client, Client]
    fixture.outcomes()
    for (const [form, as] of readable) {
      expect([form, show(await query(cached, as))]).toEqual([form, show(await query(truth, as))])
    }
    expect([...new Set(fixture.outcomes())]).toEqual(['answered'])
  })

  it('may select fields with an object of a class, of which only its own count', async () => {
    const [truth, cached] = [fixture.plain, fixture.prisma] as unknown as [Client, Client]
    class Args {
      where = { id: 1 }
      get select(): object {
        return new Dto({ id: true, title: true })
      }
    }
    class OfBase extends Dto {}
    Object.assign(OfBase.prototype, { title: true })
    fixture.outcomes()
    for (const args of [
      new Args(),
      { where: { id: 1 }, omit: new Dto({ title: true }) },
      { where: { id: 1 }, select: new OfBase({ id: true }) },
    ])
      expect(show(await cached.post!.findUnique!(args))).toBe(show(await truth.post!.findUnique!(args)))
    expect(fixture.outcomes()).toEqual(['answered', 'answered', 'answered'])
  })

  it.each(['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow'])(
    'of a row that does not exist has read its arguments once when the database answers it: %s',
    async (action) => {
      const { post } = fixture.prisma as unknown as Client
      fixture.outcomes()
      const ids = [99]
      const where = Object.defineProperty({}, 'id', { get: () => ids.pop() ?? 1, enumerable: true })
      const answer = post![action]!({ where })
      if (action.endsWith('OrThrow')) await expect(answer).rejects.toMatchObject({ code: 'P2025' })
      else expect(await answer).toBeNull()
      expect(fixture.outcomes()).toEqual([action.endsWith('OrThrow') ? 'not_found' : 'answered'])
    },
  )

  it('goes to the database where only Prisma knows what it reads', async () => {
    const [truth, cached] = [fixture.plain, fixture.prisma] as unknown as [Client, Client]
    fixture.outcomes()
    for (const where of [
      { __prismaRawParameters__: true, values: { id: 1 } },
      { toJSON: () => new Dto({ id: 1 }) },
    ])
      expect(show(await cached.post!.findFirst!({ where }))).toBe(
        show(await truth.post!.findFirst!({ where })),
      )
    expect(fixture.outcomes()).toEqual(['argument', 'argument'])
  })
})
