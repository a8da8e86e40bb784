import 'reflect-metadata'
import type { INestApplicationContext } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  extendPrisma,
  getModelCacheToken,
  ModelCacheModule,
  ModelCacheWrites,
  provideExtendedPrisma,
} from 'model-cache'
import { PrismaStandby, type ReadThroughCache, ValkeyStore } from 'model-cache/advanced'
import { followPostgres } from '@model-cache/follow'
import { eventuallyEqual } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import type { PrismaClient } from '../differential/client/client.ts'
import { defineModelCache } from '../lookups/lookup-pods.js'
import { type Region, useRegions } from './regions.js'

const openRegion = useRegions()

const posts = defineModelCache('Post', {
  ttl: '1h',
  notFoundTtl: '1h',
  unique: { slug: ['authorId', 'slug'] },
  lists: { ofAuthor: { by: 'authorId', orderBy: { id: 'asc' } } },
})

type Posts = ReadThroughCache<Readonly<Record<string, unknown>>, bigint, never> & {
  getBy(lookup: 'slug', key: object): Promise<Readonly<Record<string, unknown>> | null>
  list(lookup: 'ofAuthor', key: number): Promise<readonly Readonly<Record<string, unknown>>[]>
}

const opened: Pick<INestApplicationContext, 'close'>[] = []
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close()
})

/** A process of the region, perhaps without caches: it reads from the standby, and writes to the primary. */
async function openModule(
  region: Region,
  definitions: readonly (typeof posts)[],
  isFollower = false,
  { prisma: reader = 'STANDBY', primary = 'PRIMARY', replica = true } = {},
) {
  const Client = (await region.dialect.client()) as unknown as new (options: object) => PrismaClient
  const statements = { primary: [] as string[], standby: [] as string[] }
  const connect = (url: string, into: string[]) => {
    const client = new Client({
      adapter: new PrismaPg({ connectionString: url, max: 4 }),
      log: [{ emit: 'event', level: 'query' }],
    })
    client.$on('query' as never, (({ query }: { query: string }) => void into.push(query)) as never)
    return client
  }
  const module = await Test.createTestingModule({
    imports: [
      {
        module: class Clients {},
        global: true,
        providers: [
          provideExtendedPrisma('PRIMARY', () => connect(region.databaseUrl, statements.primary)),
          provideExtendedPrisma('STANDBY', () => connect(region.standbyUrl, statements.standby), [], {
            replica,
          }),
        ],
        exports: ['PRIMARY', 'STANDBY'],
      },
      ModelCacheModule.forRoot({
        prisma: reader,
        primary,
        namespace: region.namespace,
        valkey: { url: region.valkey.url, deadlineMs: patientMs },
        registry: false,
        ...(isFollower && {
          follow: followPostgres({ url: region.standbyUrl, primary: { url: region.databaseUrl } }),
        }),
      }),
      ModelCacheModule.forFeature(definitions),
    ],
  }).compile()
  module.useLogger(false)
  opened.push(module)
  await module.init()
  return { module, prisma: module.get<PrismaClient>('PRIMARY'), statements }
}

/** One that reads posts. */
async function openProcess(region: Region, isFollower = false, clients = {}) {
  const { module, prisma, statements } = await openModule(region, [posts], isFollower, clients)
  const cache = module.get<Posts>(getModelCacheToken(posts))
  /** Reads all that the tests compare, as a session would. */
  const read = async () => {
    const [row, bySlug, ofOne, ofTwo] = await Promise.all([
      cache.get(1n),
      cache.getBy('slug', { authorId: 1, slug: 'own' }),
      cache.list('ofAuthor', 1),
      cache.list('ofAuthor', 2),
    ])
    const idsOf = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ id }) => id)
    return { title: row?.title, slug: bySlug?.id, ofOne: idsOf(ofOne), ofTwo: idsOf(ofTwo) }
  }
  const close = async (): Promise<void> => {
    opened.splice(opened.indexOf(module), 1)
    await module.close()
  }
  return { cache, prisma, read, statements, writes: module.get(ModelCacheWrites), close }
}

/** What the primary has. */
async function truth({ sql }: Region) {
  const { rows } = await sql.query<{ id: string; authorId: number; slug: string; title: string }>(
    'SELECT id, "authorId", slug, title FROM "Post" ORDER BY id',
  )
  const of = (author: number) =>
    rows.filter(({ authorId }) => authorId === author).map(({ id }) => BigInt(id))
  const own = rows.find(({ authorId, slug }) => authorId === 1 && slug === 'own')
  return {
    title: rows.find(({ id }) => id === '1')?.title,
    slug: own && BigInt(own.id),
    ofOne: of(1),
    ofTwo: of(2),
  }
}

