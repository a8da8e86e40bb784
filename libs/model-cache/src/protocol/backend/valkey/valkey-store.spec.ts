import { EventEmitter } from 'node:events'
import { jest } from '@jest/globals'
import slotOf from 'cluster-key-slot'
import type { Command } from 'ioredis'
import type { RegisterChange, StoreStateListener } from '../store.js'
import { digestOf, type Script } from './valkey-scripts.js'
import { ValkeyStore } from './valkey-store.js'

afterEach(() => jest.restoreAllMocks())

/** What scripts reply. */
const replies: Partial<Record<Script, unknown>> = {
  lease: 't@1',
  fill: 1,
  releaseLeases: 1,
  fence: [1],
  releaseFences: [1],
  change: ['text', '7'],
  catalogue: ['e', 'e.1', '7', []],
  serverCheck: ['live', 'e', '5', 'run', '0'],
}

/** A connection whose commands succeed, unless there is a reason against it. */
class FakeConnection extends EventEmitter {
  readonly isCluster: boolean = false
  readonly options: object
  readonly sent: string[] = []
  readonly stream = { writable: true, writableLength: 0, cork: () => {}, uncork: () => {} }
  status = 'ready'
  role = 'master'
  reason: string | undefined

  constructor(options: object = {}) {
    super()
    this.options = options
  }

  async sendCommand({ name, args }: Command): Promise<unknown> {
    const script = (Object.keys(replies) as Script[]).find((each) => digestOf(each) === args[0])
    this.#send(script ?? `${name} ${args.length}`)
    return script ? [0, replies[script]] : args.map(() => null)
  }
  async connect(): Promise<void> {
    this.#send('connect')
    this.status = 'ready'
  }
  async ping(): Promise<void> {
    this.#send('ping')
  }
  async info(): Promise<string> {
    return `role:${this.role}`
  }
  async scan(): Promise<[string, string[]]> {
    return ['0', ['mc:{catalogue}']]
  }
  async quit(): Promise<void> {
    this.#send('quit')
    this.#end()
  }
  disconnect(isReconnecting = false): void {
    this.#send(isReconnecting ? 'reconnect' : 'disconnect')
    if (!isReconnecting) this.#end()
  }
  async hello(): Promise<void> {}
  async auth(): Promise<void> {}
  async asking(): Promise<void> {}
  async subscribe(): Promise<void> {}
  #send(command: string): void {
    this.sent.push(command)
    if (this.reason !== undefined) throw new Error(this.reason)
  }
  #end(): void {
    if (this.status === 'end') return
    this.status = 'end'
    this.emit('end')
  }
}

/** A connection to a cluster with two nodes, each of which has the slot of one tag. */
class FakeCluster extends FakeConnection {
  override readonly isCluster = true
  readonly slots: string[][] = []
  readonly all = [1, 2].map((port) => new FakeConnection({ host: 'h', port }))

  constructor() {
    super()
    Object.assign(this.slots, { [slotOf('a')]: ['h:1'], [slotOf('b')]: ['h:2'] })
  }

  nodes(): FakeConnection[] {
    return this.all
  }
  refreshSlotsCache(): void {}
}

/**
 * A store whose connections are fakes.
 *
 * @param listen called by each of its listeners
 */
function open<Connection extends FakeConnection>(create: () => Connection, listen = (): unknown => null) {
  const connections: Connection[] = []
  const duplicate = (): Connection => {
    const connection = create()
    connections.push(connection)
    return connection
  }
  const client = { isCluster: create().isCluster, options: {}, mget: () => {}, duplicate }
  const states: string[] = []
  const onStateChange: StoreStateListener = (side, state, reason) => {
    states.push(`${side} ${state}: ${reason}`)
    return listen() as void
  }
  const store = new ValkeyStore({ client, deadlineMs: 60_000 }, onStateChange, { onForeignKeys: listen })
  const [reader, writer] = connections as [Connection, Connection]
  return { store, states, reader, writer, connections }
}

const single = () => open(() => new FakeConnection())
const cluster = () => open(() => new FakeCluster())
const aTurn = () => new Promise(setImmediate)

