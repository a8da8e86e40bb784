import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { manualClock } from '../../../../../test/support/manual-clock.ts'
import { eventually } from '../../../../../test/support/eventually.js'
import { ConfigurationError } from '../../errors.js'
import type { DatabaseDescription } from '../../source/database.js'
import { SharedTables } from '../../source/shared-tables.js'
import { MemoryStore } from '../backend/memory-store.js'
import type { CatalogueEntry } from '../backend/store.js'
import { DatabaseEntries } from './database-entries.js'
import { databasesKey } from '../format/key-space.js'
import { NamespaceDatabase } from './namespace-database.js'

const primary: DatabaseDescription = {
  id: 'postgresql/1/shop',
  schema: 'public',
  history: '1.16384.2200',
  position: '100',
  name: 'shop',
}
const promoted = { ...primary, history: '2.16384.2200', position: '120' }
const other = { ...primary, id: 'postgresql/2/shop', name: 'another shop' }

let store: MemoryStore
let opened: NamespaceDatabase[]
beforeEach(() => {
  store = new MemoryStore()
  opened = []
})
afterEach(async () => {
  jest.restoreAllMocks()
  await Promise.all(opened.map((database) => database.stop()))
})

/** A process; its database may become another one. */
function processOn(
  description: DatabaseDescription | undefined,
  options: { readonly startMs?: number } = {},
) {
  const warned: string[] = []
  const told: string[] = []
  const log = {
    warn: (message: string) => void warned.push(message),
    info: (message: string) => void told.push(message),
  }
  const reads = { description, asked: 0, changes: 0, answer: Promise.resolve() }
  const database = new NamespaceDatabase({
    store,
    database: {
      async describe() {
        reads.asked++
        await reads.answer
        return reads.description
      },
    },
    ...log,
    heartbeatMs: 5,
    ...options,
  })
  database.onChange(() => reads.changes++)
  opened.push(database)
  return { database, reads, told, warned }
}

async function started(description: DatabaseDescription | undefined) {
  const one = processOn(description)
  await one.database.start()
  return one
}

/** A process that has ended again. */
async function ended(description: DatabaseDescription) {
  const one = await started(description)
  await one.database.stop()
  return one
}

/** The entries of all processes. */
const listed = async () => (await new DatabaseEntries(store, 'mc').list()).processes

