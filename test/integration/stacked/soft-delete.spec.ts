import type { PrismaClient } from '@prisma/client'
import { softDelete } from './soft-delete-extension.js'
import {
  defineModelCache,
  goals,
  players,
  prismaToken,
  refill,
  type Stack,
  type StackOptions,
  startStack,
  teams,
  useStackDatabase,
} from './stack.js'

const database = useStackDatabase()

type Order = 'before' | 'after'

/** An application whose client was extended before or after `extendPrisma`. */
async function startSoft(order: Order, options?: StackOptions): Promise<Stack & { prisma: PrismaClient }> {
  const extend = (client: PrismaClient): object => client.$extends(softDelete)
  const stack = await startStack(
    () => (order === 'before' ? extend(database.openClient()) : database.openClient()),
    options,
  )
  const client = stack.app.get<PrismaClient>(prismaToken)
  return { ...stack, prisma: (order === 'before' ? client : extend(client)) as PrismaClient }
}

const byRank = [{ rank: 'asc' }, { id: 'asc' }] as const
const ofTeam = { by: 'teamId', orderBy: { rank: 'asc' } } as const
const present = defineModelCache('Player', {
  ttl: '1h',
  lists: { ofTeam: { ...ofTeam, where: { deleted: false } } },
})

/** Writes of every kind, of which the extension makes others, and what they should leave of the players' names. */
const writes: Readonly<Record<string, (prisma: PrismaClient) => Promise<unknown>>> = {
  delete: (prisma) => prisma.player.delete({ where: { id: 1 } }),
  'delete by a unique key': (prisma) => prisma.player.delete({ where: { email: 'p2@x.org' } }),
  deleteMany: (prisma) => prisma.player.deleteMany({ where: { teamId: 2 } }),
  'deleteMany of all': (prisma) => prisma.player.deleteMany(),
  'updateMany, which leaves out deleted rows': async (prisma) => {
    await prisma.player.delete({ where: { id: 1 } })
    await prisma.player.updateMany({ data: { rank: { increment: 1 } } })
  },
  'update of a deleted row': async (prisma) => {
    await prisma.player.delete({ where: { id: 1 } })
    await prisma.player.update({ where: { id: 1 }, data: { name: 'gone' } })
  },
  'restoring a row': async (prisma) => {
    await prisma.player.delete({ where: { id: 1 } })
    await prisma.player.update({ where: { id: 1 }, data: { deleted: false } })
  },
  'upsert of a deleted row': async (prisma) => {
    await prisma.player.delete({ where: { id: 1 } })
    const create = { email: 'p1@x.org', name: 'other' }
    await prisma.player.upsert({
      where: { email: 'p1@x.org' },
      create,
      update: { name: 'back', deleted: false },
    })
  },
  'nested delete': (prisma) =>
    prisma.team.update({ where: { id: 1 }, data: { players: { delete: { id: 2 } } } }),
  'nested deleteMany': (prisma) =>
    prisma.team.update({ where: { id: 1 }, data: { players: { deleteMany: { rank: { gt: 1 } } } } }),
  'delete of a parent': (prisma) => prisma.team.delete({ where: { id: 1 } }),
  'a model that is not deleted softly': (prisma) => prisma.goal.delete({ where: { id: 1 } }),
  'a transaction': (prisma) =>
    prisma.$transaction(async (tx) => {
      await tx.player.delete({ where: { id: 3 } })
      await tx.player.updateMany({ where: { teamId: 2 }, data: { name: 'renamed' } })
    }),
  'a batch': (prisma) =>
    prisma.$transaction([
      prisma.player.delete({ where: { id: 1 } }),
      prisma.player.deleteMany({ where: { teamId: 3 } }),
    ]),
}

