import { setTimeout as delay } from 'node:timers/promises'
import { createLoadPermits, type Source } from 'model-cache/advanced'
import { withMethods } from '../consistency/sabotage.js'
import { useLookupWorlds } from './lookup-pods.js'
import { definePosts, idsOf } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

describe('R6, keys of one lookup that miss in one tick', () => {
  it('are one query, of callers that ask for one key and for many', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    const { caches } = pod
    const [one, two, several] = await Promise.all([
      caches.posts.list('ofAuthor', 1),
      caches.posts.list('ofAuthor', 2),
      caches.posts.listMany('ofAuthor', [2, 3, 7]),
    ])
    expect([one, two, ...several].map(idsOf)).toEqual([[5n], [1n, 6n], [1n, 6n], [2n, 7n], []])
    expect(pod.statements()).toEqual([expect.stringContaining('"authorId" IN ($1,$2,$3,$4)')])
  })

  it('are one query each with a limit, and no more at once than a cache gets permits', async () => {
    const { openPod, sql } = await newWorld()
    await sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2), ('p8', 3)`)
    const running = { now: 0, most: 0 }
    const counting = (source: Source<object, unknown>) =>
      withMethods(source, {
        async find(query, client) {
          running.most = Math.max(running.most, ++running.now)
          const rows = await source.find!(query, client)
          running.now--
          return rows
        },
      })
    const pod = await openPod({ posts }, { loads: createLoadPermits(3), wrapSource: counting })
    const lists = await pod.caches.posts.listMany('firstTwo', [1, 2, 3, 4, 5])
    expect(lists.map(idsOf)).toEqual([[5n], [9n, 1n], [2n, 7n], [8n, 3n], [4n]])
    const statements = pod.statements()
    expect(statements).toHaveLength(5)
    for (const statement of statements) expect(statement).toContain('LIMIT')
    expect(running.most).toBe(2)
  })
})

describe('R6, a query that fails', () => {
  it('fails the readers of its keys, and leaves no lease behind', async () => {
    const { openPod } = await newWorld()
    let isFailing = true
    const failing = (source: Source<object, unknown>) =>
      withMethods(source, {
        find: async (query, client) => {
          if (isFailing) throw new Error('no connection')
          return source.find!(query, client)
        },
      })
    const pod = await openPod({ posts }, { wrapSource: failing })
    await expect(pod.caches.posts.listMany('ofAuthor', [1, 2])).rejects.toThrow('no connection')
    await expect(pod.caches.posts.list('ofAuthor', 2)).rejects.toThrow('no connection')
    await pod.caches.posts.drain()
    expect((await pod.caches.posts.explain('ofAuthor', 2)).guard).toBe('none')
    isFailing = false
    await delay(1)
    expect(idsOf(await pod.caches.posts.list('ofAuthor', 2))).toEqual([1n, 6n])
  })
})
