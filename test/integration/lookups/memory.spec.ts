import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { eventually } from '../../support/eventually.js'
import { newEar } from '../consistency/ear.js'
import { type LookupWorld, useLookupWorlds } from './lookup-pods.js'
import {
  type Affected,
  beginWrite,
  definePosts,
  HeldQueries,
  idsOf,
  listStored,
  type PostPod,
  write,
} from './posts.js'

const newWorld = useLookupWorlds()
const l1 = { ttl: '1h' } as const
const forms = ['copies', 'shared'] as const
const remembered = definePosts({ l1 })
const posts = definePosts()

/** Of the fence, and of its release. */
const messagesOfWrite = 2

const entering: Affected = { written: [2n], entered: [{ authorId: 2, slug: 'p0' }] }
const enter = (sql: LookupWorld['sql']) =>
  sql.query(`UPDATE "Post" SET slug = 'p0', "authorId" = 2 WHERE id = 2`)

/** A process that holds the list of author 2 in memory, the messages that it receives, and a process that writes. */
async function openReader({ openPod }: LookupWorld, definition = remembered) {
  const ear = newEar()
  const reader = await openPod({ posts: definition }, { wrap: ear.wrap })
  const writer = await openPod({ posts })
  await keepInMemory(reader)
  return { ear, reader, writer }
}

/** Waits until a pod uses its memory, and has the list of author 2 there. */
async function keepInMemory(pod: PostPod): Promise<void> {
  await eventually(async () => {
    await listStored(pod, 2)
    const { l1 } = await pod.caches.posts.explain('ofAuthor', 2)
    return l1!.isTrusted && l1!.isHeld
  })
}

const hitsOf = (pod: PostPod): number => pod.counts.get('Post.ofAuthor reads l1 hit') ?? 0

