import type { PrismaClient } from '@prisma/client'
import { pagination } from 'prisma-extension-pagination'
import { defineModelCache, prismaToken, startStack, useStackDatabase } from './stack.js'

const database = useStackDatabase()

const players = defineModelCache('Player', {
  ttl: '1h',
  lists: {
    ofTeam: { by: 'teamId', orderBy: { rank: 'asc' } },
    first: { by: 'teamId', orderBy: { rank: 'asc' }, limit: 3 },
  },
})

const extend = (client: PrismaClient) => client.$extends(pagination({ pages: { limit: 2 } }))
type Paginated = ReturnType<typeof extend>

describe.each(['before', 'after'] as const)('prisma-extension-pagination, %s extendPrisma', (order) => {
  it('returns the pages of a client without caches, most of which lists answer', async () => {
    const { app, outcomes } = await startStack(
      () => (order === 'before' ? extend(database.openClient()) : database.openClient()),
      { definitions: [players], extended: { reads: 'all' } },
    )
    const client = app.get<PrismaClient>(prismaToken)
    const prisma = (order === 'before' ? client : extend(client)) as Paginated
    const plain = extend(database.openClient())
    const query = { where: { teamId: 1 }, orderBy: [{ rank: 'asc' as const }, { id: 'asc' as const }] }
    const pages: Readonly<Record<string, (of: Paginated) => Promise<unknown>>> = {
      'the first page': (of) => of.player.paginate(query).withPages(),
      'the first page again': (of) => of.player.paginate(query).withPages(),
      'the second page': (of) => of.player.paginate(query).withPages({ page: 2 }),
      'all rows': (of) => of.player.paginate(query).withPages({ limit: null }),
      'a page with counts': (of) => of.player.paginate(query).withPages({ includePageCount: true }),
      'rows by id': (of) =>
        of.player.paginate({ where: { id: { in: [3, 1, 2] } }, orderBy: { id: 'asc' } }).withPages(),
      'from a cursor': (of) => of.player.paginate(query).withCursor({ limit: 2 }),
      'after a cursor': (of) => of.player.paginate(query).withCursor({ limit: 1, after: '1' }),
      'before a cursor': (of) => of.player.paginate(query).withCursor({ limit: 1, before: '3' }),
    }
    const compare = async (): Promise<void> => {
      for (const [name, page] of Object.entries(pages))
        expect({ name, page: await page(prisma) }).toEqual({ name, page: await page(plain) })
    }
    await compare()
    expect(await outcomes()).toEqual({ answered: 10, paging: 2 })
    await prisma.player.update({ where: { id: 2 }, data: { name: 'new', rank: 0 } })
    await compare()
    await prisma.player.delete({ where: { id: 1 } })
    await prisma.player.create({ data: { email: 'new@x.org', name: 'another', teamId: 1 } })
    await compare()
    await app.close()
  })
})
