import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Store } from 'model-cache/advanced'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { newGate } from '../consistency/gates.js'
import { withMethods } from '../consistency/sabotage.js'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import { type Affected, beginWrite, definePosts, HeldQueries, idsOf, listStored, write } from './posts.js'

const newWorld = useLookupWorlds()
const posts = definePosts()

const entering: Affected = { written: [2n], entered: [{ authorId: 2, slug: 'p0' }] }
const enter = (sql: LookupWorld['sql']) =>
  sql.query(`UPDATE "Post" SET slug = 'p0', "authorId" = 2 WHERE id = 2`)

/** Rows that have not been stored yet may be loaded by their ids. */
const isOfList = (statement: string): boolean => statement.includes('ORDER BY')

describe('R6, a miss takes the lease of its entry before it loads', () => {
  it('so a list is not stored that was read before a row entered it', async () => {
    const { openPod, sql } = await newWorld()
    const queries = new HeldQueries()
    const reader = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const writer = await openPod({ posts })
    const query = queries.hold()
    const before = listStored(reader, 2)
    await query.reached
    expect((await writer.caches.posts.explain('ofAuthor', 2)).guard).toBe('lease')
    await write(writer, entering, () => enter(sql))
    query.open()
    expect(idsOf(await before)).toEqual([1n, 6n])
    expect(reader.counts.get('Post.ofAuthor fills lease_lost')).toBe(1)
    for (const pod of [writer, reader]) expect(idsOf(await listStored(pod, 2))).toEqual([2n, 1n, 6n])
  })

  it('so a list is not stored that was read before a transaction whose row enters it has ended', async () => {
    const { openPod, sql } = await newWorld()
    const [reader, writer] = [await openPod({ posts }), await openPod({ posts })]
    await listStored(reader, 2)
    const unit = beginWrite(writer, entering)
    await unit.fence()
    expect(idsOf(await listStored(reader, 2))).toEqual([1n, 6n])
    expect((await reader.caches.posts.explain('ofAuthor', 2)).guard).toBe('fences')
    await enter(sql)
    // The writer dies before it releases its fence, or takes its time.
    expect(idsOf(await listStored(reader, 2))).toEqual([2n, 1n, 6n])
    expect((await reader.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(false)
    await unit.end()
    await listStored(reader, 2)
    expect((await reader.caches.posts.explain('ofAuthor', 2)).stored.isHit).toBe(true)
  })

  it('so a list is not stored by a process whose first lease was followed by a second', async () => {
    const { openPod, sql } = await newWorld()
    const late = newGate()
    let isFirst = true
    const reader = await openPod(
      { posts },
      {
        wrap: (store) =>
          withMethods(store, {
            async fillMany(fills) {
              if (isFirst && fills.some((fill) => fill.key.includes('='))) {
                isFirst = false
                await late.pass()
              }
              return store.fillMany(fills)
            },
          }),
      },
    )
    const queries = new HeldQueries()
    const other = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const first = reader.caches.posts.list('ofAuthor', 2)
    await late.reached
    await write(other, entering, () => enter(sql))
    const query = queries.hold()
    const second = listStored(other, 2)
    await query.reached
    late.open()
    expect(idsOf(await first)).toEqual([1n, 6n])
    await eventuallyEqual(() => reader.counts.get('Post.ofAuthor fills lease_lost'), 1)
    query.open()
    await second
    for (const pod of [reader, other]) expect(idsOf(await listStored(pod, 2))).toEqual([2n, 1n, 6n])
  })

  it('and a read after a write of its own process does not get what was loaded before it', async () => {
    const { openPod, sql } = await newWorld()
    const queries = new HeldQueries()
    const pod = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const query = queries.hold()
    const before = pod.caches.posts.list('ofAuthor', 2)
    await query.reached
    await write(pod, entering, () => enter(sql))
    expect(idsOf(await pod.caches.posts.list('ofAuthor', 2))).toEqual([2n, 1n, 6n])
    query.open()
    expect(idsOf(await before)).toEqual([1n, 6n])
    expect(idsOf(await listStored(pod, 2))).toEqual([2n, 1n, 6n])
  })
})

describe('R6, a list that many readers miss', () => {
  it('is one query under one lease for all of a process, in the tick of the first and in later ones', async () => {
    const { openPod } = await newWorld()
    const queries = new HeldQueries()
    const leased: string[] = []
    const wrap = (store: Store): Store =>
      withMethods(store, {
        leaseMany(keys, request) {
          leased.push(...keys.map(({ key }) => key).filter((key) => key.includes('=')))
          return store.leaseMany(keys, request)
        },
      })
    const pod = await openPod({ posts }, { wrap, wrapSource: queries.wrapSource })
    const query = queries.hold()
    const lists = [1, 2, 3].map(() => pod.caches.posts.list('ofAuthor', 2))
    await query.reached
    for (let tick = 0; tick < 5; tick++) {
      lists.push(pod.caches.posts.list('ofAuthor', 2))
      await nextTurn()
    }
    // A busy machine may run two of these turns as one.
    const counted = ['misses not_cached', 'reads tick coalesced'].map((name) => `Post.ofAuthor ${name}`)
    await eventually(
      () => counted.reduce((sum, name) => sum + (pod.counts.get(name) ?? 0), 0) === lists.length,
    )
    query.open()
    for (const list of await Promise.all(lists)) expect(idsOf(list)).toEqual([1n, 6n])
    expect(leased).toHaveLength(1)
    expect(pod.statements().filter(isOfList)).toHaveLength(1)
  })

  it('is one query for all processes', async () => {
    const { openPod } = await newWorld()
    const queries = new HeldQueries()
    const first = await openPod({ posts }, { wrapSource: queries.wrapSource })
    const others = await Promise.all([1, 2, 3].map(() => openPod({ posts })))
    const query = queries.hold()
    const loading = first.caches.posts.list('ofAuthor', 2)
    await query.reached
    const waiting = others.map((pod) => pod.caches.posts.list('ofAuthor', 2))
    const isWaiting = others.map((pod) => () => (pod.counts.get('Post.ofAuthor misses not_cached') ?? 0) > 1)
    for (const holds of isWaiting) await eventually(holds)
    query.open()
    for (const list of await Promise.all([loading, ...waiting])) expect(idsOf(list)).toEqual([1n, 6n])
    const sent = [first, ...others].flatMap((pod) => pod.statements())
    expect(sent.filter(isOfList)).toHaveLength(1)
  })
})
