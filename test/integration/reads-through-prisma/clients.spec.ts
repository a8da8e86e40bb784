/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
/** Clients whose queries are answered: with extensions, in transactions, `$uncached`, and with a global omit. */
import { cached } from 'model-cache'
import { verifyExtension, verifyHooks, verifyReads } from 'model-cache/advanced'
import { PrismaClient } from '../differential/client/client.ts'
import { show } from '../differential/show.ts'
import { type Client, openReadsFixture, type ReadsFixture } from './reads-fixture.ts'

let fixture: ReadsFixture
let prisma: Client

beforeAll(async () => {
  fixture = await openReadsFixture({
    caches: [
      {
        model: 'Account',
        id: 'id',
        fields: ['id', 'name', 'email', 'active', 'born', 'data', 'tags', 'avatar', 'balance'],
      },
      { model: 'Label', id: 'name' },
      { model: 'Post', id: 'id', rows: 'shared' },
      { model: 'Ticket', id: 'id', rows: 'shared' },
    ],
    omit: { account: { token: true, seenAt: true }, label: { colour: true } },
  })
  ;({ prisma } = fixture)
})
beforeEach(() => {
  fixture.outcomes()
  fixture.statements()
})
afterAll(() => fixture.close())

const select = { id: true, name: true } as const

describe('result extensions', () => {
  const extend = (client: PrismaClient) =>
    client.$extends({
      result: {
        account: {
          greeting: { needs: { name: true, id: true }, compute: ({ id, name }) => `hello ${name} (${id})` },
          name: { needs: { name: true }, compute: ({ name }) => name.toUpperCase() },
          constant: { compute: () => 1 },
          secret: { needs: { token: true }, compute: ({ token }) => token.length },
        },
      },
    })

  it.each<[string, object, string]>([
    ['of a computed field', { greeting: true }, 'answered'],
    ['of a computed field beside what it needs', { name: true, greeting: true, email: true }, 'answered'],
    ['of a field that is computed from itself', { name: true }, 'answered'],
    ['of a field that needs none', { id: true, constant: true }, 'answered'],
    ['of nothing but a field that needs none', { constant: true }, 'fields'],
    ['of a field that needs another than the cache has', { secret: true }, 'fields'],
  ])('compute the fields of a select %s', async (_, selected, outcome) => {
    const query = async (client: PrismaClient): Promise<string> => {
      const args = { where: { id: 3 }, select: selected }
      const found = await extend(client)
        .account.findUnique(args as never)
        .catch(({ message }) => message as string)
      return show(found && typeof found === 'object' ? Object.entries(found) : found)
    }
    const expected = await query(fixture.plain)
    expect(await query(prisma)).toBe(expected)
    expect(fixture.outcomes()).toEqual([outcome])
  })
})

