import { hostname } from 'node:os'
import { jest } from '@jest/globals'
import { answeringNode, answeringNodes } from '../../../../../test/support/answering-node.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import { databasesKey } from '../format/key-space.js'
import { DatabaseEntries, listProcesses } from './database-entries.js'

const identity = (id: string) => ({
  id,
  schema: 'public',
  history: '1',
  incarnation: '',
  name: `name of ${id}`,
})
const own = 'postgresql/7/shop'
const other = 'postgresql/7/staging'

function newEntries() {
  const store = new MemoryStore()
  const program = new DatabaseEntries(store, 'mc')
  return {
    process: new DatabaseEntries(store, 'mc'),
    program,
    othersThan: async (id: string) => (await program.readersBeside(id)).others,
  }
}

describe('the databases of running processes, for a program that reads no rows', () => {
  it('are those with another id, until their processes have ended', async () => {
    const { othersThan, process } = newEntries()
    expect(await othersThan(own)).toEqual([])
    await process.put(identity(other), 'running')
    expect(await othersThan(own)).toEqual([`name of ${other}`])
    expect(await othersThan(other)).toEqual([])
    await process.put(identity(other), 'ended')
    expect(await othersThan(own)).toEqual([])
    await process.put(identity(other), 'running')
    expect(await othersThan(own)).toEqual([`name of ${other}`])
  })

  it('are not those that are known by something else', async () => {
    const { othersThan, process } = newEntries()
    await process.put(identity('migrated/4711'), 'running')
    expect(await othersThan(own)).toEqual([])
  })

  it('are this one too, where they read from its primary, which says how far it has got', async () => {
    const { process, program } = newEntries()
    await process.put(identity(own), 'running')
    expect((await program.readersBeside(own)).ofPrimary).toEqual([])
    await process.put({ ...identity(own), position: '7' }, 'running')
    expect(await program.readersBeside(own)).toEqual({ others: [], ofPrimary: [`name of ${own}`] })
    await process.put({ ...identity(other), position: '7' }, 'running')
    expect(await program.readersBeside(own)).toEqual({ others: [`name of ${other}`], ofPrimary: [] })
  })
})

describe('the entry of a process', () => {
  it('is listed to others as running while it starts and runs, and not to itself', async () => {
    const { process, program } = newEntries()
    for (const [state, isSettled] of [
      ['starting', false],
      ['running', true],
    ] as const) {
      expect(await process.put(identity(own), state)).toEqual({ processes: [], handedOverMs: 0 })
      expect((await program.list()).processes).toMatchObject([
        {
          entry: { ...identity(own), state, host: hostname() },
          isRunning: true,
          wasRefused: false,
          isSettled,
        },
      ])
    }
  })

  it.each(['ended', 'refused'] as const)(
    'does not count as running when it could not say that it has %s',
    async (state) => {
      const store = new FlakyStore(new MemoryStore())
      const process = new DatabaseEntries(store, 'mc')
      await process.put(identity(own), 'running')
      store.fail('askCatalogue')
      await expect(process.put(identity(own), state)).rejects.toThrow('askCatalogue fails')
      store.recover()
      const { processes } = await new DatabaseEntries(store, 'mc').list()
      expect(processes).toMatchObject([{ entry: { state: 'running' }, isRunning: false }])
    },
  )

  it('is removed if it has not been renewed since', async () => {
    const store = new FlakyStore(new MemoryStore())
    const [process, program] = [new DatabaseEntries(store, 'mc'), new DatabaseEntries(store, 'mc')]
    await process.put(identity(own), 'running')
    const { processes: before } = await program.list()
    await process.put(identity(own), 'running')
    const { processes } = await program.list()
    await program.remove(before)
    expect((await program.list()).processes).toHaveLength(1)
    await program.remove(processes)
    expect((await program.list()).processes).toEqual([])
    const { askCatalogue } = store.calls
    await program.remove([])
    expect(store.calls.askCatalogue).toBe(askCatalogue)
  })
})

