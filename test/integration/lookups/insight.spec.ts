import { eventually } from '../../support/eventually.js'
import { useLookupWorlds } from './lookup-pods.js'
import { beginWrite, definePosts, HeldQueries, listStored, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

describe('explain(name, key)', () => {
  it('says whether the entry is stored, for how long, and why it was missed', async () => {
    const { namespace, openPod } = await newWorld()
    const pod = await openPod({ posts })
    const before = await pod.caches.posts.explain('ofAuthor', 2)
    expect(before).toMatchObject({
      key: expect.stringMatching(new RegExp(`^${namespace}:\\{Post:\\d+\\}:ofAuthor=2:[\\w-]+$`)),
      stored: { isHit: false, reason: 'not_cached' },
      guard: 'none',
      isInvalidationPending: false,
      l1: undefined,
      lastMiss: undefined,
      lastWrite: undefined,
      lastUnknownWrite: undefined,
    })
    await listStored(pod, 2)
    const after = await pod.caches.posts.explain('ofAuthor', 2)
    expect(after).toMatchObject({ key: before.key, mayFill: true, lastMiss: { reason: 'not_cached' } })
    expect(after.stored.isHit && after.stored.expiresInMs).toBeGreaterThan(50 * 60_000)
    expect(after.key.endsWith(after.fingerprint)).toBe(true)
  })

  it('names the lease of a load, the fences of writes, and the last write', async () => {
    const { openPod } = await newWorld()
    const queries = new HeldQueries()
    const pod = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const query = queries.hold()
    const reading = listStored(pod, 2)
    await query.reached
    expect(await pod.caches.posts.explain('ofAuthor', 2)).toMatchObject({ guard: 'lease', holders: [/./] })
    query.open()
    await reading
    const unit = beginWrite(pod, { entered: [{ authorId: 2, slug: 'p0' }] })
    await unit.fence()
    expect(await pod.caches.posts.explain('ofAuthor', 2)).toMatchObject({ guard: 'fences', holders: [/./] })
    await unit.end()
    const { guard, lastWrite, stored } = await pod.caches.posts.explain('ofAuthor', 2)
    expect({ guard, stored }).toEqual({ guard: 'released', stored: { isHit: false, reason: 'not_cached' } })
    expect(lastWrite!.agoMs).toBeLessThan(10_000)
  })

  it('says that the existence epoch has moved on, which leaves rows as they are', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    await listStored(pod, 2)
    await write(pod, { isCreating: true }, async () => {})
    const [entry, row] = [await pod.caches.posts.explain('ofAuthor', 2), await pod.caches.posts.explain(1n)]
    expect(entry.stored).toEqual({ isHit: false, reason: 'invalidated' })
    expect(row.stored.isHit).toBe(true)
    expect(entry.epoch).not.toBe(row.epoch)
  })

  it('names the rows that the last write has changed, ten at most', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    const lastWrite = async () => (await pod.caches.posts.explain('ofAuthor', 2)).lastWrite
    await write(pod, { written: [1n, 6n], entered: [{ authorId: 2, slug: 'p0' }] }, async () => {})
    expect(await lastWrite()).toMatchObject({ by: 'this process', rows: [1n, 6n], rowCount: 2 })
    const many = Array.from({ length: 25 }, (_, i) => BigInt(i))
    await write(pod, { written: many, entered: [{ authorId: 2, slug: 'p0' }] }, async () => {})
    expect(await lastWrite()).toMatchObject({ rows: many.slice(0, 10), rowCount: 25 })
    // Of another entry, and of the rows alone.
    await write(pod, { written: [3n], entered: [{ authorId: 7, slug: 'p0' }] }, async () => {})
    expect(await lastWrite()).toMatchObject({ rowCount: 25 })
  })

  it('says when rows of unknown keys were created, and when all rows were written', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts })
    const unknownWrites = async () => {
      const [entry, row] = [await pod.caches.posts.explain('ofAuthor', 2), await pod.caches.posts.explain(1n)]
      return [entry.lastUnknownWrite?.what, row.lastUnknownWrite?.what]
    }
    await write(pod, { isCreating: true }, async () => {})
    expect(await unknownWrites()).toEqual(['created', undefined])
    await pod.caches.posts.invalidateAll()
    expect(await unknownWrites()).toEqual(['all', 'all'])
    await write(pod, { isCreating: true }, async () => {})
    expect(await unknownWrites()).toEqual(['created', 'all'])
  })
})

it('an audit finds an entry that a write past the extension has left stale', async () => {
  const { openPod, sql } = await newWorld()
  const warnings: string[] = []
  const warn = (message: string): void => void warnings.push(message)
  const pod = await openPod({ posts }, { audit: { rate: 1 }, consistency: { fenceMs: 150 }, warn })
  for (const _ of ['stored', 'read']) await listStored(pod, 2)
  await sql.query(`INSERT INTO "Post" (slug, "authorId") VALUES ('p0', 2)`)
  await eventually(() => pod.counts.has('Post.ofAuthor audits stale'))
  expect(warnings).toEqual([
    expect.stringMatching(
      /entry of "ofAuthor" for the key 2 to be stale.*invalidateBy\(\).*explain\(name, key\)/,
    ),
  ])
})