describe('R8, an entry in memory', () => {
  it('answers without the store', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: remembered })
    await keepInMemory(pod)
    const [hits, batches] = [hitsOf(pod), pod.counts.get('Post.ofAuthor reads store hit')]
    expect(idsOf(await listStored(pod, 2))).toEqual([1n, 6n])
    expect(hitsOf(pod)).toBe(hits + 1)
    expect(pod.counts.get('Post.ofAuthor reads store hit')).toBe(batches)
  })

  it.each([
    ['enters it', entering],
    ['is created with unknown keys', { written: [2n], isCreating: true }],
  ])('is dropped when another process announces a row that %s', async (_, affected) => {
    const world = await newWorld()
    const { ear, reader, writer } = await openReader(world)
    // Of the row, and of what it enters.
    const messages = messagesOfWrite * (affected.isCreating ? 2 : 1)
    await ear.hears(messages, () => write(writer, affected, () => enter(world.sql)))
    expect(idsOf(await listStored(reader, 2))).toEqual([2n, 1n, 6n])
  })

  it('is dropped by a write of its own process before the write returns', async () => {
    const { openPod, sql } = await newWorld()
    const pod = await openPod({ posts: remembered })
    for (const affected of [entering, { written: [2n], isCreating: true }]) {
      await keepInMemory(pod)
      const unit = beginWrite(pod, affected)
      await unit.fence()
      expect((await pod.caches.posts.explain('ofAuthor', 2)).l1!.isHeld).toBe(false)
      await enter(sql)
      await unit.end()
      expect(idsOf(await listStored(pod, 2))).toEqual([2n, 1n, 6n])
    }
  })

  it('is not kept by a load during which another process announced a row that enters it', async () => {
    const { openPod, sql } = await newWorld()
    const [ear, queries] = [newEar(), new HeldQueries()]
    const reader = await openPod({ posts: remembered }, { wrap: ear.wrap, wrapSource: queries.wrapSource })
    const writer = await openPod({ posts })
    await keepInMemory(reader)
    await ear.hears(messagesOfWrite, () => write(writer, entering, async () => {}))
    const query = queries.hold()
    const before = listStored(reader, 2)
    await query.reached
    await ear.hears(4, () => write(writer, { written: [2n], isCreating: true }, () => enter(sql)))
    query.open()
    expect(idsOf(await before)).toEqual([1n, 6n])
    expect(idsOf(await listStored(reader, 2))).toEqual([2n, 1n, 6n])
  })

  it('is dropped by the message after a lost one', async () => {
    const world = await newWorld()
    const { ear, reader, writer } = await openReader(world)
    ear.isLosing = true
    await ear.hears(messagesOfWrite, () => write(writer, entering, () => enter(world.sql)))
    ear.isLosing = false
    await ear.hears(messagesOfWrite, () => write(writer, { written: [8n] }, async () => {}))
    expect(idsOf(await listStored(reader, 2))).toEqual([2n, 1n, 6n])
  })

  it.each(forms)('is not used while the process does not receive its own heartbeat: %s', async (rows) => {
    const world = await newWorld()
    const { ear, reader, writer } = await openReader(world, definePosts({ l1, rows }))
    await listStored(reader, 2)
    ear.isLosing = true
    await write(writer, entering, () => enter(world.sql))
    await delay(2_100)
    const hits = hitsOf(reader)
    expect(idsOf(await listStored(reader, 2))).toEqual([2n, 1n, 6n])
    expect(hitsOf(reader)).toBe(hits)
  })

  it.each(forms)('is checked against its rows, and replaced if one has left: %s', async (rows) => {
    const world = await newWorld()
    const { ear, reader, writer } = await openReader(world, definePosts({ l1, rows }))
    await ear.hears(messagesOfWrite, () =>
      write(writer, { written: [6n] }, () =>
        world.sql.query(`UPDATE "Post" SET "authorId" = 7 WHERE id = 6`),
      ),
    )
    expect((await reader.caches.posts.explain('ofAuthor', 2)).l1!.isHeld).toBe(true)
    // The row is in memory again, as it is now.
    expect(await reader.caches.posts.get(6n)).toMatchObject({ authorId: 7 })
    await reader.caches.posts.drain()
    expect(idsOf(await listStored(reader, 2))).toEqual([1n])
    expect(idsOf(await listStored(reader, 2))).toEqual([1n])
    expect(reader.counts.get('Post.ofAuthor misses outdated')).toBe(1)
  })

  it.each(forms)('shows what rows hold now: %s', async (rows) => {
    const world = await newWorld()
    const { ear, reader, writer } = await openReader(world, definePosts({ l1, rows }))
    await ear.hears(messagesOfWrite, () =>
      write(writer, { written: [6n] }, () => world.sql.query(`UPDATE "Post" SET title = 'new' WHERE id = 6`)),
    )
    const hits = hitsOf(reader)
    expect((await listStored(reader, 2)).map(({ title }) => title)).toEqual(['title 1', 'new'])
    expect(hitsOf(reader)).toBe(hits + 1)
  })

  it('holds no row that is older than one of a list that was answered', async () => {
    const world = await newWorld()
    const { ear, reader, writer } = await openReader(world)
    await eventually(async () => {
      await listStored(reader, 2)
      return (await reader.caches.posts.explain(1n)).l1!.isHeld
    })
    ear.isLosing = true
    await write(writer, { written: [1n] }, () =>
      world.sql.query(`UPDATE "Post" SET title = 'new' WHERE id = 1`),
    )
    const list = await reader.caches.posts.list('byTitle', 2)
    expect(list.map(({ title }) => title)).toEqual(['new', 'title 6'])
    expect(await reader.caches.posts.get(1n)).toMatchObject({ title: 'new' })
  })

  it('does not hold the rows that it was loaded with', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: definePosts({ l1, rows: 'shared' }) })
    await keepInMemory(pod)
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    // What is in memory is left out while messages of other processes are late, so it is tried again.
    await eventually(async () => {
      await pod.caches.posts.invalidateBy('ofAuthor', 2)
      const row = new WeakRef((await listStored(pod, 2))[0]!)
      await eventually(() => {
        collectGarbage()
        return row.deref() === undefined
      })
      return (await pod.caches.posts.explain('ofAuthor', 2)).l1!.isHeld
    })
  })

  it('is one of a key that no row has as well', async () => {
    const world = await newWorld()
    const { ear, reader, writer } = await openReader(world)
    const key = { authorId: 2, slug: 'p0' }
    const read = async () => {
      const row = await reader.caches.posts.getBy('address', key)
      await reader.caches.posts.drain()
      return row
    }
    for (const _ of ['loaded', 'held']) expect(await read()).toBeNull()
    expect(reader.counts.get('Post.address reads l1 hit')).toBe(1)
    await ear.hears(messagesOfWrite, () => write(writer, entering, () => enter(world.sql)))
    expect(await read()).toMatchObject({ id: 2n })
  })
})