describe.each(['before', 'after'] as const)('prisma-extension-soft-delete, %s extendPrisma', (order) => {
  it('invalidates what it writes, whatever it was asked for', async () => {
    const { app, cache, logger, prisma } = await startSoft(order)
    expect(logger.warned).toEqual([])
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    const stored = async (): Promise<unknown> => [
      await cache(players).getMany(ids),
      await cache(teams).getMany(ids),
      await cache(goals).getMany(ids),
    ]
    // A client that has the extension shows deleted rows to nobody, nor does a cache that loads through it.
    const isShown = order === 'before' ? 'NOT deleted' : 'true'
    const existing = async (table: string, condition: string): Promise<unknown> => {
      const { rows } = await database.sql.query<{ id: number }>(`SELECT * FROM "${table}" WHERE ${condition}`)
      return ids.map((id) => rows.find((row) => row.id === id) ?? null)
    }
    for (const [name, write] of Object.entries(writes)) {
      await refill(database)
      for (const definition of [players, teams, goals]) await cache(definition).invalidateAll()
      await stored()
      await write(prisma)
      const expected = [
        await existing('Player', isShown),
        await existing('Team', isShown),
        await existing('Goal', 'true'),
      ]
      expect({ name, stored: await stored() }).toEqual({ name, stored: expected })
    }
    await app.close()
  })

  it('keeps lists whose `where` names its condition right, when rows are deleted and restored', async () => {
    const { app, cache, prisma } = await startSoft(order, { definitions: [present] })
    const list = async () => (await cache(present).list('ofTeam', 1)).map(({ id }) => id)
    expect(await list()).toEqual([1, 2, 3])
    await prisma.player.delete({ where: { id: 2 } })
    expect(await list()).toEqual([1, 3])
    await prisma.player.update({ where: { id: 2 }, data: { deleted: false } })
    expect(await list()).toEqual([1, 2, 3])
    await app.close()
  })
})

describe('prisma-extension-soft-delete, before extendPrisma', () => {
  it.each([
    ['a list that does not name its condition', { lists: { ofTeam } }],
    ['a unique key', { unique: { email: 'email' } }],
  ] as const)('rejects reads of %s, which restored rows would be missing from', async (_, lookups) => {
    const definition = defineModelCache('Player', { ttl: '1h', ...lookups } as never)
    const { app, cache } = await startSoft('before', { definitions: [definition] })
    const reads = cache(definition) as unknown as {
      list(name: string, key: number): Promise<unknown>
      getBy(name: string, key: string): Promise<unknown>
    }
    const read = 'lists' in lookups ? reads.list('ofTeam', 1) : reads.getBy('email', 'p1@x.org')
    await expect(read).rejects.toMatchObject({
      code: 'E_LOAD_HOOKS',
      message:
        'ModelCache "Player": a query extension of the client filters its unique keys and lists by deleted, so rows of the cache would be ' +
        'missing or outdated without a write that invalidates them. Give forRoot the client without this extension, and extend it ' +
        'afterwards. A list may name the condition in its `where` instead.',
    })
    await app.close()
  })

  it('stops the start if caches are to answer queries of its models', async () => {
    await expect(startSoft('before', { extended: { reads: 'all' } })).rejects.toMatchObject({
      code: 'E_READ_HOOKS',
    })
  })
})

/** Reads of every kind, most of which caches answer. */
const reads: Readonly<Record<string, (prisma: PrismaClient) => Promise<unknown>>> = {
  findUnique: ({ player }) => player.findUnique({ where: { id: 1 } }),
  'findUnique by a unique key': ({ player }) => player.findUnique({ where: { email: 'p1@x.org' } }),
  'findUnique with a selection': ({ player }) =>
    player.findUnique({ where: { id: 1 }, select: { name: true } }),
  'findFirst by id': ({ player }) => player.findFirst({ where: { id: 1 } }),
  'findMany by ids': ({ player }) =>
    player.findMany({ where: { id: { in: [1, 2, 3] } }, orderBy: { id: 'asc' } }),
  'deleted rows, which the query asks for': ({ player }) =>
    player.findMany({ where: { id: { in: [1, 2] }, deleted: true }, orderBy: { id: 'asc' } }),
  'a list': ({ player }) => player.findMany({ where: { teamId: 1 }, orderBy: [...byRank] }),
  'a page of a list': ({ player }) =>
    player.findMany({ where: { teamId: 1 }, orderBy: [...byRank], skip: 1, take: 1 }),
  count: ({ player }) => player.count({ where: { teamId: 1 } }),
  'a row with the row that it belongs to': ({ player }) =>
    player.findFirst({ where: { id: 2 }, include: { team: true } }),
  'a row with a selection of the row that it belongs to': ({ goal }) =>
    goal.findMany({
      where: { id: { in: [1, 2] } },
      orderBy: { id: 'asc' },
      select: { player: { select: { name: true } } },
    }),
  'rows with a list of rows': ({ team }) =>
    team.findMany({
      where: { id: { in: [1, 2] } },
      orderBy: { id: 'asc' },
      include: { players: { orderBy: [...byRank] } },
    }),
  'three levels': ({ goal }) =>
    goal.findUnique({ where: { id: 2 }, include: { player: { include: { team: true } } } }),
  'a fluent call': ({ goal }) => goal.findUnique({ where: { id: 1 } }).player(),
}

