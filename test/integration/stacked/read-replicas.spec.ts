import { readReplicas } from '@prisma/extension-read-replicas'
import type { PrismaClient } from '@prisma/client'
import { provideExtendedPrisma, type Reads } from 'model-cache'
import { defineModelCache, prismaToken, type Stack, startStack, useStackDatabase } from './stack.js'

const replicaToken = Symbol('replica')
type Client = PrismaClient & { $primary(): PrismaClient; $replica(): PrismaClient; $uncached: Client }

const players = defineModelCache('Player', {
  ttl: '1h',
  lists: { ofTeam: { by: 'teamId', orderBy: { rank: 'asc' } } },
})

const primary = useStackDatabase()
/** Has what the primary had when it was filled, until it catches up. */
const replica = useStackDatabase()

async function catchUp(): Promise<void> {
  const { rows } = await primary.sql.query('SELECT id, name, "teamId" FROM "Player" ORDER BY id')
  await replica.sql.query('DELETE FROM "Player" WHERE NOT id = ANY ($1)', [rows.map(({ id }) => id)])
  for (const { id, name, teamId } of rows)
    await replica.sql.query('UPDATE "Player" SET name = $2, "teamId" = $3 WHERE id = $1', [id, name, teamId])
}

interface Options {
  readonly order?: 'before' | 'after'
  readonly primaryReads?: Reads
  readonly replicaReads?: Reads
  /** Load rows from the replica. */
  readonly loadsFromReplica?: boolean
  readonly replicaLagMs?: number
}

/** An application whose client sends reads to a replica, and was extended with that before or after `extendPrisma`. */
async function startReplicated(
  options: Options = {},
): Promise<Stack & { prisma: Client; statements(): string[] }> {
  const {
    order = 'before',
    primaryReads = 'all',
    replicaReads = 'all',
    loadsFromReplica,
    replicaLagMs,
  } = options
  const ofReplica = replica.openClient({ log: [{ emit: 'event', level: 'query' }] })
  const statements: string[] = []
  ofReplica.$on('query' as never, (({ query }: { query: string }) => statements.push(query)) as never)
  const extend = (client: PrismaClient): object => client.$extends(readReplicas({ replicas: [ofReplica] }))
  const stack = await startStack(
    () => (order === 'before' ? extend(primary.openClient()) : primary.openClient()),
    {
      definitions: [players],
      extended: { reads: primaryReads },
      providers: [
        provideExtendedPrisma(replicaToken, () => ofReplica, [], { replica: true, reads: replicaReads }),
      ],
      root: {
        ...(loadsFromReplica && { prisma: replicaToken }),
        ...(replicaLagMs !== undefined && { consistency: { replicaLagMs } }),
      },
    },
  )
  const client = stack.app.get<PrismaClient>(prismaToken)
  const prisma = (order === 'before' ? client : extend(client)) as Client
  return { ...stack, prisma, statements: () => statements.splice(0) }
}

const nameOf = async (prisma: Pick<Client, 'player'>, id = 1): Promise<string | undefined> =>
  (await prisma.player.findUnique({ where: { id } }))?.name

