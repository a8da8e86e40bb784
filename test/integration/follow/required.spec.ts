import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import {
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  provideExtendedPrisma,
} from 'model-cache'
import { followElsewhere, followPostgres } from '@model-cache/follow'
import { PrismaPg } from '@prisma/adapter-pg'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { type Prisma, PrismaClient } from '../differential/client/client.ts'
import { createPostgresDatabase } from '../../support/postgres-server.js'
import { failureOf, ownOptions, start } from '../configuration/application.js'
import { connectTo, type FollowWorld, useFollowWorlds } from './follow-worlds.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const posts = defineModelCache('Post', {
  ttl: '1h',
  follow: 'required',
  l1: { ttl: '1h' },
  rows: 'shared',
  lists: { ofAuthor: { by: 'authorId' } },
})
const titleless = defineModelCache('Post', { name: 'Served', ttl: '1h', l1: { ttl: '1h' } })

const openWorld = useFollowWorlds()

/** An application whose caches are followed by another process, and a count of its queries. */
async function startApplication(world: FollowWorld, options: Partial<ModelCacheModuleOptions> = {}) {
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: world.databaseUrl }),
    log: [{ emit: 'event', level: 'query' }],
  })
  let queries = 0
  prisma.$on('query', () => void queries++)
  const { app, cache } = await start([
    ModelCacheModule.forRoot({
      ...ownOptions(),
      prisma,
      writes: 'manual',
      valkey: { url: world.valkey.url, deadlineMs: patientMs },
      namespace: world.namespace,
      follow: followElsewhere(),
      ...options,
    }),
    ModelCacheModule.forFeature([posts, titleless]),
  ])
  return {
    caches: { posts: cache(posts), served: cache(titleless) },
    queries: () => queries,
    close: async () => {
      await app.close()
      await prisma.$disconnect()
    },
  }
}

describe('a cache that requires a follower', () => {
  it('reads the database while nobody follows, and serves nothing from before or of the gap after it', async () => {
    const world = await openWorld()
    const { caches, close, queries } = await startApplication(world)
    const { posts: required, served } = caches
    const titles = async () => [(await required.get(1n))!.title, (await served.get(1n))!.title]
    const listed = async () => (await required.list('ofAuthor', 1)).length
    const isHit = async () => {
      await required.get(1n)
      const before = queries()
      await required.get(1n)
      return queries() === before
    }
    try {
      expect([await isHit(), (await required.explain(1n)).epoch]).toEqual([false, null])
      const first = await world.follow()
      await eventually(isHit)
      const [title] = await titles()
      const count = await listed()
      await first.stop()
      // It is noticed when no reports have come for a while.
      await eventually(async () => !(await isHit()))
      await world.sql.query(`UPDATE "Post" SET title = 'in the gap' WHERE id = 1`)
      await world.sql.query(`INSERT INTO "Post" (id, slug, "authorId") VALUES (9001, 'zz', 1)`)
      expect(await titles()).toEqual(['in the gap', title])
      expect(await listed()).toBe(count + 1)
      await world.follow()
      await eventually(isHit)
      expect(await titles()).toEqual(['in the gap', 'in the gap'])
      expect(await listed()).toBe(count + 1)
    } finally {
      await close()
    }
  })

  it('reads its database while the only follower is one of another database, which resigns and says why', async () => {
    const world = await openWorld()
    const other = await createPostgresDatabase(world.postgres.url)
    const sql = await connectTo({ databaseUrl: other.url })
    await sql.query('CREATE TABLE "Post" (id bigint PRIMARY KEY, slug text, title text, "authorId" int)')
    const { follower, stop, warnings } = await world.follow({ url: other.url })
    const { caches, close } = await startApplication(world)
    try {
      await eventually(() => warnings.some((warning) => warning.includes('leads to another database')))
      await eventually(() => follower.report?.state !== 'following')
      const { title } = (await caches.posts.get(1n))!
      await world.sql.query(`UPDATE "Post" SET title = 'not followed' WHERE id = 1`)
      expect([title, (await caches.posts.get(1n))!.title]).toEqual(['title 1', 'not followed'])
    } finally {
      await close()
      await stop()
      await sql.end()
      await other.drop()
    }
  })

  it('serves what is cached with `onGap: serve`', async () => {
    const world = await openWorld()
    const { caches, close, queries } = await startApplication(world, {
      follow: followElsewhere({ onGap: 'serve' }),
    })
    try {
      await caches.posts.get(1n)
      await eventually(async () => (await caches.posts.explain(1n)).stored.isHit)
      const before = queries()
      await caches.posts.get(1n)
      expect(queries()).toBe(before)
    } finally {
      await close()
    }
  })

  it('cannot start where nobody could follow', async () => {
    const world = await openWorld()
    const imports = [
      ModelCacheModule.forRoot({
        ...ownOptions(),
        prisma: new PrismaClient({ adapter: new PrismaPg({ connectionString: world.databaseUrl }) }),
      }),
      ModelCacheModule.forFeature([posts]),
    ]
    expect((await failureOf(imports)).message).toMatch(/follow of ModelCache "Post".*followPostgres/)
  })
})