describe('query hooks', () => {
  it('see each query and each result of a client that is extended later', async () => {
    const seen: string[] = []
    const hooked = prisma.$extends({
      query: {
        account: {
          async findUnique({ args, query }) {
            seen.push(`query ${args.where.id}`)
            const found = await query(args)
            seen.push(`result ${found?.name}`)
            return found && { ...found, name: 'changed' }
          },
        },
      },
    })
    expect(await hooked.account.findUnique({ where: { id: 3 }, select })).toEqual({ id: 3, name: 'changed' })
    expect(await prisma.account.findUnique({ where: { id: 3 }, select })).toEqual({ id: 3, name: 'name 0' })
    expect(seen).toEqual(['query 3', 'result name 0'])
    expect(fixture.outcomes()).toEqual(['answered', 'answered'])
  })

  it('may add a condition, which the row fulfils or not', async () => {
    const softDelete = prisma.$extends({
      query: {
        $allModels: {
          findFirst: ({ args, query }) =>
            query({ ...args, where: { ...args.where, active: false } } as never),
        },
      },
    })
    expect(await softDelete.account.findFirst({ where: { id: 3 }, select })).toBeNull()
    await prisma.account.update({ where: { id: 3 }, data: { active: false } })
    expect(await softDelete.account.findFirst({ where: { id: 3 }, select })).toEqual({
      id: 3,
      name: 'name 0',
    })
    await prisma.account.update({ where: { id: 3 }, data: { active: true } })
    expect(fixture.outcomes()).toEqual(['answered', 'answered'])
  })

  it('send a query that they put into a transaction to the database', async () => {
    const inTransaction = prisma.$extends({
      query: {
        $allOperations: async ({ args, query }) =>
          (await prisma.$transaction([prisma.$executeRaw`SELECT 1`, query(args)]))[1],
      },
    })
    expect(await inTransaction.account.findUnique({ where: { id: 3 }, select })).toEqual({
      id: 3,
      name: 'name 0',
    })
    expect(fixture.outcomes()).toEqual(['transaction'])
  })

  it('that the extended client had before run too', async () => {
    const seen: unknown[] = []
    const early = await openReadsFixture({
      caches: [{ model: 'Label', id: 'name' }],
      reads: (caches) => ({ caches, hooks: 'skip' }),
      prepare: (client) =>
        client.$extends({
          query: {
            label: {
              $allOperations({ args, operation, query }) {
                seen.push(operation)
                return query(args)
              },
            },
          },
        }),
    })
    const label = await early.prisma.label.findUnique({ where: { name: 'l2' } })
    expect([label, seen, early.outcomes()]).toEqual([
      { name: 'l2', colour: 'red', parentName: null },
      ['findUnique'],
      ['answered'],
    ])
    // The load of the cache has not run it again.
    expect(verifyHooks(early.prisma)).toEqual([])
    await early.close()
  })

  it.each(['findMany', '$allOperations'])(
    '%s of the client that rows are loaded from stop the start',
    async (hook) => {
      const open = (reads: 'all' | 'shadow'): Promise<ReadsFixture> =>
        openReadsFixture({
          caches: [{ model: 'Label', id: 'name' }],
          reads,
          prepare: (client) =>
            client.$extends({
              query: {
                $allModels: { [hook]: ({ args, query }: never) => (query as (a: unknown) => unknown)(args) },
              },
            } as never),
        })
      const message = 'query extensions of the client see reads of Label, whose queries caches answer'
      const all = await open('all')
      expect(() => verifyHooks(all.prisma)).toThrow(message)
      await all.close()
      const shadow = await open('shadow')
      expect(verifyHooks(shadow.prisma)).toEqual([expect.stringContaining(message)])
      await shadow.close()
    },
  )
})