describe('R8, an entry that is hot', () => {
  const hot = definePosts({ l1: { ...l1, hot: 3 } })
  const address = { authorId: 2, slug: 'p0' }
  const lookups = [
    ['ofAuthor', 2],
    ['ofAuthor', 4],
    ['address', address],
  ] as const

  /** Which of {@link lookups} a pod holds. */
  const held = ({ caches: { posts } }: PostPod) =>
    Promise.all(lookups.map(async ([name, key]) => (await posts.explain(name, key as never)).l1!.isHeld))

  /** Reads all of {@link lookups} often enough for memory to hold them. */
  async function heat(pod: PostPod): Promise<void> {
    const { posts } = pod.caches
    await eventually(async () => {
      for (let read = 0; read < 3; read++) {
        await Promise.all([posts.list('ofAuthor', 2), posts.list('ofAuthor', 4)])
        await posts.getBy('address', address)
      }
      await posts.drain()
      return (await held(pod)).every(Boolean)
    })
  }

  it('is one of a list or of a unique key that is read often, and answers without the store', async () => {
    const { openPod } = await newWorld()
    const pod = await openPod({ posts: hot })
    const { posts } = pod.caches
    await heat(pod)
    await posts.list('ofAuthor', 5)
    await posts.drain()
    expect((await posts.explain('ofAuthor', 5)).l1!.isHeld).toBe(false)
    const fromStore = () =>
      ['ofAuthor', 'address'].map((name) => pod.counts.get(`Post.${name} reads store hit`))
    const before = fromStore()
    expect(idsOf(await posts.list('ofAuthor', 2))).toEqual([1n, 6n])
    expect(await posts.getBy('address', address)).toBeNull()
    expect(fromStore()).toEqual(before)
  })

  it('is dropped when a row enters it, unlike others, and holds it then', async () => {
    const world = await newWorld()
    const ear = newEar()
    const reader = await world.openPod({ posts: hot }, { wrap: ear.wrap })
    const writer = await world.openPod({ posts })
    await heat(reader)
    const ofOthers = idsOf(await reader.caches.posts.list('ofAuthor', 4))
    await ear.hears(messagesOfWrite, () => write(writer, entering, () => enter(world.sql)))
    expect(await held(reader)).toEqual([false, true, false])
    for (const _ of ['loaded', 'held']) {
      expect(idsOf(await reader.caches.posts.list('ofAuthor', 2))).toEqual([2n, 1n, 6n])
      expect(await reader.caches.posts.getBy('address', address)).toMatchObject({ id: 2n })
      expect(idsOf(await reader.caches.posts.list('ofAuthor', 4))).toEqual(ofOthers)
      await heat(reader)
    }
  })

  it('shows what its rows hold now, and is replaced if one has left', async () => {
    const world = await newWorld()
    const ear = newEar()
    const reader = await world.openPod({ posts: hot }, { wrap: ear.wrap })
    const writer = await world.openPod({ posts })
    await heat(reader)
    const change = (set: string) =>
      ear.hears(messagesOfWrite, () =>
        write(writer, { written: [6n] }, () => world.sql.query(`UPDATE "Post" SET ${set} WHERE id = 6`)),
      )
    await change(`title = 'new'`)
    expect(await held(reader)).toEqual([true, true, true])
    const read = async () => (await reader.caches.posts.list('ofAuthor', 2)).map(({ title }) => title)
    expect(await read()).toEqual(['title 1', 'new'])
    await heat(reader)
    await change(`"authorId" = 7`)
    expect(await read()).toEqual(['title 1'])
  })
})
