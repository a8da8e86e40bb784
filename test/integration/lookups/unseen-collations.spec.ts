import { defineModelCache, type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { idsOf } from './posts.js'

const newWorld = useLookupWorlds()

const posts = defineModelCache('Post', {
  ttl: '1h',
  unique: { address: ['authorId', 'slug'] },
  lists: { first: { by: 'authorId', where: { title: 'TITLE 1' } } },
})

/** Lets the database compare slugs and titles without case, which its Prisma schema does not say. */
async function withoutCase(sql: LookupWorld['sql'], run: () => Promise<void>): Promise<void> {
  const collate = (collation: string) =>
    sql.query(`
      ALTER TABLE "Post" ALTER COLUMN slug TYPE TEXT COLLATE ${collation},
        ALTER COLUMN title TYPE TEXT COLLATE ${collation}`)
  await sql.query(
    `CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
  )
  await collate('caseless')
  try {
    await run()
  } finally {
    await collate('"default"')
    await sql.query('DROP COLLATION caseless')
  }
}

describe('where the database takes values for equal that are not so here', () => {
  it('a row of another key is answered, and its entry not stored', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts })
    const key = { authorId: 2, slug: 'P1' }
    await withoutCase(sql, async () => {
      for (const _ of ['loaded', 'loaded again']) {
        expect(await pod.caches.posts.getBy('address', key)).toMatchObject({ id: 1n, slug: 'p1' })
        await pod.caches.posts.drain()
      }
    })
    expect((await pod.caches.posts.explain('address', key)).stored.isHit).toBe(false)
    expect(pod.counts.get('Post.address misses not_cached')).toBe(2)
  })

  it('keys of one tick are answered each by its row', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts })
    await withoutCase(sql, async () => {
      const keys = ['P1', 'p2', 'P9'].map((slug) => ({ authorId: 2, slug }))
      const rows = await pod.caches.posts.getManyBy('address', keys)
      expect(rows.map((row) => row?.id)).toEqual([1n, 6n, undefined])
      await pod.caches.posts.drain()
    })
  })

  it('a list is answered whose rows do not fulfil its condition here, and not stored', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts })
    await withoutCase(sql, async () => {
      for (const _ of ['loaded', 'loaded again']) {
        expect(idsOf(await pod.caches.posts.list('first', 2))).toEqual([1n])
        await pod.caches.posts.drain()
      }
    })
    expect((await pod.caches.posts.explain('first', 2)).stored.isHit).toBe(false)
    expect(pod.counts.get('Post.first misses not_cached')).toBe(2)
  })
})
