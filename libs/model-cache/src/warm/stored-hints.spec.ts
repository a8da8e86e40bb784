import { eventually, turns } from '../../../../test/support/eventually.js'
import { FakeServer } from '../../../../test/support/fake-server.js'
import { createKeySpace, type ValkeyNode, type ValkeyNodes } from '../protocol/index.js'
import { entryOf } from '../protocol/registry/cache-description.js'
import { StoreError } from '../errors.js'
import { hintsFrom, readStoredHints } from './stored-hints.js'

const description = {
  name: 'Lot',
  model: 'Lot',
  id: [
    { name: 'fundraiserId', kind: 'string' },
    { name: 'lot', kind: 'number' },
  ],
  buckets: 4,
  dependsOn: [],
  lookups: [],
  tables: undefined,
} as const
const keysOf = (fingerprint: string) =>
  createKeySpace<object, object>({ ...description, namespace: 'mc', fingerprint })
const keyOf = (fundraiserId: string, lot: number, fingerprint = 'new'): string => {
  const keys = keysOf(fingerprint)
  return keys.keyOf(keys.toRowId({ fundraiserId, lot }))
}
const hint = (fundraiserId: string, lot: number) => ({
  cache: 'Lot',
  id: JSON.stringify({ fundraiserId, lot }),
})

/** A server that counts recency, whose every call of SCAN returns the next of some lists of keys. */
class Server {
  readonly calls: string[] = []
  /** Fields of the catalogue, and what they hold. */
  ownEntries: readonly string[] = ['new', 'old'].flatMap((fingerprint) => {
    const { field, text } = entryOf(description, fingerprint)
    return [field, `1;1;${text}`]
  })
  otherEntries: readonly string[] = []
  /** Keys that have expired since they were listed, of which it answers any command. */
  gone: ReadonlySet<string> = new Set()
  /** Why it does not say how often keys are read. */
  frequencyProblem = 'ERR An LFU maxmemory policy is not selected'
  readonly node: ValkeyNode
  constructor(
    scans: readonly (readonly string[] | Error)[],
    idleSeconds: (key: string) => number | null = () => 0,
  ) {
    const call = async (command: string, ...args: readonly string[]): Promise<unknown> => {
      const [first = '', key = ''] = args
      this.calls.push(command === 'OBJECT' ? `${command} ${first}` : command)
      if (command === 'HGETALL') return [...this.ownEntries, ...this.otherEntries]
      if (command === 'SCAN') {
        const found = scans[Number(first)]!
        if (found instanceof Error) throw found
        const next = Number(first) + 1
        return [next === scans.length ? '0' : String(next), found]
      }
      if (this.gone.has(key)) return null
      if (first === 'FREQ') throw new StoreError('valkey', `OBJECT failed: ${this.frequencyProblem}`)
      return first === 'IDLETIME' ? idleSeconds(key) : null
    }
    this.node = { name: 'valkey:6379', call, get: async () => null, listen: async () => {} }
  }
}

const nodesOf = (...servers: Server[]): ValkeyNodes => {
  const primaries = servers.map(({ node }) => node)
  return { primaries, nodeOf: () => primaries[0]! } as unknown as ValkeyNodes
}

it('takes the rows that were read last, each once', async () => {
  const idle: Readonly<Record<string, number | null>> = {
    [keyOf('tea', 1)]: 30,
    [keyOf('tea', 2)]: 5,
    [keyOf('tea', 3)]: 9,
    [keyOf('tea', 3, 'old')]: 1,
    [keyOf('tea', 4)]: null,
  }
  const keys = Object.keys(idle)
  const server = new Server([keys.slice(0, 3), [], keys.slice(3)], (key) => idle[key]!)
  expect(await readStoredHints(nodesOf(server), 'mc', 2)).toEqual({
    hints: [hint('tea', 3), hint('tea', 2)],
    problem: undefined,
  })
  expect(new Set(server.calls)).toEqual(new Set(['HGETALL', 'GET', 'SCAN', 'OBJECT FREQ', 'OBJECT IDLETIME']))
})

it('leaves out rows that are gone', async () => {
  const server = new Server([[keyOf('tea', 1), keyOf('tea', 2)]], (key) =>
    key === keyOf('tea', 1) ? null : 7,
  )
  expect((await readStoredHints(nodesOf(server), 'mc', 9)).hints).toEqual([hint('tea', 2)])
})

it.each([
  ['the first key is', [['tea', 'coffee']]],
  ['all keys of the first call are', [['tea'], [], ['coffee']]],
])('finds out how keys are read where %s gone', async (_, scans) => {
  const server = new Server(scans.map((names) => names.map((name) => keyOf(name, 1))))
  server.gone = new Set([keyOf('tea', 1)])
  expect(await readStoredHints(nodesOf(server), 'mc', 9)).toEqual({
    hints: [hint('coffee', 1)],
    problem: undefined,
  })
})

