import { jest } from '@jest/globals'
import { turns } from '../../../../../test/support/eventually.js'
import type { DatabaseDescription } from '../../source/database.js'
import { MemoryStore } from '../backend/memory-store.js'
import { DatabaseEntries, type ProcessState } from './database-entries.js'
import { type CachesInView, WriterCheck } from './writer-check.js'

const shop: DatabaseDescription = { id: 'postgresql/1/shop', schema: 'public', history: '1', name: 'shop' }
const staging = { ...shop, id: 'postgresql/2/shop', name: 'staging' }
const archive = { ...shop, id: 'postgresql/3/shop', name: 'archive' }

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }))
afterEach(() => jest.useRealTimers())

/** A database that says what it is, or fails with an error. */
function databaseOf(answer: DatabaseDescription | Error | undefined) {
  const database = {
    answer,
    asked: 0,
    async describe(): Promise<DatabaseDescription | undefined> {
      database.asked++
      if (database.answer instanceof Error) throw database.answer
      return database.answer
    },
  }
  return database
}

function open(namespaces?: () => Promise<readonly string[]>) {
  const store = Object.assign(new MemoryStore(), namespaces && { namespaces })
  const warned: string[] = []
  const log = { warn: (text: string) => void warned.push(text), info: () => {} }
  const check = new WriterCheck({ store, namespace: 'mc', log })
  const look = async (view: CachesInView): Promise<void> => {
    check.look(view)
    await turns()
  }
  /** Lists another process, which has caches of this database. */
  const list = async (database: DatabaseDescription, state: ProcessState = 'running'): Promise<void> => {
    await new DatabaseEntries(store, 'mc').put({ ...database, incarnation: '' }, state)
  }
  return { check, list, look, store, warned }
}

/** The caches of other processes alone, those of this one alone, and none. */
const ofOthers = { own: 0, listed: 1 }
const ofThis = { own: 1, listed: 0 }
const none = { own: 0, listed: 0 }

describe('a process that writes to a namespace without caches', () => {
  it.each<readonly [string, (() => Promise<readonly string[]>) | undefined, string]>([
    ['says so', undefined, ''],
    ['says so if others cannot be read', () => Promise.reject(new Error('down')), ''],
    ['says so if there are no others', async () => ['mc'], ''],
    [
      'names those of the others',
      async () => ['shop', 'mc', 'blog'],
      'The store has caches in "blog", "shop": give this process the `namespace` of its caches. ',
    ],
  ])('%s, once', async (_, namespaces, others) => {
    const { look, warned } = open(namespaces)
    await look(none)
    await look(none)
    expect(warned).toEqual([
      'ModelCache: namespace "mc" has no caches, so the writes of this process invalidate nothing. ' +
        `${others}If its caches are deployed later, this is as it should be.`,
    ])
  })
})

describe('a process that writes to another database than that of the caches', () => {
  it('warns of it with the names of both, once', async () => {
    const { check, list, look, warned } = open()
    await list(shop)
    await list(shop)
    await list(archive)
    const database = databaseOf(staging)
    check.add(database)
    await look(ofOthers)
    await look(ofOthers)
    expect(warned).toEqual([
      expect.stringMatching(
        /^ModelCache: this process writes to staging, while the caches of namespace "mc" have rows of (shop and archive|archive and shop)\. /,
      ),
    ])
    expect(database.asked).toBe(1)
  })

  it.each<readonly [string, DatabaseDescription | undefined, readonly [DatabaseDescription, ProcessState][]]>(
    [
      [
        'the database is that of one of them',
        shop,
        [
          [archive, 'running'],
          [shop, 'running'],
        ],
      ],
      [
        'the database is that of one of them, in another state',
        { ...shop, history: '2' },
        [[shop, 'running']],
      ],
      ['the database cannot be determined', undefined, [[shop, 'running']]],
      ['no process has caches', staging, []],
      ['processes with caches of others have ended', staging, [[shop, 'ended']]],
      [
        'processes with caches of others have ended, and one of its own runs',
        staging,
        [
          [shop, 'ended'],
          [staging, 'running'],
        ],
      ],
      ['the process with caches of its own database has ended', shop, [[shop, 'ended']]],
    ],
  )('is not suspected if %s', async (_, description, listed) => {
    const { check, list, look, warned } = open()
    for (const [database, state] of listed) await list(database, state)
    const database = databaseOf(description)
    check.add(database)
    await look(ofOthers)
    jest.advanceTimersByTime(60_000)
    expect([database.asked, check.isDue, warned]).toEqual([1, false, []])
  })

  it('warns if the process with caches of its database has ended', async () => {
    const { check, list, look, warned } = open()
    await list(shop, 'ended')
    await list(archive)
    check.add(databaseOf(shop))
    await look(ofOthers)
    expect(warned).toEqual([
      expect.stringContaining('writes to shop, while the caches of namespace "mc" have rows of archive.'),
    ])
  })

  it('does not compare the databases of its own caches, added before or after', async () => {
    const { check, list, look, warned } = open()
    await list(shop)
    const [before, after] = [databaseOf(staging), databaseOf(staging)]
    check.addOwn(before)
    check.add(before)
    check.add(after)
    check.addOwn(after)
    await look(ofOthers)
    expect([before.asked, after.asked, warned]).toEqual([0, 0, []])
  })

  it.each([
    ['of an unknown database', false, 0],
    ['of a database that is known', true, 1],
  ])('with caches %s', async (_, isKnown, count) => {
    const { check, list, look, warned } = open()
    await list(shop)
    if (isKnown) check.addOwn(databaseOf(shop))
    check.add(databaseOf(staging))
    await look(ofThis)
    expect(warned).toHaveLength(count)
  })

  it('knows the database of its own caches until the last of them has ended', async () => {
    const { check, list, look, warned } = open()
    await list(shop)
    const [own, other] = [databaseOf(shop), databaseOf(staging)]
    const ends = [check.addOwn(own), check.addOwn(own)]
    ends[0]!()
    check.add(own)
    await look(ofThis)
    expect(own.asked).toBe(0)
    ends[1]!()
    check.add(own)
    check.add(other)
    // A cache that is left is of an unknown database.
    await look(ofThis)
    expect([own.asked, other.asked, warned]).toEqual([0, 0, []])
    await look(ofOthers)
    expect([own.asked, other.asked, warned.length]).toEqual([1, 1, 1])
  })

  it('compares again, 5 seconds after a database that has not answered', async () => {
    const { check, list, look, warned } = open()
    await list(shop)
    const database = databaseOf(new Error('down'))
    check.add(database)
    await look(ofOthers)
    await look(ofOthers)
    expect([database.asked, check.isDue, warned]).toEqual([1, false, []])
    database.answer = staging
    jest.advanceTimersByTime(4_999)
    expect(check.isDue).toBe(false)
    jest.advanceTimersByTime(1)
    expect(check.isDue).toBe(true)
    await look(ofOthers)
    expect([database.asked, warned.length]).toEqual([2, 1])
  })
})