it('reads its own writes while the standby lacks them, in every process, and stores nothing meanwhile', async () => {
  const region = await openRegion()
  await region.sql.query(`UPDATE "Post" SET "authorId" = 1, slug = 'first' WHERE id = 1`)
  await region.untilReplayed()
  const one = await openProcess(region)
  const other = await openProcess(region)
  await one.read()
  await other.read()
  expect(one.statements.primary.filter((sql) => /FROM "public"."Post"/.test(sql))).toEqual([])
  await region.wire.refuse()
  try {
    const { post } = one.prisma
    const steps: (() => Promise<unknown>)[] = [
      () => post.update({ where: { id: 1n }, data: { title: 'own' } }),
      // It leaves a list and joins another one.
      () => post.update({ where: { id: 1n }, data: { authorId: 2 } }),
      () => post.update({ where: { id: 1n }, data: { authorId: 1, slug: 'own' } }),
      () => post.create({ data: { id: 900n, authorId: 2, slug: 'made', title: 'made' } }),
      () => post.updateMany({ where: { authorId: 2 }, data: { title: 'many' } }),
      () => post.delete({ where: { id: 900n } }),
      () =>
        one.prisma.$transaction(async (tx) => {
          await tx.post.update({ where: { id: 1n }, data: { title: 'in a transaction' } })
        }),
    ]
    for (const step of steps) {
      await step()
      const expected = await truth(region)
      for (const { read } of [one, other]) {
        expect(await read()).toEqual(expected)
        // Again, from what may have been stored.
        expect(await read()).toEqual(expected)
      }
    }
    // Nobody knows its id before it is read.
    await one.prisma.account.update({
      where: { id: 3 },
      data: { posts: { create: { slug: 'numbered', title: 'numbered' } } },
    })
    const { rows } = await region.sql.query<{ id: string }>(`SELECT id FROM "Post" WHERE slug = 'numbered'`)
    expect((await other.cache.get(BigInt(rows[0]!.id)))?.title).toBe('numbered')
    expect((await other.cache.explain(1n)).stored.isHit).toBe(false)
  } finally {
    await region.wire.accept()
  }
})

it('reads from the standby again, and stores rows, once that has the write', async () => {
  const region = await openRegion()
  const { cache, prisma, read, statements, writes } = await openProcess(region)
  await read()
  await region.wire.refuse()
  await prisma.post.update({ where: { id: 1n }, data: { title: 'own' } })
  await region.wire.accept()
  await writes.released()
  statements.primary.length = 0
  expect(await read()).toEqual(await truth(region))
  await cache.drain()
  expect((await cache.explain(1n)).stored.isHit).toBe(true)
  expect(statements.primary).toEqual([])
})

it('reads its own writes beside others that the follower hears of, while the log is late', async () => {
  const region = await openRegion()
  const { prisma, read } = await openProcess(region, true)
  await read()
  region.wire.delayMs = 300
  for (let n = 0; n < 10; n++) {
    await prisma.post.update({ where: { id: 1n }, data: { title: `own ${n}` } })
    await region.sql.query(`UPDATE "Post" SET title = 'of another region ${n}' WHERE id = 2`)
    expect((await read()).title).toBe(`own ${n}`)
  }
  region.wire.delayMs = 0
  await region.untilReplayed()
  await eventuallyEqual(read, await truth(region))
})

it('leaves rows to the primary for as long as a fence stands if the standby stays behind', async () => {
  const region = await openRegion()
  const one = await openProcess(region)
  await region.wire.refuse()
  await one.prisma.post.update({ where: { id: 1n }, data: { title: 'own' } })
  // It does not wait for the standby any longer.
  await one.close()
  try {
    expect((await (await openProcess(region)).read()).title).toBe('own')
  } finally {
    await region.wire.accept()
  }
})

/** A process of the region without Nest, which only writes. */
async function openScript(region: Region) {
  const Client = (await region.dialect.client()) as unknown as new (options: object) => PrismaClient
  const connect = (connectionString: string) =>
    new Client({ adapter: new PrismaPg({ connectionString, max: 2 }) })
  const store = new ValkeyStore({ url: region.valkey.url, deadlineMs: patientMs })
  const writes = new ModelCacheWrites({ store, namespace: region.namespace })
  const prisma = extendPrisma(connect(region.databaseUrl), writes)
  const standby = connect(region.standbyUrl)
  writes.holdFor(new PrismaStandby(prisma, standby))
  await store.connect()
  const close = async (): Promise<void> => {
    await writes.close()
    await store.close()
    await Promise.all([prisma.$disconnect(), standby.$disconnect()])
  }
  opened.push({ close })
  return { prisma }
}

it.each([
  ['a process without caches of its own', (region: Region) => openModule(region, [])],
  ['a script without Nest', openScript],
])('reads what %s has written', async (_, openWriter) => {
  const region = await openRegion()
  const { read } = await openProcess(region)
  const { prisma } = await openWriter(region)
  await read()
  await region.wire.refuse()
  try {
    await prisma.post.update({ where: { id: 1n }, data: { title: 'by a writer' } })
    expect((await read()).title).toBe('by a writer')
  } finally {
    await region.wire.accept()
  }
})

it.each([
  ['STANDBY', 'PRIMARY', { replica: false }],
  ['PRIMARY', 'STANDBY', { replica: true }],
  ['STANDBY', 'NOBODY', { replica: true }],
])('refuses %s with the primary %s, of which %p', async (prisma, primary, { replica }) => {
  const region = await openRegion()
  await expect(openProcess(region, false, { prisma, primary, replica })).rejects.toThrow(
    /option "primary" is .*expected the client that writes to the primary/,
  )
})