describe('the processes of a namespace, as its key has them', () => {
  const nowMs = 1_000_000
  const entry = { ...identity(own), host: 'elsewhere', pid: 1, pidNamespace: '', state: 'running' }
  const listed = (fields: readonly (readonly [string, number, unknown])[]) =>
    fields.flatMap(([field, ageMs, text]) => [
      field,
      `0;${nowMs - ageMs};${typeof text === 'string' ? text : JSON.stringify(text)}`,
    ])
  const listing = (fields: readonly string[] | object) => {
    const node = answeringNode({
      [`HGETALL ${databasesKey('mc')}`]: fields,
      TIME: [String(nowMs / 1_000), '0'],
    })
    return listProcesses(answeringNodes([node]) as never, 'mc')
  }

  afterEach(() => jest.restoreAllMocks())

  it('are running ones first, then those first that were heard of last', async () => {
    const fields = listed([
      ['a', 900, { ...entry, name: 'a', state: 'ended' }],
      ['b', 800, { ...entry, name: 'b' }],
      ['c', 500, { ...entry, name: 'c', state: 'ended' }],
      ['d', 600, { ...entry, name: 'd', state: 'starting' }],
      ['handed-over', 700, '{}'],
      ['e', 950, { ...entry, name: 'e' }],
    ])
    for (const answer of [fields, Object.fromEntries(chunked(fields))]) {
      const { processes, handedOverMs } = await listing(answer)
      expect([processes.map(({ entry: { name } }) => name), handedOverMs]).toEqual([
        ['d', 'b', 'e', 'c', 'a'],
        nowMs - 700,
      ])
    }
  })

  it.each([
    ['running', 0, [true, false, true]],
    ['running', 74_999, [true, false, true]],
    ['running', 75_000, [false, false, true]],
    ['starting', 0, [true, false, false]],
    ['starting', 75_000, [false, false, false]],
    ['refused', 74_999, [false, true, false]],
    ['refused', 75_000, [false, false, false]],
    ['ended', 0, [false, false, true]],
    ['of a later version', 0, [false, false, false]],
  ])('that are %s %i ms after they said so', async (state, ageMs, expected) => {
    const { processes } = await listing(listed([['a', ageMs, { ...entry, state }]]))
    expect(processes.map((each) => [each.isRunning, each.wasRefused, each.isSettled])).toEqual([expected])
  })

  it.each(['id', 'schema', 'history', 'incarnation', 'name', 'host'])(
    'do not have entries without the text `%s`, which another version has put',
    async (field) => {
      const { processes } = await listing(
        listed([
          ['a', 0, { ...entry, [field]: undefined }],
          ['b', 0, { ...entry, [field]: 7 }],
          ['c', 0, 'no JSON'],
          ['d', 0, entry],
        ]),
      )
      expect(processes.map(({ listed: { field: key } }) => key)).toEqual(['d'])
    },
  )

  it('of this host are known to have ended by their numbers', async () => {
    // As this process says it, as its numbers are those of its container.
    const store = new MemoryStore()
    await new DatabaseEntries(store, 'mc').put(identity(own), 'running')
    const here = (await new DatabaseEntries(store, 'mc').list()).processes[0]!.entry
    const isRunning = async (change: object): Promise<boolean> =>
      (await listing(listed([['a', 0, { ...here, ...change }]]))).processes[0]!.isRunning
    // The number of this process, which has put no such entry.
    expect(await isRunning({})).toBe(false)
    expect(await isRunning({ pid: process.ppid })).toBe(true)
    const kill = jest.spyOn(process, 'kill')
    for (const [code, expected] of [
      ['ESRCH', false],
      // It is that of another user.
      ['EPERM', true],
    ] as const) {
      kill.mockImplementation(() => {
        throw Object.assign(new Error(code), { code })
      })
      expect(await isRunning({ pid: 4_711 })).toBe(expected)
    }
    expect(kill.mock.calls).toEqual([
      [4_711, 0],
      [4_711, 0],
    ])
  })

  it('have numbers of the container that they run in, where there may be several', async () => {
    const store = new MemoryStore()
    await new DatabaseEntries(store, 'mc').put(identity(own), 'running')
    const { processes } = await new DatabaseEntries(store, 'mc').list()
    expect(processes[0]!.entry.pidNamespace).toMatch(process.platform === 'linux' ? /^pid:\[\d+\]$/ : /^$/)
  })
})

function chunked(fields: readonly string[]): [string, string][] {
  return Array.from({ length: fields.length / 2 }, (_, i) => [fields[2 * i]!, fields[2 * i + 1]!])
}
