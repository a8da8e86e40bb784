import { setTimeout as delay } from 'node:timers/promises'
import { eventuallyEqual } from '../../support/eventually.js'
import { startValkey } from '../../support/valkey-server.js'
import { newGate } from '../consistency/gates.js'
import { withMethods } from '../consistency/sabotage.js'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { beginWrite, definePosts, HeldQueries, idsOf, listStored, type PostPod, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

/** Changes the title of a post, which is in no list by title that is read here. */
async function retitle(writer: PostPod, sql: LookupWorld['sql']): Promise<void> {
  await write(writer, { written: [1n] }, () => sql.query(`UPDATE "Post" SET title = 'new' WHERE id = 1`))
}

const titleIn = async (pod: PostPod): Promise<string> => {
  const row = await pod.caches.posts.get(1n)
  await pod.caches.posts.drain()
  return row!.title
}

describe('R6, the rows of a cold list', () => {
  it('are loaded with it by one query, and stored', async () => {
    const { openPod } = await newWorld()
    const [first, second] = [await openPod({ posts }), await openPod({ posts })]
    const list = await listStored(first, 2)
    expect(first.statements()).toHaveLength(1)
    expect(first.counts.get('Post fills stored')).toBe(2)
    expect(await second.caches.posts.getMany([1n, 6n])).toEqual(list)
    expect(await listStored(second, 2)).toEqual(list)
    expect(second.statements()).toEqual([])
  })

  it('are stored under the epoch of rows, which a row of unknown key leaves as it is', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    await write(pod, { isCreating: true }, async () => {})
    const list = await listStored(pod, 2)
    pod.statements()
    expect(await pod.caches.posts.getMany([1n, 6n])).toEqual(list)
    expect(pod.statements()).toEqual([])
  })

  it('have the form of stored rows', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod(
      { posts },
      {
        wrapSource: (source) =>
          withMethods(source, {
            find: async (query, client) =>
              (await source.find!(query, client)).map((row) => ({ extra: true, ...row })),
          }),
      },
    )
    const cold = await listStored(pod, 2)
    expect(await listStored(pod, 2)).toStrictEqual(cold)
    expect(Object.keys(cold[0]!)).toEqual(['id', 'slug', 'title', 'authorId', 'editorId'])
  })

  it('are not stored if they were written since they were read', async () => {
    const { openPod, sql } = await newWorld()
    const queries = new HeldQueries()
    const reader = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const writer = await openPod({ posts })
    const query = queries.hold()
    const list = listStored(reader, 2)
    await query.reached
    await retitle(writer, sql)
    query.open()
    expect(idsOf(await list)).toEqual([1n, 6n])
    // The list itself has not changed.
    expect((await writer.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(true)
    expect(reader.counts.get('Post fills not_leased')).toBe(1)
    expect(reader.counts.get('Post fills stored')).toBe(1)
    for (const pod of [writer, reader]) expect(await titleIn(pod)).toBe('new')
  })

  it('are not stored if a write to unknown rows has ended since they were read', async () => {
    const { openPod, sql } = await newWorld()
    const queries = new HeldQueries()
    const reader = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const writer = await openPod({ posts })
    const query = queries.hold()
    const list = listStored(reader, 2)
    await query.reached
    const unit = writer.writes.begin()
    unit.markAllWritten('Post', 'unknown')
    await unit.fence()
    await sql.query(`UPDATE "Post" SET title = 'new' WHERE id = 1`)
    await unit.end()
    query.open()
    await list
    for (const pod of [writer, reader]) expect(await titleIn(pod)).toBe('new')
  })

  it('are not stored while a transaction that writes them runs', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    const unit = beginWrite(writer, { written: [1n] })
    await unit.fence()
    await listStored(reader, 2)
    await sql.query(`UPDATE "Post" SET title = 'new' WHERE id = 1`)
    await unit.end()
    expect(await titleIn(reader)).toBe('new')
  })

  it('are not stored if they were read so long ago that writes since then are not remembered', async () => {
    const { openPod, sql } = await newWorld()
    const queries = new HeldQueries()
    const consistency = { leaseMs: 100 }
    const reader = await openPod({ posts }, { consistency, wrapSource: queries.wrapSource })
    const writer = await openPod({ posts }, { consistency })
    const query = queries.hold()
    const list = listStored(reader, 2)
    await query.reached
    await retitle(writer, sql)
    await eventuallyEqual(async () => (await writer.caches.posts.explain(1n)).guard, 'none')
    query.open()
    await list
    for (const pod of [writer, reader]) expect(await titleIn(pod)).toBe('new')
  })

  it('are not stored if their leases come so late that writes since then are not remembered', async () => {
    const { openPod, sql } = await newWorld()
    const lease = newGate()
    const consistency = { leaseMs: 500 }
    const reader = await openPod(
      { posts },
      {
        consistency,
        wrap: (store) =>
          withMethods(store, {
            async leaseMany(keys, request) {
              if (request.onlyUnmarked) await lease.pass()
              return store.leaseMany(keys, request)
            },
          }),
      },
    )
    const writer = await openPod({ posts }, { consistency })
    const list = listStored(reader, 2)
    await lease.reached
    await retitle(writer, sql)
    await eventuallyEqual(async () => (await writer.caches.posts.explain(1n)).guard, 'none')
    lease.open()
    await list
    for (const pod of [writer, reader]) expect(await titleIn(pod)).toBe('new')
  })

  it('are not stored by a server that may have lost the mark of a write', async () => {
    const { openPod } = await newWorld()
    const server = await startValkey({
      args: ['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-lru'],
    })
    const pod = await openPod({ posts }, { url: server.url })
    await listStored(pod, 2)
    expect((await pod.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(true)
    expect((await pod.caches.posts.explain(1n)).stored.isHit).toBe(false)
    expect(pod.counts.get('Post fills evicting')).toBe(2)
    await pod.close()
    await server.stop()
  })

  it('do not replace rows that are stored already', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    await titleIn(pod)
    await delay(2)
    const { stored } = await pod.caches.posts.explain(1n)
    await listStored(pod, 2)
    expect(pod.counts.get('Post fills not_leased')).toBe(1)
    const later = (await pod.caches.posts.explain(1n)).stored
    expect(later.isHit && stored.isHit && later.expiresInMs).toBeLessThanOrEqual(
      stored.isHit ? stored.expiresInMs : 0,
    )
  })
})