describe('prisma-extension-soft-delete, after extendPrisma', () => {
  it('returns what a client without caches returns, rows with relations too', async () => {
    const lists = {
      ofTeam: { ...ofTeam, where: { deleted: false } },
      allOfTeam: ofTeam,
    } as const
    const definitions = [
      defineModelCache('Player', { ttl: '1h', unique: { email: 'email' }, lists }),
      teams,
      goals,
    ]
    const { app, outcomes, prisma } = await startSoft('after', { definitions, extended: { reads: 'all' } })
    const plain = database.openClient().$extends(softDelete) as unknown as PrismaClient
    const compare = async (): Promise<void> => {
      for (const [name, read] of Object.entries(reads)) {
        const result = await read(plain)
        expect({ name, result: await read(prisma) }).toEqual({ name, result })
        // Again, as the extension changes the results that it gets.
        expect({ name, result: await read(prisma) }).toEqual({ name, result })
      }
    }
    await compare()
    await prisma.player.delete({ where: { id: 1 } })
    await compare()
    await prisma.team.delete({ where: { id: 1 } })
    await compare()
    await prisma.player.updateMany({ where: { deleted: true }, data: { deleted: false } })
    await prisma.team.update({ where: { id: 1 }, data: { deleted: false } })
    await compare()
    const { answered = 0 } = await outcomes()
    expect(answered).toBeGreaterThan(20)
    await app.close()
  })

  it('never has a cache answer a query with a deleted row', async () => {
    const { app, cache, outcomes, prisma } = await startSoft('after', {
      definitions: [present, teams],
      extended: { reads: 'all' },
    })
    const list = (client: PrismaClient) =>
      client.player.findMany({ where: { teamId: 1 }, orderBy: [...byRank] })
    const ids = async () => (await list(prisma)).map(({ id }) => id)
    expect(await ids()).toEqual([1, 2, 3])
    expect(await ids()).toEqual([1, 2, 3])
    // The list has the condition that the extension adds.
    expect(await outcomes()).toEqual({ answered: 2 })
    await prisma.player.delete({ where: { id: 1 } })
    expect(await ids()).toEqual([2, 3])
    const where = { id: 1 }
    expect(await prisma.player.findUnique({ where: { email: 'p1@x.org' } })).toBeNull()
    expect(await prisma.player.findFirst({ where })).toBeNull()
    expect(await prisma.player.findMany({ where: { id: { in: [1, 2] } } })).toHaveLength(1)
    await expect(prisma.player.findUniqueOrThrow({ where })).rejects.toMatchObject({ code: 'P2025' })
    expect(await prisma.player.findUnique({ where })).toBeNull()
    // Without the extension, it is a row like others.
    expect((await cache(present).get(1))?.deleted).toBe(true)
    await app.close()
  })

  it('gives rows of caches as they are, and does not change those of others', async () => {
    const { app, cache, outcomes, prisma } = await startSoft('after', {
      definitions: [goals],
      extended: { reads: 'all' },
    })
    const plain = database.openClient()
    const query = { where: { id: { in: [3, 1] } }, orderBy: { id: 'asc' as const } }
    for (let i = 0; i < 2; i++)
      expect(await prisma.goal.findMany(query)).toEqual(await plain.goal.findMany(query))
    expect(await outcomes()).toEqual({ answered: 2 })
    expect(Reflect.ownKeys((await cache(goals).get(1))!)).toEqual(['id', 'minute', 'playerId'])
    await app.close()
  })
})
