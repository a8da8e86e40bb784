import { createKeySpace, type ValkeyNode, type ValkeyNodes } from '../protocol/index.js'
import { entryOf } from '../protocol/registry/cache-description.js'
import { StoreError } from '../errors.js'
import { readStoredHints } from './stored-hints.js'

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
  readonly node: ValkeyNode
  constructor(
    scans: readonly (readonly string[] | Error)[],
    idleSeconds: (key: string) => number | null = () => 0,
  ) {
    const call = async (command: string, ...args: readonly string[]): Promise<unknown> => {
      const [first = '', key = ''] = args
      this.calls.push(command === 'OBJECT' ? `${command} ${first}` : command)
      if (command === 'HGETALL')
        return ['new', 'old'].flatMap((fingerprint) => {
          const { field, text } = entryOf(description, fingerprint)
          return [field, `1;1;${text}`]
        })
      if (command === 'SCAN') {
        const found = scans[Number(first)]!
        if (found instanceof Error) throw found
        const next = Number(first) + 1
        return [next === scans.length ? '0' : String(next), found]
      }
      if (first === 'FREQ')
        throw new StoreError('valkey', 'OBJECT failed: ERR An LFU maxmemory policy is not selected')
      return first === 'IDLETIME' ? idleSeconds(key) : null
    }
    this.node = { name: 'valkey:6379', call, listen: async () => {} }
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
  const scansFor = async (rows: number): Promise<number> => {
    const server = new Server(pages(500))
    await readStoredHints(nodesOf(server), 'mc', rows)
    return server.calls.filter((call) => call === 'SCAN').length
  }
  expect(await scansFor(1)).toBe(200)
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
