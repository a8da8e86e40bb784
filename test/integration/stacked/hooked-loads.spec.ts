/** Caches whose rows are loaded through query hooks of the client of forRoot. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { readReplicas } from '@prisma/extension-read-replicas'
import type { PrismaClient } from '@prisma/client'
import type { CacheOf } from 'model-cache'
import { defineModelCache, startStack, useStackDatabase } from './stack.js'

const database = useStackDatabase()

const players = defineModelCache('Player', {
  ttl: '1h',
  unique: { email: 'email' },
  lists: { ofTeam: { by: 'teamId', orderBy: { rank: 'asc' } } },
})

interface Query {
  readonly args: { readonly where?: object }
  readonly query: (args: object) => Promise<unknown[]>
}

/** Runs with the cache of a client that has one hook. */
async function withHook(
  hook: (query: Query, prisma: PrismaClient) => unknown,
  use: (cache: CacheOf<typeof players>) => Promise<void>,
): Promise<void> {
  const hooked = (): object => {
    const client = database.openClient()
    const findMany = (query: Query): unknown => hook(query, client)
    return client.$extends({ query: { player: { findMany } } } as never)
  }
  const { app, cache } = await startStack(hooked, { definitions: [players] })
  try {
    await use(cache(players))
  } finally {
    await app.close()
  }
}

const adding =
  (condition: object) =>
  ({ args, query }: Query) =>
    query({ ...args, where: { AND: [args.where, condition] } })
const refused = (what: string) => ({
  code: 'E_LOAD_HOOKS',
  message: expect.stringContaining(`a query extension of the client ${what}, so`),
})

it('take hooks that change nothing, such as one that measures time', async () => {
  const seen: unknown[] = []
  const measure = async ({ args, query }: Query): Promise<unknown> => {
    const rows = await query({ ...args })
    seen.push(rows.length)
    return rows
  }
  await withHook(measure, async (cache) => {
    expect((await cache.getMany([2, 99])).map((row) => row?.name)).toEqual(['player 2', undefined])
    expect((await cache.getBy('email', 'p3@x.org'))?.id).toBe(3)
    expect((await cache.list('ofTeam', 3)).map(({ id }) => id)).toEqual([7, 8])
  })
  expect(seen).toEqual([1, 1, 2])
})

it('take a condition on fields of the rows, if they are read by id', async () => {
  await withHook(adding({ NOT: { rank: { gt: 5 } }, OR: [{ deleted: false }] }), async (cache) => {
    expect((await cache.getMany([5, 6])).map((row) => row?.id)).toEqual([5, undefined])
    expect((await cache.getMany([4, 7])).map((row) => row?.id)).toEqual([4, undefined])
    await expect(cache.getBy('email', 'p1@x.org')).rejects.toMatchObject(
      refused('filters its unique keys and lists by NOT, OR'),
    )
  })
})

it.each<[string, (query: Query, prisma: PrismaClient) => unknown]>([
  ['adds a condition about rows of other models to its loads', adding({ team: { deleted: false } })],
  [
    'replaces the condition of its loads',
    ({ args, query }) => query({ ...args, where: { OR: [args.where, { rank: 1 }] } }),
  ],
  ['sets take for its loads', ({ args, query }) => query({ take: 1, ...args })],
  ['does not send its loads to the database', async () => []],
  [
    'puts its loads into a transaction',
    // As extensions do for row-level security.
    async ({ args, query }, prisma) =>
      (
        await prisma.$transaction([
          prisma.$executeRaw`SELECT set_config('app.tenant', '1', true)`,
          query(args) as never,
        ])
      )[1],
  ],
])('reject reads if the extension %s', async (what, hook) => {
  await withHook(hook, async (cache) => {
    await expect(cache.get(1)).rejects.toMatchObject(refused(what))
    await expect(cache.list('ofTeam', 1)).rejects.toMatchObject({ code: 'E_LOAD_HOOKS' })
  })
})

it('reject reads by unique keys and lists if nobody sees what a replica was asked for', async () => {
  const replica = database.openClient()
  const measured = (): object =>
    database
      .openClient()
      .$extends({ query: { player: { findMany: ({ args, query }) => query(args) } } })
      .$extends(readReplicas({ replicas: [replica] }))
  const { app, cache } = await startStack(measured, { definitions: [players] })
  expect((await cache(players).get(1))?.name).toBe('player 1')
  await expect(cache(players).list('ofTeam', 1)).rejects.toMatchObject(
    refused('does not send its loads to the database'),
  )
  await app.close()
})

it('reject reads by unique keys and lists if a hook leaves out rows of their results', async () => {
  const filter = async ({ args, query }: Query): Promise<unknown> =>
    (await query(args)).filter((row) => (row as { id: number }).id !== 2)
  await withHook(filter, async (cache) => {
    expect(await cache.get(2)).toBeNull()
    await expect(cache.list('ofTeam', 1)).rejects.toMatchObject(refused('filters its unique keys and lists'))
  })
})

it('never load for one tenant what another one asks for', async () => {
  const tenant = new AsyncLocalStorage<number>()
  const ofTenant = ({ args, query }: Query) =>
    query({ ...args, where: { ...args.where, teamId: tenant.getStore() } })
  await withHook(ofTenant, async (cache) => {
    // The library cannot know that the row would exist for another tenant.
    expect(await tenant.run(1, () => cache.get(4))).toBeNull()
    await expect(tenant.run(2, () => cache.get(5))).rejects.toMatchObject(
      refused('does not add the same condition to each of its loads'),
    )
  })
})
