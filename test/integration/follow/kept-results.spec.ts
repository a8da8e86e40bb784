import { PrismaPg } from '@prisma/adapter-pg'
import { cached, extendPrisma, ModelCacheWrites } from 'model-cache'
import { databaseOf, KeptResults, NamespaceDatabase, schemaFactsOf, ValkeyStore } from 'model-cache/advanced'
import { PrismaClient } from '../differential/client/client.ts'
import { eventually, eventuallyEqual } from '../../support/eventually.ts'
import { definePosts } from '../lookups/posts.ts'
import { useFollowWorlds } from './follow-worlds.ts'

const openWorld = useFollowWorlds()

it('ends results of a model that others write, and keeps the rows of its cache that they do not', async () => {
  const world = await openWorld()
  const { caches } = await world.openPod({ posts: definePosts() })
  await caches.posts.get(1n)
  const statements: string[] = []
  const client = new PrismaClient({
    adapter: new PrismaPg({ connectionString: world.databaseUrl }),
    log: [{ emit: 'event', level: 'query' }],
  })
  client.$on('query' as never, ((event: { query: string }) => statements.push(event.query)) as never)
  const store = new ValkeyStore({ url: world.valkey.url, deadlineMs: 10_000 })
  await store.connect()
  const writes = new ModelCacheWrites()
  const kept = { Post: { ttl: '1h', by: 'authorId' } } as const
  const prisma = extendPrisma(client, writes, { reads: { results: kept } })
  const database = new NamespaceDatabase({ store, namespace: world.namespace, database: databaseOf(prisma) })
  const facts = schemaFactsOf(prisma)
  const results = new KeptResults({
    store,
    namespace: world.namespace,
    writes,
    database,
    facts,
    models: new Map(Object.entries(kept)),
    consistency: { fenceMs: 1_000 },
  })
  await database.start()
  await results.join()
  writes.reads.results = results
  const view = cached(prisma, { ttl: '1h' })
  const titles = () => view.post.findMany({ orderBy: { id: 'asc' }, select: { title: true }, take: 1 })
  const ofAuthor = (authorId: number) => () =>
    view.post.findMany({ where: { authorId }, orderBy: { id: 'asc' }, select: { title: true } })
  const isStored = async (query: () => Promise<unknown> = titles): Promise<boolean> => {
    await query()
    await results.drain()
    statements.length = 0
    await query()
    return statements.length === 0
  }
  const hasResult = async (query: () => Promise<unknown>): Promise<boolean> => {
    statements.length = 0
    await query()
    return statements.length === 0
  }
  const { follower } = await world.follow({ caches: 3 })
  await eventually(isStored)
  const { authorId } = (await caches.posts.get(1n))!
  const other = authorId === 2 ? 1 : 2
  await eventually(() => isStored(ofAuthor(authorId)))
  await caches.posts.getMany([1n, 2n])
  await caches.posts.drain()
  const { epoch } = await caches.posts.explain(2n)

  await world.sql.query(`UPDATE "Post" SET title = 'by others' WHERE id = 1`)
  await eventuallyEqual(titles, [{ title: 'by others' }])
  await eventuallyEqual(async () => (await caches.posts.get(1n))?.title, 'by others')
  expect(await ofAuthor(authorId)()).toContainEqual({ title: 'by others' })
  // The log does not show whose post it was before, which concerns the results by author alone.
  expect((await caches.posts.explain(2n)).epoch).toBe(epoch)

  await world.sql.query('ALTER TABLE "Post" REPLICA IDENTITY FULL')
  await world.sql.query(`INSERT INTO "Post" (slug, title, "authorId") VALUES ('theirs', 'theirs', ${other})`)
  await eventually(async () => (await ofAuthor(other)()).some(({ title }) => title === 'theirs'))
  // The follower empties the caches of a table that has been altered.
  await eventually(async () => (await caches.posts.explain(2n)).epoch !== epoch)
  await eventually(() => isStored(ofAuthor(authorId)))
  await eventually(() => isStored(ofAuthor(other)))
  await world.sql.query(`UPDATE "Post" SET title = 'theirs again' WHERE slug = 'theirs'`)
  await eventually(async () => (await ofAuthor(other)()).some(({ title }) => title === 'theirs again'))
  expect(await hasResult(ofAuthor(authorId))).toBe(true)

  // What a join table connects.
  const labels = () =>
    view.post.findMany({ where: { slug: 'theirs' }, select: { labels: { select: { name: true } } } })
  await labels()
  await eventuallyEqual(() => follower.report?.caches.length, 4)
  await eventually(() => isStored(labels))
  expect(await labels()).toEqual([{ labels: [] }])
  await world.sql.query(`INSERT INTO "_LabelToPost" SELECT 'l1', id FROM "Post" WHERE slug = 'theirs'`)
  await eventuallyEqual(labels, [{ labels: [{ name: 'l1' }] }])

  writes.reads.results = undefined
  await results.close()
  await writes.close()
  await database.stop()
  await store.close()
  await client.$disconnect()
})