it('returns nothing of a namespace without rows, and asks for the heat of none', async () => {
  const server = new Server([[], []])
  expect(await readStoredHints(nodesOf(server), 'mc', 9)).toEqual({ hints: [], problem: undefined })
  expect(server.calls).toEqual(['HGETALL', 'GET', 'SCAN', 'SCAN'])
})

it('leaves out caches whose descriptions it cannot read', async () => {
  const server = new Server([[keyOf('tea', 1), 'mc:{Bid:1}:7:new']])
  server.otherEntries = ['Bid:new', '1;1;{"v":"another"}']
  expect((await readStoredHints(nodesOf(server), 'mc', 9)).hints).toEqual([hint('tea', 1)])
})

it('leaves out what stands for the rows of a value, by which results end', async () => {
  const register = { ...description, name: 'Lot.results.lot', id: [{ name: 'lot', kind: 'number' }] } as const
  const { field, text } = entryOf(register, 'new')
  const keys = createKeySpace<object, number>({ ...register, namespace: 'mc', fingerprint: 'new' })
  const server = new Server([[keys.keyOf(7), keyOf('tea', 1)]])
  server.otherEntries = [field, `1;1;${text}`]
  expect((await readStoredHints(nodesOf(server), 'mc', 9)).hints).toEqual([hint('tea', 1)])
})

it('says of wanted caches alone that their ids cannot be read', async () => {
  const atRest = { isEncrypted: true, isCompressed: false, hashedBy: 'key' }
  const { field, text } = entryOf({ ...description, name: 'Bid', atRest }, 'new')
  const server = new Server([[keyOf('tea', 1)]])
  server.otherEntries = [field, `1;1;${text}`]
  const nodes = nodesOf(server)
  expect((await readStoredHints(nodes, 'mc', 9)).problem).toMatch(/^the ids of Bid are hashed/)
  const found = await readStoredHints(nodes, 'mc', 9, (cache) => cache === 'Lot')
  expect(found).toEqual({ hints: [hint('tea', 1)], problem: undefined })
})

it('fails if it can read no description', async () => {
  const server = new Server([[]])
  server.ownEntries = ['Lot:new', '1;1;{"v":"another"}']
  await expect(readStoredHints(nodesOf(server), 'mc', 9)).rejects.toThrow('the namespace "mc" has no caches')
})

it('asks for the heat of at most a hundred keys in an event-loop turn', async () => {
  const counts = new Map<number, number>()
  let [turn, isDone] = [0, false]
  const next = (): void => {
    turn++
    if (!isDone) setImmediate(next)
  }
  const server = new Server([Array.from({ length: 500 }, (_, i) => keyOf('tea', i))], () => {
    counts.set(turn, (counts.get(turn) ?? 0) + 1)
    return 0
  })
  next()
  await readStoredHints(nodesOf(server), 'mc', 9)
  isDone = true
  expect([...counts.values()]).toEqual([99, 100, 100, 100, 100, 1])
})

it('leaves out guards, entries of lookups, and what others have stored', async () => {
  const row = keyOf('a:b', 7)
  const others = [`${row}:l`, 'mc:{Lot}:register', 'mc:{Lot:1}:ofFundraiser=7:other', 'mc:{Bid:1}:7:new']
  const damaged = ['mc:{Lot:1}:7:new', 'mc:{Lot:1}', 'mc:{}:', 'mc:{Lot:1}:x:y:z:new']
  const { hints } = await readStoredHints(nodesOf(new Server([[...others, row, ...damaged]])), 'mc', 10)
  expect(hints).toContainEqual(hint('a:b', 7))
  expect(hints.filter(({ cache }) => cache !== 'Lot')).toEqual([])
})

it('looks through twenty keys for each hint, or a hundred thousand', async () => {
  const pages = (count: number) => Array.from({ length: count }, (_, i) => [keyOf('tea', i)])
  const scansFor = async (rows: number, count = 1): Promise<number> => {
    const servers = Array.from({ length: count }, () => new Server(pages(500)))
    await readStoredHints(nodesOf(...servers), 'mc', rows)
    return servers.flatMap(({ calls }) => calls.filter((call) => call === 'SCAN')).length
  }
  expect(await scansFor(1)).toBe(200)
  expect(await scansFor(1, 2)).toBe(200)
  expect(await scansFor(10_000)).toBe(400)
})

