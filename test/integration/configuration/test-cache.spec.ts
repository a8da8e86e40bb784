import { PrismaPg } from '@prisma/adapter-pg'
import { modelCaches } from 'model-cache'
import { schemaFactsOf } from 'model-cache/advanced'
import { createTestCache } from 'model-cache/testing'
import { type Prisma, PrismaClient } from '#prisma/client/client.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const guestCache = defineModelCache('GuestUser', { ttl: '1m' })
const guest = { id: 'g1', name: 'Ada', email: 'ada@example.org', createdAt: new Date(0) }

describe('createTestCache with a derived definition', () => {
  it('takes its rows from a client that never connects', async () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: 'postgresql://unused' }) })
    const { cache, loads } = createTestCache(guestCache, [guest], { facts: schemaFactsOf(prisma) })
    expect(await cache.get('g1')).toStrictEqual(guest)
    await cache.get('g1')
    expect(loads).toEqual([['g1']])
  })

  it('says what is missing without `facts`', () => {
    expect(() => createTestCache(guestCache, [guest])).toThrow('there is no Prisma client to derive it from')
  })
})
