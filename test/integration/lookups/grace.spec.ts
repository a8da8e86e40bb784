import { setTimeout as delay } from 'node:timers/promises'
import type { Source } from 'model-cache/advanced'
import { eventuallyEqual } from '../../support/eventually.js'
import { withMethods } from '../consistency/sabotage.js'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { definePosts, HeldQueries, idsOf, listStored, type PostPod, write } from './posts.js'

const newWorld = useLookupWorlds()
const insert = (sql: LookupWorld['sql']) =>
  sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`)

describe('an entry that expires soon', () => {
  it('is answered, and loaded again in the background', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts: definePosts({ refreshAhead: '3599999ms' }) })
    await listStored(pod, 2)
    await insert(sql)
    expect(idsOf(await pod.caches.posts.list('ofAuthor', 2))).toEqual([1n, 6n])
    await pod.caches.posts.drain()
    // Rows are refreshed by themselves.
    expect(pod.counts.get('Post fills not_leased')).toBeUndefined()
    expect(idsOf(await pod.caches.posts.list('ofAuthor', 2))).toEqual([9n, 1n, 6n])
  })
})

describe('an entry that has expired', () => {
  const posts = definePosts({ ttl: '100ms', staleFor: '1h' })

  /** Fails on request. */
  function newFailure() {
    const failure = {
      isFailing: false,
      wrapSource: (source: Source<object, unknown>) => {
        const fail = async (): Promise<void> => {
          if (failure.isFailing) throw new Error('no database')
        }
        return withMethods(source, {
          load: (ids, client) => fail().then(() => source.load(ids, client)),
          find: (query, client) => fail().then(() => source.find!(query, client)),
        })
      },
    }
    return failure
  }

  async function expired(pod: PostPod): Promise<void> {
    await listStored(pod, 2)
    await delay(110)
  }

  it('is answered where the database fails', async () => {
    const { openPod } = await newWorld()
    const failure = newFailure()
    const pod = await openPod({ posts }, { wrapSource: failure.wrapSource })
    await expired(pod)
    failure.isFailing = true
    expect(idsOf(await listStored(pod, 2))).toEqual([1n, 6n])
    expect(pod.counts.get('Post.ofAuthor reads store stale')).toBe(1)
    await expect(pod.caches.posts.list('ofAuthor', 3)).rejects.toThrow('no database')
  })

  it.each([
    ['a row that enters it', { entered: [{ authorId: 2, slug: 'p0' }] }],
    ['rows of unknown keys', { isCreating: true }],
    ['a row that has left it', { written: [6n] }],
  ])('is not answered after a write of %s', async (_, affected) => {
    const { openPod } = await newWorld()
    const failure = newFailure()
    const pod = await openPod({ posts }, { wrapSource: failure.wrapSource })
    await expired(pod)
    await write(pod, affected, async () => {})
    failure.isFailing = true
    await expect(pod.caches.posts.list('ofAuthor', 2)).rejects.toThrow('no database')
  })

  it('is answered while another process loads it', async () => {
    const { openPod, sql } = await newWorld()
    const queries = new HeldQueries()
    const loading = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const other = await openPod({ posts })
    await expired(loading)
    await insert(sql)
    const query = queries.hold()
    const loaded = listStored(loading, 2)
    await query.reached
    // Its rows have expired as well, and nobody loads them.
    expect(idsOf(await other.caches.posts.list('ofAuthor', 2))).toEqual([1n, 6n])
    expect(other.counts.get('Post.ofAuthor reads store stale')).toBe(1)
    query.open()
    expect(idsOf(await loaded)).toEqual([9n, 1n, 6n])
    await eventuallyEqual(async () => idsOf(await listStored(other, 2)).length, 3)
  })
})