const row = { key: '{a}1', guard: '{a}1:l' }
const request = { token: 't', leaseMs: 60_000, onlyAbsent: false, onlyUnmarked: false }
const join: RegisterChange = { kind: 'join', listing: 'p:d', lifeMs: 60_000, markMs: 1 }
const ofWrite = { scope: 'all', token: 'w', markMs: 1 } as const

describe('a store', () => {
  it('knows its address, its namespaces, and that one server has no shards', async () => {
    const { store } = open(() => new FakeConnection({ host: 'h', port: 1 }))
    expect(store.address()).toBe('h:1')
    expect(await store.namespaces()).toEqual(['mc'])
    expect(store.shardOf).toBeUndefined()
  })

  it('connects once: with the first question of a write if nobody has asked it to', async () => {
    const { store, writer } = single()
    writer.status = 'wait'
    const ask = () => store.askCatalogue('catalogue', { known: '', isWriter: true }).catch(() => {})
    await Promise.all([ask(), ask(), store.connect()])
    await ask()
    expect(writer.sent.filter((command) => command === 'connect')).toEqual(['connect'])
    expect(writer.sent[0]).toBe('connect')
  })
})

it.each([
  [
    'throw',
    () => {
      throw new Error('no log')
    },
  ],
  ['reject', () => Promise.reject(new Error('no log'))],
])('a store goes on if its listeners %s', async (_, fail) => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const { states, store, reader, writer } = open(() => new FakeConnection(), fail)
  reader.emit('close')
  // Three keys were of another type.
  writer.sendCommand = async () => [3, 1]
  await expect(store.releaseLeases([row], 't')).resolves.toBeUndefined()
  await aTurn()
  process.off('unhandledRejection', note)
  expect([states, unhandled]).toEqual([['reads down: there is no connection'], []])
})

describe('a catalogue that a store watches', () => {
  it('is checked before the store is connected', async () => {
    const { store, reader } = single()
    reader.status = 'wait'
    const found: unknown[] = []
    store.watchCatalogue('catalogue', (check) => found.push(check), 0)
    expect(reader.sent).toEqual([])
    await store.connect()
    expect(found).toEqual([{ finding: 'live', epoch: 'e' }])
    expect(reader.sent).toEqual(['connect', 'ping', 'serverCheck'])
  })

  it('is not checked again once the store is closed', async () => {
    const { store } = single()
    const [setting, clearing] = [
      jest.spyOn(globalThis, 'setInterval'),
      jest.spyOn(globalThis, 'clearInterval'),
    ]
    store.watchCatalogue('catalogue', () => {}, 0)
    await store.close()
    expect(clearing).toHaveBeenCalledWith(setting.mock.results[0]!.value)
  })
})

describe('a store whose connection for writes is lost', () => {
  const lost = () => {
    const opened = single()
    opened.writer.emit('close')
    return opened
  }

  it('bypasses what stores rows, and tries what belongs to writes', async () => {
    const { store, states, writer } = lost()
    await store.connect()
    writer.sent.length = 0
    expect(states).toEqual(['writes down: there is no connection'])
    const bypassed = [
      () => store.leaseMany([row], request),
      () => store.fillMany([{ ...row, token: 't', value: 'x', ttlMs: 1 }]),
      () => store.releaseLeases([row], 't'),
      () => store.change('register', join),
      () => store.askCatalogue('catalogue', { known: '', isWriter: false }),
    ]
    for (const work of bypassed) await expect(work()).rejects.toThrow('is bypassed')
    expect(writer.sent).toEqual([])
    expect(await store.fenceMany([row], { token: 'w', fenceMs: 60_000, markMs: 1 })).toBe(true)
    expect(await store.releaseFences([row], { token: 'w', holdMs: 0, markMs: 1 })).toBe(true)
    await store.change('register', { ...ofWrite, kind: 'fence', fenceMs: 60_000 })
    await store.change('register', { ...ofWrite, kind: 'release', holdMs: 0 })
    await store.askCatalogue('catalogue', { known: '', isWriter: true })
    expect(writer.sent).toEqual(['fence', 'releaseFences', 'change', 'change', 'catalogue'])
  })

  it('bypasses nothing that has no rows', async () => {
    const { store } = lost()
    expect(await store.leaseMany([], request)).toEqual([])
    expect(await store.fillMany([])).toEqual([])
    await store.releaseLeases([], 't')
  })
})