describe('the database of a namespace', () => {
  it('has one mark for all processes that read it, and is asked once by each', async () => {
    const one = await started(primary)
    const two = await started({ ...primary, position: '130' })
    expect(one.database.mark).toMatch(/^\.[0-9a-f]{12}$/)
    expect(two.database.mark).toBe(one.database.mark)
    await delay(30)
    expect([one.reads.asked, two.reads.asked, one.warned, two.warned]).toEqual([1, 1, [], []])
  })

  it('refuses another one while a process reads the first', async () => {
    const clock = manualClock()
    const one = await started(primary)
    const refused = processOn(other)
    await expect(refused.database.start()).rejects.toThrow(
      'this process reads another shop, but namespace "mc" is in use by processes that read shop.',
    )
    expect(refused.database.mark).toBeUndefined()
    // It could have been that database by now.
    await eventually(() => one.reads.asked > 1)
    expect([one.warned, one.reads.changes, one.database.others]).toEqual([[], 0, []])
    clock.pass(60_000)
    const { asked } = one.reads
    await eventually(() => one.reads.asked > asked + 2)
    expect(one.warned).toEqual([])
    await started(primary)
    expect((await listed()).filter(({ wasRefused }) => wasRefused)).toHaveLength(1)
  })

  it('refuses the start if it has said of itself what a check does not accept, and says so later', async () => {
    const refusal = new ConfigurationError('E_INVALID_LOOKUP', 'list "byName" cannot be compared')
    const refused = processOn(primary)
    refused.database.verify(() => {
      throw refusal
    })
    await expect(refused.database.start()).rejects.toBe(refusal)
    expect(refused.database.mark).toBeUndefined()

    let hasChanged = false
    const later = processOn(primary)
    later.database.verify(() => {
      if (hasChanged) throw refusal
    })
    await later.database.start()
    hasChanged = true
    later.database.noteUse()
    await eventually(() => later.warned.length > 0)
    later.database.noteUse()
    const { asked } = later.reads
    await eventually(() => later.reads.asked > asked)
    expect(later.warned).toEqual([refusal.message])
  })

  describe('whose process has been killed', () => {
    const leaveEntry = async (change: object): Promise<void> => {
      await new DatabaseEntries(store, 'mc').put({ ...primary, incarnation: '' }, 'running')
      const key = databasesKey('mc')
      const { entries } = await store.askCatalogue(key, { known: '', isWriter: true })
      const [{ field, text }] = entries! as [CatalogueEntry]
      const put = new Map([[field, JSON.stringify({ ...JSON.parse(text), ...change })]])
      await store.askCatalogue(key, { known: '', isWriter: true, put })
    }
    const killed = spawnSync(process.execPath, ['--version']).pid

    it('does not keep another one out on the same host', async () => {
      await leaveEntry({ pid: killed })
      expect((await started(other)).database.mark).toBeDefined()
    })

    it('is forgotten if it had not found out its state', async () => {
      await leaveEntry({ pid: killed, state: 'starting', history: '9' })
      await started(primary)
      expect(await listed()).toMatchObject([{ entry: { state: 'running' } }])
    })

    it.each<readonly [string, object]>([
      ['elsewhere', { pid: killed, host: 'elsewhere' }],
      ['in another container of the same host name', { pid: killed, pidNamespace: 'pid:[1]' }],
      ['in another container, under the same number', { pid: process.pid, pidNamespace: 'pid:[1]' }],
    ])('keeps another one out %s, as nobody knows of it', async (_, change) => {
      await leaveEntry(change)
      await expect(processOn(other).database.start()).rejects.toThrow('is in use by processes')
    })
  })

  it('follows a standby that was promoted, and has running processes follow it', async () => {
    const one = await started(primary)
    const former = one.database.mark
    one.reads.description = promoted
    const two = await started(promoted)
    expect([two.warned, two.database.mark === former]).toEqual([[], false])
    await eventually(() => one.database.mark === two.database.mark)
    expect([one.reads.changes, one.warned]).toEqual([
      1,
      [
        expect.stringContaining(
          'has changed, or has gone back to an earlier state: it is shop now. Its caches',
        ),
      ],
    ])
  })

  it('is listed by a process that starts, with what it knows', async () => {
    const ask = jest.spyOn(store, 'askCatalogue')
    await started(primary)
    const put = ask.mock.calls.flatMap(([, { put = new Map<string, string>() }]) => [...put.values()])
    expect(put.map((text) => JSON.parse(text) as unknown)).toMatchObject([
      { ...primary, incarnation: '', state: 'starting' },
      { ...primary, incarnation: '', state: 'running' },
    ])
  })

  it.each(['starts', 'is asked again'])(
    'is not listed as that of a running process by one that ended as it %s',
    async (when) => {
      const isStarting = when === 'starts'
      const { database, reads } = isStarting ? processOn(primary) : await started(primary)
      const { promise, resolve } = Promise.withResolvers<void>()
      reads.answer = promise
      database.noteUse()
      const starting = database.start()
      const { asked } = reads
      await eventually(() => isStarting || reads.asked > asked)
      await database.stop()
      resolve()
      await starting
      await delay(20)
      expect((await listed()).map(({ isRunning }) => isRunning)).toEqual([false])
    },
  )

  it('is no longer listed as that of a process that has ended', async () => {
    await ended(primary)
    const ask = jest.spyOn(store, 'askCatalogue')
    await processOn(primary).database.stop()
    await delay(30)
    expect(ask).not.toHaveBeenCalled()
    expect(await listed()).toMatchObject([{ entry: { state: 'ended' } }])
  })

  it('begins with what it holds if it is the same as before', async () => {
    const former = await ended(primary)
    const next = await started({ ...primary, position: '101' })
    expect([next.database.mark, next.warned]).toEqual([former.database.mark, []])
    await delay(30)
    expect(next.reads.asked).toBe(1)
  })

  it('is remembered while others use the namespace, with the latest position', async () => {
    const marks: (string | undefined)[] = []
    for (const position of ['100', '130', '120'])
      marks.push((await ended({ ...primary, position })).database.mark)
    await ended({ ...other, position: '500' })
    const two = await started({ ...other, position: '501' })
    await delay(30)
    // Ended processes are not asked about again.
    expect(two.reads.asked).toBe(1)
    await two.database.stop()
    const restored = (await ended({ ...primary, position: '110' })).database.mark
    expect(marks).not.toContain(restored)
    // One for each state: of the primary there are three.
    expect(await listed()).toHaveLength(4)
  })

  it('is one of eight at most that are remembered', async () => {
    for (let i = 0; i < 11; i++) await ended({ ...primary, id: `postgresql/${i}/shop` })
    const ids = (await listed()).map(({ entry }) => entry.id)
    expect(ids).toHaveLength(9)
    expect(ids).toContain('postgresql/10/shop')
  })

  it('is asked once more if others have seen it at a later position than this process', async () => {
    const one = await started({ ...primary, position: '110' })
    const late = processOn({ ...primary, position: '100' })
    Object.defineProperty(late.reads, 'description', {
      get: () => ({ ...primary, position: late.reads.asked === 1 ? '100' : '120' }),
    })
    await late.database.start()
    expect([late.database.mark, late.reads.asked]).toEqual([one.database.mark, 2])
  })

  it('is asked again after the store has not answered', async () => {
    const one = await started(primary)
    jest.spyOn(store, 'askCatalogue').mockRejectedValueOnce(new Error('down'))
    await eventually(() => one.reads.asked > 1)
    expect(one.warned).toEqual([])
  })

  it('notices by itself that a standby was promoted, once it has loaded rows', async () => {
    const one = await started(primary)
    const former = one.database.mark
    one.reads.description = promoted
    await delay(30)
    expect(one.reads.asked).toBe(1)
    one.database.noteUse()
    await eventually(() => one.reads.changes === 1)
    expect(one.database.mark).not.toBe(former)
    expect(one.warned).toEqual([expect.stringContaining('is shop now. Its caches begin empty')])
  })

  it('calls no listener and no check that has ended', async () => {
    const one = processOn(primary)
    const calls: string[] = []
    one.database.onChange(() => calls.push('change'))()
    one.database.verify(() => calls.push('check'))()
    await one.database.start()
    one.reads.description = promoted
    one.database.noteUse()
    await eventually(() => one.reads.changes === 1)
    expect(calls).toEqual([])
  })

  it('notices by itself that its database has gone back, as all others that it is read by', async () => {
    const all = [await started(primary), await started({ ...primary, position: '110' })]
    for (const { database, reads } of all) {
      reads.description = { ...primary, position: '50' }
      database.noteUse()
    }
    await eventually(() => all.every(({ reads }) => reads.changes > 0))
    const late = await started({ ...primary, position: '51' })
    expect(new Set([...all, late].map(({ database }) => database.mark)).size).toBe(1)
    await delay(30)
    expect(all.map(({ reads, warned }) => [reads.changes, warned.length])).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  it('learns of a state that another process has found, though no process has started', async () => {
    const [one, idle] = [await started(primary), await started(primary)]
    for (const { reads } of [one, idle]) reads.description = promoted
    one.database.noteUse()
    await eventually(() => idle.reads.changes === 1)
    expect(idle.database.mark).toBe(one.database.mark)
  })

  it('keeps what it knows while the database cannot be asked', async () => {
    const one = await started(primary)
    const { mark } = one.database
    one.reads.description = undefined
    one.database.noteUse()
    await eventually(() => one.reads.asked > 1)
    await delay(30)
    expect(one.reads.asked).toBe(2)
    one.reads.answer = Promise.reject(new Error('down'))
    one.reads.answer.catch(() => {})
    one.database.noteUse()
    await eventually(() => one.reads.asked > 3)
    expect([one.database.mark, one.warned]).toEqual([mark, []])
  })

  it('accepts replicas, which do not tell their position', async () => {
    const one = await started(primary)
    const replica = await started({ ...primary, position: undefined })
    expect(replica.database.mark).toBe(one.database.mark)
  })

  it('begins anew with a database that is found at an earlier position, in all processes alike', async () => {
    const former = await started(primary)
    await former.database.stop()
    const restored = await started({ ...primary, position: '50' })
    expect(restored.database.mark).not.toBe(former.database.mark)
    expect(restored.warned).toEqual([expect.stringContaining('restored, promoted or made again since')])
    const later = await started({ ...primary, position: '60' })
    expect([later.database.mark, later.warned, later.reads.asked]).toEqual([restored.database.mark, [], 1])
    // Also where it has passed the position at which it was restored.
    const last = await started({ ...primary, position: '160' })
    expect(last.database.mark).toBe(restored.database.mark)
  })

  it('begins anew alike in processes that start at the same time after a restore', async () => {
    const former = await started(primary)
    await former.database.stop()
    const restored = ['50', '51', '52', '53'].map((position) => processOn({ ...primary, position }))
    await Promise.all(restored.map(({ database }) => database.start()))
    const marks = new Set(restored.map(({ database }) => database.mark))
    expect([marks.size, marks.has(former.database.mark)]).toEqual([1, false])
  })

  it('keeps its incarnation in processes that start at the same time, past the position at which it was restored', async () => {
    for (const position of ['100', '50']) await (await started({ ...primary, position })).database.stop()
    const last = await started({ ...primary, position: '160' })
    await last.database.stop()
    const next = ['160', '161', '162'].map((position) => processOn({ ...primary, position }))
    await Promise.all(next.map(({ database }) => database.start()))
    expect(next.map(({ database }) => database.mark)).toEqual(next.map(() => last.database.mark))
  })

  it('begins anew again when it is restored twice', async () => {
    const marks: (string | undefined)[] = []
    for (const position of ['100', '50', '60', '30', '20']) {
      const { database } = await started({ ...primary, position })
      marks.push(database.mark)
      await database.stop()
    }
    expect(marks[2]).toBe(marks[1])
    expect(new Set(marks).size).toBe(4)
  })

  it('tells copies apart that are in use at the same time, and says so once, after two heartbeats', async () => {
    const clock = manualClock()
    const one = await started(primary)
    const copy = await started({ ...promoted, name: 'a copy' })
    expect(copy.database.others).toEqual(['shop'])
    const beats = async (): Promise<void> => {
      const asked = [one, copy].map(({ reads }) => reads.asked + 2)
      await eventually(() => [one, copy].every(({ reads }, i) => reads.asked > asked[i]!))
    }
    await beats()
    clock.pass(9)
    await beats()
    expect([one.warned, copy.warned]).toEqual([[], []])
    clock.pass(1)
    await beats()
    await eventually(() => one.warned.length > 0 && copy.warned.length > 0)
    expect(one.database.mark).not.toBe(copy.database.mark)
    expect([one.database.others, copy.database.others]).toEqual([['a copy'], ['shop']])
    expect(one.warned).toEqual([
      'ModelCache: namespace "mc" is in use by two states of one database. This process reads shop, others read a copy: one of them is a ' +
        'copy, or has been promoted or restored while the other goes on. Neither is served rows of the other, but each removes those of ' +
        'the other from the store. Lead all processes to one of them, or give each a namespace.',
    ])
  })

  it('is not compared with what a role with other rights knows of it, which has a mark of its own', async () => {
    const one = await started(primary)
    const restricted = await started({ ...primary, id: 'migrated/1', history: '', name: 'migrated' })
    expect(restricted.database.mark).not.toBe(one.database.mark)
    await eventually(() => one.warned.length > 0)
    expect(one.warned).toEqual([
      'ModelCache: namespace "mc" may be in use by two databases. This process knows its own as shop, others know theirs as migrated: their ' +
        'roles have different rights, so the two cannot be compared. Neither is served rows of the other, but each removes those of the ' +
        'other from the store. Grant both roles the execution of pg_control_system(), pg_control_checkpoint() and pg_control_recovery().',
    ])
  })

  it('says so when it has been handed over to another one that is in use as well', async () => {
    const one = await started(primary)
    await new DatabaseEntries(store, 'mc').handOver()
    const two = await started(other)
    await eventually(() => one.warned.length > 0 && two.warned.length > 0)
    expect(one.warned).toEqual([
      'ModelCache: namespace "mc" is in use by two databases. This process reads shop, others read another shop. Neither is served rows of ' +
        'the other, but each removes those of the other from the store. Give each database a namespace of its own.',
    ])
  })

  it('is refused to others by processes that were started since it was handed over', async () => {
    const handOver = async (): Promise<void> => {
      await eventually(() => Date.now() > startedMs)
      await new DatabaseEntries(store, 'mc').handOver()
      const handedOverMs = Date.now()
      await eventually(() => Date.now() > handedOverMs)
    }
    let startedMs = 0
    await handOver()
    await started(primary)
    await expect(processOn(other).database.start()).rejects.toThrow('is in use by processes that read shop.')
    startedMs = Date.now()
    await handOver()
    await started(other)
    await expect(processOn({ ...other, id: 'postgresql/3/shop' }).database.start()).rejects.toThrow(
      'is in use by processes that read another shop.',
    )
  })

  it('does not refuse clients whose models name their schemas', async () => {
    await started(primary)
    const all = await started({ ...primary, schema: '' })
    expect(all.database.mark).toBeDefined()
    const another = await started({ ...primary, schema: 'archive' }).catch((error: unknown) => error)
    expect(another).toMatchObject({ code: 'E_FOREIGN_DATABASE' })
  })

  it('does not refuse clients of one schema where another one names its schemas', async () => {
    await started({ ...primary, schema: '' })
    expect((await started(primary)).database.mark).toBeDefined()
  })

  it('is unknown where it cannot be determined, and the answer was late', async () => {
    const one = processOn(undefined, { startMs: 20 })
    let answer = (): void => {}
    one.reads.answer = new Promise((resolve) => (answer = resolve))
    await one.database.start()
    answer()
    await eventually(() => one.database.mark === '')
    // Longer than it waits before it goes on.
    await delay(300)
    expect([one.told, one.warned.length]).toEqual([[], 2])
  })

  it('says so if the database does not answer in time, and goes on when it does', async () => {
    const one = processOn(primary, { startMs: 20 })
    let answer = (): void => {}
    one.reads.answer = new Promise((resolve) => (answer = resolve))
    await one.database.start()
    expect([one.database.mark, one.warned]).toEqual([
      undefined,
      [expect.stringMatching(/is not known yet.*The reason: there was no answer within 20 ms$/)],
    ])
    answer()
    await eventually(() => one.told.length > 0)
    expect([one.database.name, one.told, one.reads.asked]).toEqual([
      'shop',
      ['ModelCache: namespace "mc" is for shop.'],
      1,
    ])
  })

  it('says so if it is another one, and answers when the start has not waited for it', async () => {
    await started(primary)
    const late = processOn(other, { startMs: 20 })
    let answer = (): void => {}
    late.reads.answer = new Promise((resolve) => (answer = resolve))
    await late.database.start()
    answer()
    await eventually(() => late.warned.length > 1)
    expect(late.warned[1]).toMatch(
      /this process reads another shop.* Until then its rows are read from their/,
    )
    expect(late.database.mark).toBeUndefined()
  })

  describe('which tables of it share rows', () => {
    const shared = new SharedTables([], false)
    const startWith = async (sharedTables: () => Promise<SharedTables | undefined>, refusal?: Error) => {
      const warned: string[] = []
      const heard: [SharedTables, string | undefined][] = []
      const database = new NamespaceDatabase({
        store,
        database: { describe: async () => primary, sharedTables },
        warn: (message) => void warned.push(message),
      })
      opened.push(database)
      database.onTables((found) => {
        heard.push([found, database.mark])
        if (refusal) throw refusal
      })
      const failure: unknown = await database.start().catch((error: unknown) => error)
      return { database, failure, heard, warned }
    }

    it('is told before a stored value counts', async () => {
      const { database, heard, warned } = await startWith(async () => shared)
      expect(heard).toEqual([[shared, undefined]])
      expect([database.sharedTables, typeof database.mark, warned]).toEqual([shared, 'string', []])
    })

    it('does not reach a listener that has ended', async () => {
      const database = new NamespaceDatabase({
        store,
        database: { describe: async () => primary, sharedTables: async () => shared },
      })
      opened.push(database)
      const heard: SharedTables[] = []
      database.onTables((found) => heard.push(found))()
      await database.start()
      expect([database.sharedTables, heard]).toEqual([shared, []])
    })

    it('can refuse the start', async () => {
      const refusal = new ConfigurationError('E_MISSING_DEPENDENCIES', 'a view')
      const { database, failure } = await startWith(async () => shared, refusal)
      expect([failure, database.mark]).toEqual([refusal, undefined])
    })

    it('is unknown, with a warning, where the role may not ask', async () => {
      const { database, heard, warned } = await startWith(async () => undefined)
      expect([database.sharedTables, typeof database.mark, heard]).toEqual([undefined, 'string', []])
      expect(warned).toEqual([
        expect.stringContaining('does not tell this role which of its tables are views'),
      ])
    })
  })

  it('has no mark until the database has answered', async () => {
    const one = processOn(primary)
    let isDown = true
    let asked = 0
    const flaky = new NamespaceDatabase({
      store,
      database: {
        async describe() {
          asked++
          if (isDown) throw new Error('down')
          return primary
        },
      },
      warn: (message) => void one.warned.push(message),
    })
    opened.push(flaky)
    await flaky.start()
    expect([flaky.mark, flaky.name]).toEqual([undefined, 'not known yet'])
    await eventually(() => asked > 1)
    isDown = false
    await eventually(() => flaky.mark !== undefined)
    expect(flaky.name).toBe('shop')
  })
})