describe('transactions', () => {
  it('read from the database, in the callback and beside it', async () => {
    await prisma.account.findUnique({ where: { id: 4 }, select })
    fixture.outcomes()
    const names = await prisma.$transaction(async (tx) => {
      await tx.account.update({ where: { id: 4 }, data: { name: 'uncommitted' } })
      const within = await tx.account.findUnique({ where: { id: 4 }, select })
      const beside = await prisma.account.findUnique({ where: { id: 4 }, select })
      const uncached = await (tx as Client).$uncached.account.findUnique({ where: { id: 4 }, select })
      return [within?.name, beside?.name, uncached?.name]
    })
    expect(names).toEqual(['uncommitted', 'name 1', 'uncommitted'])
    expect(fixture.outcomes()).toEqual(['transaction', 'transaction', 'transaction'])
    expect(await prisma.account.findUnique({ where: { id: 4 }, select })).toEqual({
      id: 4,
      name: 'uncommitted',
    })
    expect(fixture.outcomes()).toEqual(['answered'])
  })

  it('are those of the parents of their clients, uncached and cached', async () => {
    const extended = prisma.$extends({ client: { hello: () => 1 } })
    const undone = extended.$transaction(async (tx) => {
      const { $parent } = tx.account as unknown as { $parent: Client }
      await $parent.$uncached.account.update({ where: { id: 5 }, data: { name: 'never' } })
      for (const client of [$parent.$uncached, cached($parent, { ttl: '1m' }), cached($parent, false)])
        expect((await client.account.findUnique({ where: { id: 5 }, select }))?.name).toBe('never')
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect((await prisma.account.findUnique({ where: { id: 5 }, select }))?.name).not.toBe('never')
  })
})

describe('$uncached', () => {
  it('reads from the database, also if it is extended', async () => {
    await prisma.account.findUnique({ where: { id: 3 }, select })
    fixture.outcomes()
    const clients = [
      prisma.$uncached,
      prisma.$uncached.$extends({}),
      (prisma.$extends({}) as unknown as Client).$uncached,
    ]
    for (const client of clients) {
      fixture.statements()
      expect(await client.account.findUnique({ where: { id: 3 }, select })).toEqual({ id: 3, name: 'name 0' })
      expect(fixture.statements()).toHaveLength(1)
    }
    expect(fixture.outcomes()).toEqual(['uncached', 'uncached', 'uncached'])
    expect(prisma.$uncached).toBe(prisma.$uncached)
    expect(Object.keys(prisma)).not.toContain('$uncached')
  })

  it('keeps the extensions of its client', async () => {
    const extended = prisma.$extends({
      result: { account: { twice: { needs: { id: true }, compute: ({ id }) => 2 * id } } },
    })
    const { $uncached } = extended as unknown as { $uncached: typeof extended }
    expect((await $uncached.account.findUnique({ where: { id: 3 }, select: { twice: true } }))?.twice).toBe(6)
  })

  it('has its writes captured', async () => {
    await prisma.account.findUnique({ where: { id: 6 }, select })
    await prisma.$uncached.account.update({ where: { id: 6 }, data: { name: 'by uncached' } })
    expect(await prisma.account.findUnique({ where: { id: 6 }, select })).toEqual({
      id: 6,
      name: 'by uncached',
    })
    expect(fixture.outcomes()).toEqual(['answered', 'answered'])
  })
})

describe('rows', () => {
  it('hold values that no other caller has', async () => {
    const query = () =>
      prisma.account.findUnique({
        where: { id: 3 },
        select: { data: true, tags: true, born: true, avatar: true },
      })
    const row = (await query())!
    const text = show(row)
    ;(row.data as { list: unknown[] }).list.push(1)
    row.tags.push('x')
    row.born!.setFullYear(1)
    row.avatar!.fill(7)
    expect(show(await query())).toBe(text)
    expect(fixture.outcomes()).toEqual(['answered', 'answered'])
  })

  it('lack what the client omits, unless the query asks for it', async () => {
    expect(await prisma.label.findUnique({ where: { name: 'l3' } })).toEqual({ name: 'l3', parentName: 'l1' })
    expect(await prisma.label.findUnique({ where: { name: 'l3' }, omit: { colour: false } })).toEqual({
      name: 'l3',
      colour: 'blue',
      parentName: 'l1',
    })
    expect(fixture.outcomes()).toEqual(['answered', 'answered'])
  })

  it('are the latest of this process', async () => {
    await prisma.label.findUnique({ where: { name: 'l4' } })
    await prisma.label.updateMany({ data: { colour: 'green' } })
    const query = { where: { name: 'l4' }, select: { colour: true } }
    expect(await prisma.label.findUnique(query)).toEqual({ colour: 'green' })
    await prisma.label.create({ data: { name: 'l99' } })
    expect(await prisma.label.findUnique({ where: { name: 'l99' } })).not.toBeNull()
    expect(fixture.outcomes()).toEqual(['answered', 'answered', 'answered'])
  })
})

describe('verifyReads', () => {
  it('finds no broken assumption in this Prisma', async () => {
    const extended = prisma.$extends({ client: { hello: () => 1 } })
    for (const client of [
      prisma,
      (prisma.$uncached as unknown as { $parent: object }).$parent,
      extended,
    ] as object[]) {
      expect([await verifyExtension(client), await verifyReads(client), verifyHooks(client)]).toEqual([
        [],
        [],
        [],
      ])
    }
    expect(await verifyReads(fixture.plain)).toEqual([])
  })

  it('lets the database answer all queries if Prisma behaves differently', async () => {
    const other = await openReadsFixture({ caches: [{ model: 'Label', id: 'name' }] })
    const lists = Object.getPrototypeOf((other.prisma as unknown as { _extensions: object })._extensions) as {
      getAllBatchQueryCallbacks?: unknown
    }
    const { getAllBatchQueryCallbacks } = lists
    const query = { where: { name: 'l2' }, select: { name: true } } as const
    try {
      delete lists.getAllBatchQueryCallbacks
      expect(await other.prisma.label.findUnique(query)).toEqual({ name: 'l2' })
      expect(await verifyReads(other.prisma)).toEqual([
        expect.stringMatching(
          /^Prisma passes queries on in another way than expected, so the database answers all of them/,
        ),
      ])
    } finally {
      lists.getAllBatchQueryCallbacks = getAllBatchQueryCallbacks
    }
    expect(await other.prisma.label.findUnique(query)).toEqual({ name: 'l2' })
    expect(other.outcomes()).toEqual(['unsupported_client', 'unsupported_client'])
    await other.close()
  })
})