describe.each(['before', 'after'] as const)('@prisma/extension-read-replicas, %s extendPrisma', (order) => {
  it('has caches answer the queries that it sends to a replica, and load from the primary', async () => {
    const { app, cache, logger, outcomes, prisma, statements } = await startReplicated({ order })
    expect(logger.warned).toEqual([])
    expect(await nameOf(prisma)).toBe('player 1')
    await prisma.player.update({ where: { id: 1 }, data: { name: 'new' } })
    // The replica still has the old row.
    expect(await nameOf(prisma)).toBe('new')
    expect(await nameOf(prisma)).toBe('new')
    expect((await cache(players).get(1))?.name).toBe('new')
    await prisma.player.update({ where: { id: 2 }, data: { teamId: 2 } })
    const query = { where: { teamId: 2 }, orderBy: [{ rank: 'asc' }, { id: 'asc' }] } as never
    expect((await prisma.player.findMany(query)).map(({ id }) => id)).toEqual([2, 4, 5, 6])
    expect(await nameOf(prisma.$primary())).toBe('new')
    expect(await outcomes()).toEqual({ answered: 5 })
    expect(statements()).toEqual([])
    await app.close()
  })

  it('goes on sending all other reads to the replica', async () => {
    const { app, outcomes, prisma, statements } = await startReplicated({ order })
    await prisma.player.update({ where: { id: 1 }, data: { name: 'new' } })
    expect((await prisma.player.findFirst({ where: { name: 'player 1' } }))?.id).toBe(1)
    expect(await prisma.player.count({ where: { name: 'new' } })).toBe(0)
    expect(await nameOf(prisma.$uncached)).toBe('player 1')
    expect(statements()).toHaveLength(3)
    expect(await outcomes()).toEqual({ condition: 2, uncached: 1 })
    await app.close()
  })

  it('reads what a transaction wrote in the transaction, and stores nothing of it', async () => {
    const { app, cache, prisma, statements } = await startReplicated({ order })
    await nameOf(prisma)
    const failure = new Error('rolled back')
    const work = prisma.$transaction(async (tx) => {
      await tx.player.update({ where: { id: 1 }, data: { name: 'uncommitted' } })
      expect(await nameOf(tx)).toBe('uncommitted')
      expect((await cache(players).get(1))?.name).toBe('uncommitted')
      throw failure
    })
    await expect(work).rejects.toBe(failure)
    expect(await nameOf(prisma)).toBe('player 1')
    expect(statements()).toEqual([])
    await app.close()
  })
})

describe('caches that load from a replica', () => {
  const start = (replicaLagMs: number) => startReplicated({ loadsFromReplica: true, replicaLagMs })

  it('store no row that the replica may have from before a write', async () => {
    const { app, cache, logger, outcomes, prisma, statements, writes } = await start(60_000)
    expect(logger.warned).toEqual([])
    await nameOf(prisma)
    await prisma.player.update({ where: { id: 1 }, data: { name: 'new' } })
    await writes.released()
    statements()
    expect(await nameOf(prisma)).toBe('player 1')
    expect((await cache(players).get(1))?.name).toBe('player 1')
    await catchUp()
    expect(await nameOf(prisma)).toBe('new')
    // Each of these reads was a query.
    expect(statements()).toHaveLength(3)
    expect(await outcomes()).toEqual({ answered: 3 })
    await app.close()
  })

  it('store such a row, and warn at the start, if nobody says how far the replica lags behind', async () => {
    const { app, logger, prisma, writes } = await start(0)
    expect(logger.warned).toEqual([expect.stringContaining('`consistency.replicaLagMs` is 0')])
    await prisma.player.update({ where: { id: 1 }, data: { name: 'new' } })
    await writes.released()
    expect(await nameOf(prisma)).toBe('player 1')
    await catchUp()
    expect(await nameOf(prisma)).toBe('player 1')
    await app.close()
  })

  it('see what a transaction of the primary wrote, and answer no query that goes to the primary', async () => {
    const { app, cache, outcomes, prisma } = await start(60_000)
    await prisma.$transaction(async (tx) => {
      await tx.player.update({ where: { id: 1 }, data: { name: 'new' } })
      expect((await cache(players).get(1))?.name).toBe('new')
    })
    expect(await nameOf(prisma.$primary())).toBe('new')
    expect(await outcomes()).toEqual({ not_registered: 1 })
    await app.close()
  })
})

it('refuses hooks of the primary beside it, if caches answer queries of the replica only', async () => {
  const hooked = (): object =>
    primary
      .openClient()
      .$extends({ query: { player: { findMany: ({ args, query }) => query(args) } } })
      .$extends(readReplicas({ replicas: [replica.openClient()] }))
  const start = startStack(hooked, {
    definitions: [players],
    providers: [
      provideExtendedPrisma(replicaToken, () => replica.openClient(), [], { replica: true, reads: 'all' }),
    ],
  })
  await expect(start).rejects.toMatchObject({ code: 'E_READ_HOOKS' })
})