describe('a connection that is lost', () => {
  it('is the reason of the last error, until there is another one', async () => {
    const { states, writer } = single()
    writer.emit('error', new Error('ECONNRESET'))
    writer.emit('close')
    writer.emit('ready')
    await aTurn()
    writer.emit('close')
    expect(states).toEqual([
      'writes down: ECONNRESET',
      'writes up: commands are answered',
      'writes down: there is no connection',
    ])
  })

  it('is followed by one that is used, though its server does not say whether it is a replica', async () => {
    const { states, store, writer } = single()
    const refusal = Object.assign(new Error("ERR unknown command 'info'"), { name: 'ReplyError' })
    writer.info = () => Promise.reject(refusal)
    writer.emit('close')
    writer.emit('ready')
    await aTurn()
    expect(states).toEqual(['writes down: there is no connection', 'writes up: commands are answered'])
    expect(await store.leaseMany([row], request)).toHaveLength(1)
  })
})

it('a connection to a replica is not replaced again after it has been lost', async () => {
  const { writer } = single()
  const [setting, clearing] = [jest.spyOn(globalThis, 'setTimeout'), jest.spyOn(globalThis, 'clearTimeout')]
  writer.role = 'slave'
  writer.emit('ready')
  await aTurn()
  const place = setting.mock.calls.findIndex(([, delayMs]) => delayMs === 500)
  const timer: unknown = setting.mock.results[place]!.value
  expect(clearing).not.toHaveBeenCalledWith(timer)
  writer.emit('close')
  expect(clearing).toHaveBeenCalledWith(timer)
})

describe('a store that connects', () => {
  it('has four deadlines for that', async () => {
    const { store } = single()
    const setting = jest.spyOn(globalThis, 'setTimeout')
    await store.connect()
    expect(setting.mock.calls.map(([, delayMs]) => delayMs)).toEqual([240_000, 60_000])
  })

  it('has a cluster connect to its nodes with a ping that may fail, then tries them', async () => {
    const { store, reader, writer } = cluster()
    for (const { all } of [reader, writer]) for (const node of all) node.reason = 'there is no connection'
    await store.connect()
    for (const { all } of [reader, writer]) for (const { sent } of all) expect(sent).toEqual(['ping', 'ping'])
  })
})

describe('a store that is closed', () => {
  it('opens no further connection, as nobody would end it', async () => {
    const { store, connections } = single()
    await store.close()
    const refused = await Promise.allSettled([
      store.messages.subscribe(
        'c',
        () => {},
        () => {},
      ),
      store.releaseFences([row], { token: '', holdMs: 0, markMs: 1, replicas: 1 }),
    ])
    const reason = { code: 'E_STORE', message: expect.stringContaining('the store is closed') }
    expect(refused).toMatchObject([{ reason }, { reason }])
    expect(connections).toHaveLength(2)
  })
})

describe('a store in a cluster', () => {
  it.each(['reads', 'writes'] as const)('has no %s at a node whose slots have moved', async (side) => {
    const { store, states, reader, writer } = cluster()
    const client = side === 'reads' ? reader : writer
    client.reason = 'busy'
    const use = () => (side === 'reads' ? store.getMany(['{a}1']) : store.leaseMany([row], request))
    for (let failures = 0; failures < 3; failures++) await expect(use()).rejects.toThrow('busy')
    client.emit('refresh')
    expect(states).toHaveLength(1)
    client.slots[slotOf('a')] = ['h:2']
    client.emit('refresh')
    expect(states.slice(1)).toEqual([`${side} up: its slots have moved to other nodes (node h:1)`])
    client.reason = undefined
    expect(await use()).toHaveLength(1)
  })
})
