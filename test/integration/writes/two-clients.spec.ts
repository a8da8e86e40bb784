import { type } from 'arktype'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, createPrismaSource, MemoryStore } from 'model-cache/advanced'
import type { PrismaClient } from '#prisma/client/client.js'
import { openWritesFixture, type WritesFixture } from './writes-fixture.js'

const { defineModelCache } = modelCaches()

interface Guest {
  id: string
  name: string
}

const model = defineModelCache<Guest>()({
  model: 'GuestUser',
  schema: type({ id: 'string', name: 'string' }),
  id: 'id',
  ttl: '1h',
})

let fixtures: readonly WritesFixture[]
beforeAll(async () => {
  fixtures = await Promise.all([openWritesFixture(), openWritesFixture()])
})
afterAll(async () => {
  for (const fixture of fixtures) await fixture.close()
})

/** A tenant: a database and a client of its own, and a cache that shares `writes` with others. */
async function openTenant(fixture: WritesFixture, id: string, name: string, writes: ModelCacheWrites) {
  await fixture.plain.guestUser.create({ data: { id, name, email: '' } })
  const prisma = extendPrisma(fixture.openClient(), writes)
  const source = createPrismaSource<Guest, string>(prisma, {
    name: 'GuestUser',
    model: 'GuestUser',
    idFields: ['id'],
    select: { id: true, name: true },
  })
  return { prisma, cache: createModelCache(model, { store: new MemoryStore(), source, writes }) }
}

describe('two clients of two databases', () => {
  it('never read rows of each other, whichever transaction the read runs in', async () => {
    const one = await openTenant(fixtures[0]!, 'shared-id', 'of one', new ModelCacheWrites())
    const two = await openTenant(fixtures[1]!, 'shared-id', 'of two', new ModelCacheWrites())
    await one.prisma.$transaction(async (tx) => {
      await tx.guestUser.update({ where: { id: 'shared-id' }, data: { name: 'new of one' } })
      expect(await one.cache.get('shared-id')).toEqual({ id: 'shared-id', name: 'new of one' })
      expect(await two.cache.get('shared-id')).toEqual({ id: 'shared-id', name: 'of two' })
    })
    expect(await one.cache.getMany(['shared-id'])).toEqual([{ id: 'shared-id', name: 'new of one' }])
    expect(await two.cache.getMany(['shared-id'])).toEqual([{ id: 'shared-id', name: 'of two' }])
  })

  it('read what a transaction has written, through any extension of their client', async () => {
    const writes = new ModelCacheWrites()
    const { cache, prisma } = await openTenant(fixtures[0]!, 'extended', 'old', writes)
    const extended = prisma.$extends({}) as unknown as PrismaClient
    await extended.$transaction(async (tx) => {
      await tx.guestUser.update({ where: { id: 'extended' }, data: { name: 'new' } })
      expect(await cache.get('extended')).toEqual({ id: 'extended', name: 'new' })
    })
  })
})

describe('a read that was not awaited', () => {
  it('is answered even if its transaction has ended meanwhile', async () => {
    const { cache, prisma } = await openTenant(fixtures[0]!, 'outlives', 'old', new ModelCacheWrites())
    const ended = Promise.withResolvers<void>()
    const reads: Promise<unknown>[] = []
    await prisma.$transaction(async (tx) => {
      await tx.guestUser.update({ where: { id: 'outlives' }, data: { name: 'new' } })
      reads.push(cache.get('outlives'))
      reads.push(ended.promise.then(() => cache.get('outlives')))
    })
    ended.resolve()
    for (const row of await Promise.all(reads)) expect(row).toMatchObject({ id: 'outlives' })
  })
})