it('keeps the hottest of many, also where one heat has most of them', async () => {
  const heatOf = (lot: number): number => (lot % 10 === 0 ? lot % 70 : 99)
  const all = Array.from({ length: 2_000 }, (_, lot) => lot)
  const idle = new Map(all.map((lot) => [keyOf('tea', lot), heatOf(lot)]))
  const pages = all.map((lot) => [keyOf('tea', lot)])
  const server = new Server([pages.flat().slice(0, 1_000), pages.flat().slice(1_000)], (key) =>
    idle.get(key)!,
  )
  const { hints } = await readStoredHints(nodesOf(server), 'mc', 20)
  const lots = hints.map(({ id }) => (JSON.parse(id) as { lot: number }).lot)
  expect(lots.map(heatOf)).toEqual(Array(20).fill(0))
  expect(new Set(lots).size).toBe(20)
})

it('returns what was read before a server failed', async () => {
  const failing = new Server([[keyOf('tea', 1)], new StoreError('valkey', 'the connection was lost')])
  const { hints, problem } = await readStoredHints(nodesOf(failing, new Server([[keyOf('tea', 2)]])), 'mc', 9)
  expect(hints).toEqual(expect.arrayContaining([hint('tea', 1), hint('tea', 2)]))
  expect(problem).toContain('the connection was lost')
})

it('fails if nothing was read', async () => {
  const failing = new Server([new StoreError('valkey', 'the connection was lost')])
  await expect(readStoredHints(nodesOf(failing), 'mc', 9)).rejects.toThrow('the connection was lost')
})

it('fails if the server does not say which keys are read, also while other calls fail', async () => {
  const lost = new StoreError('valkey', 'the connection was lost')
  const server = new Server([[keyOf('tea', 1)], lost])
  server.frequencyProblem = 'NOPERM this user may not'
  await expect(readStoredHints(nodesOf(server), 'mc', 9)).rejects.toThrow('NOPERM this user may not')
  // An unhandled rejection would be reported now.
  await turns(1)
  expect(server.calls).not.toContain('OBJECT IDLETIME')
})

it('fails if the heat of keys is lost, also of keys that the next turns ask for', async () => {
  const server = new Server([Array.from({ length: 300 }, (_, i) => keyOf('tea', i))], () => {
    throw new StoreError('valkey', 'the connection was lost')
  })
  await expect(readStoredHints(nodesOf(server), 'mc', 9)).rejects.toThrow('the connection was lost')
})

describe('hints from a server', () => {
  afterEach(() => FakeServer.stopAll())
  const { field, text } = entryOf(description, 'new')
  const answers = { HGETALL: [field, `1;1;${text}`], SCAN: ['0', [keyOf('tea', 1)]], OBJECT: 7 }
  const sourceOf = ({ name }: FakeServer) => ({ address: { url: `valkey://${name}` }, namespace: 'mc' })
  const silence = new Promise<never>(() => {})

  it.each([
    ['that has rows', answers, { hints: [hint('tea', 1)], problem: undefined }],
    ['that has none', { ...answers, SCAN: ['0', []] }, { hints: [], problem: undefined }],
  ])('%s leave no connection', async (_, replies, found) => {
    const server = await FakeServer.start(replies)
    expect(await hintsFrom(sourceOf(server), 9, new AbortController().signal)).toEqual(found)
    await server.isLeft()
  })

  it('that fails leave no connection', async () => {
    const server = await FakeServer.start({ HGETALL: new Error('NOPERM this user may not') })
    const reading = hintsFrom(sourceOf(server), 9, new AbortController().signal)
    await expect(reading).rejects.toThrow('NOPERM')
    await server.isLeft()
  })

  it('leave no connection when their signal ends', async () => {
    const ending = new AbortController()
    const server = await FakeServer.start({ ...answers, HGETALL: silence })
    const reading = hintsFrom(sourceOf(server), 9, ending.signal)
    reading.catch(() => {})
    await eventually(() => server.sent.some((words) => words.startsWith('HGETALL')))
    ending.abort()
    await server.isLeft()
    await expect(reading).rejects.toThrow(StoreError)
  })

  it('are not read if their signal ends while it connects', async () => {
    const ending = new AbortController()
    const slots = Promise.withResolvers<string>()
    const server = await FakeServer.start({ ...answers, 'CLUSTER SLOTS': slots.promise })
    const reading = hintsFrom(sourceOf(server), 9, ending.signal)
    await eventually(() => server.sent.includes('CLUSTER SLOTS'))
    ending.abort(new Error('closed'))
    slots.resolve('OK')
    await expect(reading).rejects.toThrow('closed')
    expect(server.sent.filter((words) => words.startsWith('HGETALL'))).toEqual([])
    await server.isLeft()
  })
})
