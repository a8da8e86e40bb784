import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../../../test/support/eventually.js'
import type { DatabaseDescription } from '../source/database.js'
import { MemoryStore } from '../store/memory-store.js'
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
afterEach(() => Promise.all(opened.map((database) => database.stop())))

/** A process; its database may become another one. */
function processOn(description: DatabaseDescription | undefined) {
  const warned: string[] = []
  const log = { warn: (message: string) => void warned.push(message), info: () => {} }
  const reads = { description, asked: 0, changes: 0 }
  const database = new NamespaceDatabase({
    store,
    namespace: 'mc',
    database: {
      async describe() {
        reads.asked++
        return reads.description
      },
    },
    log,
    heartbeatMs: 5,
  })
  database.onChange(() => reads.changes++)
  opened.push(database)
  return { database, reads, warned }
}

async function started(description: DatabaseDescription | undefined) {
  const one = processOn(description)
  await one.database.start()
  return one
}

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
    const one = await started(primary)
    const refused = processOn(other)
    await expect(refused.database.start()).rejects.toThrow(
      'this process reads another shop, but namespace "mc" is in use by processes that read shop.',
    )
    expect(refused.database.mark).toBeUndefined()
    // It could have been that database by now.
    await eventually(() => one.reads.asked > 1)
    expect([one.warned, one.reads.changes]).toEqual([[], 0])
  })

  it('accepts another one, with another mark, once the processes of the first have ended', async () => {
    const one = await started(primary)
    await one.database.stop()
    const two = await started(other)
    expect(two.database.mark).not.toBe(one.database.mark)
    expect(two.warned).toEqual([
      'ModelCache: the caches of namespace "mc" begin empty. They held rows of shop, and this process reads another shop.',
    ])
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
    expect([later.database.mark, later.warned]).toEqual([restored.database.mark, []])
    // Also where it has passed the position at which it was restored.
    const last = await started({ ...primary, position: '160' })
    expect(last.database.mark).toBe(restored.database.mark)
  })

  it('tells copies apart that are in use at the same time, and says so', async () => {
    const one = await started(primary)
    const copy = await started({ ...promoted, name: 'a copy' })
    await eventually(() => one.warned.length > 0 && copy.warned.length > 0)
    expect(one.database.mark).not.toBe(copy.database.mark)
    expect([one.database.others, copy.database.others]).toEqual([['a copy'], ['shop']])
    expect(one.warned).toEqual([
      'ModelCache: namespace "mc" is in use by two databases. This process reads shop, others read a copy. None is served rows of the ' +
        'other, but each removes those of the other from the store. Give each database a namespace of its own.',
    ])
  })

  it('does not refuse clients whose models name their schemas', async () => {
    await started(primary)
    const all = await started({ ...primary, schema: '' })
    expect(all.database.mark).toBeDefined()
  })

  it('is unknown where it cannot be determined, with a warning', async () => {
    const { database, warned } = await started(undefined)
    expect([database.mark, database.name]).toEqual(['', 'unknown'])
    expect(warned).toEqual([expect.stringContaining('cannot be determined')])
  })

  it('has no mark until the database has answered', async () => {
    const one = processOn(primary)
    let isDown = true
    const { describe } = { describe: async () => primary }
    const flaky = new NamespaceDatabase({
      store,
      namespace: 'mc',
      database: { describe: () => (isDown ? Promise.reject(new Error('down')) : describe()) },
      log: { warn: (message) => void one.warned.push(message), info: () => {} },
    })
    opened.push(flaky)
    await flaky.start()
    expect([flaky.mark, flaky.name]).toEqual([undefined, 'not known yet'])
    isDown = false
    await eventually(() => flaky.mark !== undefined)
    expect(flaky.name).toBe('shop')
  })
})