describe('results of queries that require a follower', () => {
  it.each([
    ['by the cache of their model', '1h', [posts]],
    ['by themselves', { ttl: '1h', follow: 'required', l1: { ttl: '1h' } }, [titleless]],
  ] as const)('are those of the database while nobody follows: %s', async (_, results, definitions) => {
    const world = await openWorld()
    const client = Symbol('the client')
    let queries = 0
    const newClient = (): PrismaClient => {
      const log = [{ emit: 'event', level: 'query' }] as const
      const prisma = new PrismaClient({
        adapter: new PrismaPg({ connectionString: world.databaseUrl }),
        log: [...log],
      })
      prisma.$on('query', () => void queries++)
      return prisma
    }
    const reads = { results: { Post: results } }
    const { app } = await start([
      {
        module: class Database {},
        global: true,
        providers: [provideExtendedPrisma(client, newClient, [], { reads })],
        exports: [client],
      },
      ModelCacheModule.forRoot({
        ...ownOptions(),
        prisma: client,
        valkey: { url: world.valkey.url, deadlineMs: patientMs },
        namespace: world.namespace,
        follow: followElsewhere(),
      }),
      ModelCacheModule.forFeature([...definitions]),
    ])
    const prisma = app.get<PrismaClient>(client)
    const titles = () =>
      prisma.post.findMany({ where: { title: { contains: 'gap' } }, select: { title: true } })
    const isHit = async () => {
      await titles()
      const before = queries
      await titles()
      return queries === before
    }
    try {
      expect(await isHit()).toBe(false)
      const first = await world.follow()
      await eventually(isHit)
      await first.stop()
      await eventually(async () => !(await isHit()))
      await world.sql.query(`UPDATE "Post" SET title = 'in the gap' WHERE id = 1`)
      expect(await titles()).toEqual([{ title: 'in the gap' }])
      await world.follow()
      await eventually(isHit)
      expect(await titles()).toEqual([{ title: 'in the gap' }])
    } finally {
      await app.close()
      await prisma.$disconnect()
    }
  })

  it('keep an application from its start where nobody could follow', async () => {
    const world = await openWorld()
    const client = Symbol('the client')
    const newClient = () =>
      new PrismaClient({ adapter: new PrismaPg({ connectionString: world.databaseUrl }) })
    const reads = { results: { Post: { ttl: '1h', follow: 'required' } } } as const
    const imports = [
      {
        module: class Database {},
        global: true,
        providers: [provideExtendedPrisma(client, newClient, [], { reads })],
        exports: [client],
      },
      ModelCacheModule.forRoot({ ...ownOptions(), prisma: client }),
      ModelCacheModule.forFeature([titleless]),
    ]
    expect((await failureOf(imports)).message).toMatch(/reads\.results\.Post\.follow.*followPostgres/)
  })
})

describe('an application that follows by itself', () => {
  it('hears of a write by SQL, removes the row from its memory, and says by whom it heard', async () => {
    const world = await openWorld()
    const registry = new Registry()
    const { caches, close } = await startApplication(world, {
      follow: followPostgres({ url: world.databaseUrl }),
      registry,
    })
    try {
      const row = () => caches.posts.get(1n)
      const value = async (name: string) => (await registry.getSingleMetric(name)!.get()).values[0]?.value
      await eventuallyEqual(() => value('model_cache_follow_connected'), 1)
      await eventually(async () => (await row(), (await caches.posts.explain(1n)).l1!.isTrusted))
      await eventuallyEqual(async () => (await row(), (await caches.posts.explain(1n)).l1!.isHeld), true)
      await world.sql.query(`UPDATE "Post" SET title = 'by psql' WHERE id = 1`)
      await eventuallyEqual(async () => (await row())!.title, 'by psql')
      expect((await caches.posts.explain(1n)).lastWrite).toMatchObject({ by: 'log', rows: [1n] })
      expect([
        await value('model_cache_follow_lag_seconds'),
        await value('model_cache_follow_takeovers_total'),
      ]).toEqual([expect.any(Number), 1])
    } finally {
      await close()
    }
  })

  it('leaves no connection and no channel behind when it closes', async () => {
    const world = await openWorld()
    const { close } = await startApplication(world, { follow: followPostgres({ url: world.databaseUrl }) })
    const admin = new Redis(world.valkey.port)
    const connections = async () =>
      (
        await world.sql.query(
          `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'model-cache follower %'`,
        )
      ).rowCount
    await eventuallyEqual(connections, 2)
    await close()
    await eventuallyEqual(connections, 0)
    expect(await admin.pubsub('CHANNELS', `${world.namespace}*`)).toEqual([])
    admin.disconnect()
  })
})
