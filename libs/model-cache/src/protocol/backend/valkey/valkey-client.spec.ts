import { EventEmitter } from 'node:events'
import { jest } from '@jest/globals'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import {
  addressOf,
  createValkeyClients,
  isReplica,
  quit,
  type ValkeyConnectionOptions,
} from './valkey-client.js'

const opened: { disconnect(): void }[] = []
afterEach(() => {
  for (const client of opened.splice(0)) client.disconnect()
  jest.restoreAllMocks()
})

/** The connections of a store, none of which is opened. */
function create(
  options: ValkeyConnectionOptions,
  deadlineMs = 250,
  onWarning: (message: string) => void = () => {},
) {
  const clients = createValkeyClients(options, deadlineMs, onWarning)
  const all = {
    reader: clients.reader,
    writer: clients.writer,
    waiting: clients.createWaiting(),
    subscriber: clients.createSubscriber(),
  }
  opened.push(...Object.values(all))
  return { ...clients, ...all }
}

const optionsOf = (options: ValkeyConnectionOptions, deadlineMs?: number): RedisOptions =>
  create(options, deadlineMs).reader.options as RedisOptions

/** What an application may want of its own client, and a cache must not have. */
const patient = {
  lazyConnect: true,
  enableOfflineQueue: true,
  enableAutoPipelining: true,
  autoResendUnfulfilledCommands: true,
  maxRetriesPerRequest: 20,
  readOnly: true,
  role: 'slave',
  stringNumbers: true,
} as const

/** Nothing waits for a connection, nothing is sent again, nothing reads from a replica, and numbers are numbers. */
const failsFast = {
  lazyConnect: true,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  readOnly: false,
  role: 'master',
  stringNumbers: false,
}

describe('the connections of a store', () => {
  it.each([
    ['a URL', { url: 'valkey://host' }],
    ['a URL and options', { url: 'valkey://host', options: patient }],
    ['sentinels', { sentinels: [{ host: 'sentinel' }], name: 'rows', options: patient }],
    ['a client', { client: new Redis(patient) }],
  ])('fail fast with %s', (_, options) => {
    const { reader, writer, waiting, subscriber } = create(options)
    for (const client of [reader, writer, waiting, subscriber])
      expect(client.options).toMatchObject(failsFast)
  })

  it('fail fast with a cluster', () => {
    const client = new Cluster([{ host: 'host', port: 7_000 }], {
      lazyConnect: true,
      enableOfflineQueue: true,
      enableAutoPipelining: true,
      scaleReads: 'slave',
      retryDelayOnFailover: 300,
      redisOptions: { username: 'app', ...patient },
    })
    const { reader, writer, waiting, subscriber } = create({ client })
    for (const each of [reader, writer, waiting, subscriber] as Cluster[]) {
      expect(each).not.toBe(client)
      expect(Reflect.get(each, 'startupNodes')).toEqual(Reflect.get(client, 'startupNodes'))
      const { redisOptions, ...options } = each.options
      expect(options).toMatchObject({
        lazyConnect: true,
        enableOfflineQueue: false,
        enableAutoPipelining: false,
        scaleReads: 'master',
        retryDelayOnFailover: 0,
        retryDelayOnClusterDown: 0,
        clusterNodeRetryStrategy: null,
        shardedSubscribers: each === subscriber,
      })
      const { readOnly: _, role: __, enableOfflineQueue: ___, ...ofNode } = failsFast
      expect(redisOptions).toMatchObject({ username: 'app', ...ofNode })
    }
  })

  it('are replaced when they are silent for ten deadlines, or a second; that of messages for three', () => {
    const timeouts = (deadlineMs: number) => {
      const { reader, writer, waiting, subscriber } = create({ url: 'valkey://host' }, deadlineMs)
      return [reader, writer, waiting, subscriber].map(
        ({ options }) => (options as RedisOptions).socketTimeout,
      )
    }
    expect(timeouts(50)).toEqual([1_000, 1_000, 1_000, 3_000])
    expect(timeouts(200)).toEqual([2_000, 2_000, 2_000, 3_000])
    expect(timeouts(1_000)).toEqual([10_000, 10_000, 10_000, 10_000])
  })

  it('are tried again first soon, then every two seconds at most, not all at the same time', () => {
    const { retryStrategy } = optionsOf({ url: 'valkey://host' })
    const random = jest.spyOn(Math, 'random')
    const delays = (value: number): unknown[] => {
      random.mockReturnValue(value)
      return [1, 2, 6, 7, 100].map((attempt) => retryStrategy!(attempt))
    }
    expect(delays(1)).toEqual([100, 200, 2_000, 2_000, 2_000])
    expect(delays(0)).toEqual([50, 100, 1_000, 1_000, 1_000])
  })

  it.each([
    [{}, false],
    [{ tls: {} }, true],
  ])('with sentinels are encrypted if the primary is: %j', (options, isEncrypted) => {
    const sentinels = [{ host: 'a', port: 1 }, { host: 'b' }]
    expect(optionsOf({ sentinels, name: 'rows', options })).toMatchObject({
      sentinels,
      name: 'rows',
      enableTLSForSentinelMode: isEncrypted,
    })
    expect(optionsOf({ sentinels, name: 'rows' }).enableTLSForSentinelMode).toBe(false)
  })

  it.each([
    ['valkey.client', { client: undefined }],
    ['valkey.client', { client: {} }],
    ['valkey.client', { client: { has: 'mget', mget: () => {} } }],
    ['valkey.client', { client: { has: 'duplicate', duplicate: () => {} } }],
    ['valkey.sentinels', { sentinels: undefined, name: 'rows' }],
    ['valkey.sentinels', { sentinels: 'sentinel', name: 'rows' }],
    ['valkey.sentinels', { sentinels: [], name: 'rows' }],
    ['valkey.sentinels', { sentinels: [undefined], name: 'rows' }],
    ['valkey.sentinels', { sentinels: [{ host: 'a' }, { port: 1 }], name: 'rows' }],
    ['valkey.name', { sentinels: [{ host: 'a' }] }],
    ['valkey.name', { sentinels: [{ host: 'a' }], name: '' }],
    ['valkey.name', { sentinels: [{ host: 'a' }], name: 7 }],
    ['valkey.options.sentinels', { url: 'valkey://host', options: { sentinels: [{ host: 'a' }] } }],
  ])('refuse a wrong %s: %j', (option, options) => {
    expect(() => createValkeyClients(options as never, 250, () => {})).toThrow(`option "${option}"`)
  })
})

describe('a connection that is closed', () => {
  it.each([
    [250, 1_000],
    [5_000, 5_000],
  ])('has a deadline of %i ms for that, or a second: %i ms', async (deadlineMs, closeMs) => {
    const client = Object.assign(new EventEmitter(), { status: 'connecting', disconnect: () => {} })
    const setting = jest.spyOn(globalThis, 'setTimeout')
    const closed = quit(client as unknown as Redis, deadlineMs)
    expect(setting.mock.calls.map(([, delayMs]) => delayMs)).toEqual([closeMs])
    client.emit('end')
    await closed
  })
})

describe('where a store connects to', () => {
  const addressFor = (options: ValkeyConnectionOptions): string => addressOf(create(options).writer)

  it.each([
    [{ url: 'valkey://app:secret@host:7000' }, 'host:7000'],
    [{ url: 'valkey://host:7000/3' }, 'host:7000/3'],
    [{ url: 'valkey://host', options: { path: '/run/valkey.sock' } }, '/run/valkey.sock'],
    [{ sentinels: [{ host: 'sentinel' }], name: 'rows' }, 'primary "rows"'],
    [{ sentinels: [{ host: 'sentinel' }], name: 'rows', options: { db: 3 } }, 'primary "rows"/3'],
  ])('is said for people: %j', (options, address) => {
    expect(addressFor(options)).toBe(address)
  })

  it('is a list of the primaries of a cluster', () => {
    const nodes = [{ options: { host: 'b', port: 2 } }, { options: { host: 'a', port: 1 } }] as Redis[]
    const client = new Cluster([{ host: 'host', port: 7_000 }], { lazyConnect: true })
    opened.push(client)
    jest.spyOn(client, 'nodes').mockImplementation((role) => (role === 'master' ? nodes : []))
    expect(addressOf(client)).toBe('cluster of a:1, b:2')
  })
})

/** A socket that counts what is held back, as those of Node do. */
class FakeSocket {
  writable = true
  writableLength = 0
  writableCorked = 0
  cork(): void {
    this.writableCorked++
  }
  uncork(): void {
    this.writableCorked--
  }
}

/** A node of a cluster, whose commands are as large as their names say. */
class FakeNode extends EventEmitter {
  readonly options: RedisOptions = {}
  status = 'wait'
  readonly stream = new FakeSocket() as FakeSocket | undefined
  readonly sent: string[] = []
  connects = 0
  /** With which ASKING, HELLO and AUTH fail. */
  reason: unknown
  /** How often something has handled the failure of an ASKING. */
  handled = 0

  connect(): Promise<void> {
    this.connects++
    return Promise.reject(new Error('lost'))
  }
  disconnect(isReconnecting = false): void {
    this.sent.push(isReconnecting ? 'reconnect' : 'disconnect')
  }
  sendCommand(size: string): string {
    this.sent.push(size)
    if (this.stream) this.stream.writableLength += Number(size)
    return `reply of ${size}`
  }
  asking(): Promise<void> {
    const reply = Promise.reject<void>(this.reason)
    const handle = reply.catch.bind(reply)
    return Object.assign(reply, {
      catch: (handler: () => void) => {
        this.handled++
        return handle(handler)
      },
    })
  }
  async hello(...args: unknown[]): Promise<unknown> {
    if (this.reason !== undefined) throw this.reason
    return args
  }
  auth = this.hello
}

/** The connections of a store to a cluster, whose writer has found these nodes. */
function createCluster(...nodes: FakeNode[]) {
  const warnings: string[] = []
  const client = new Cluster([{ host: 'host', port: 7_000 }], { lazyConnect: true })
  opened.push(client)
  const clients = create({ client }, 250, (message) => warnings.push(message))
  const writer = clients.writer as Cluster
  for (const node of nodes) writer.emit('+node', node)
  return { ...clients, writer, warnings }
}

/** The connections of a store to one server. */
function createSingle() {
  const connections: FakeNode[] = []
  const duplicate = (): FakeNode => {
    const connection = new FakeNode()
    connections.push(connection)
    return connection
  }
  createValkeyClients({ client: { mget: () => {}, duplicate } as unknown as Redis }, 250, () => {})
  return connections as [reader: FakeNode, writer: FakeNode]
}

describe('the commands of one turn', () => {
  it('are not held back without a connection', () => {
    const [closed, none] = [new FakeNode(), Object.assign(new FakeNode(), { stream: undefined })]
    createCluster(closed, none)
    closed.stream!.writable = false
    expect([closed.sendCommand('1'), none.sendCommand('1')]).toEqual(['reply of 1', 'reply of 1'])
    expect(closed.stream!.writableCorked).toBe(0)
  })
})

describe('a server that has become a replica', () => {
  it.each([
    ['READONLY You cannot write against a read only replica.', true],
    ['MASTERDOWN Link with MASTER is down', true],
    ['READONLYX', false],
    ['ERR READONLY', false],
    ['OOM', false],
  ])('loses all connections: %s', (message, isDemoted) => {
    const { reader, writer, waiting, subscriber } = create({ url: 'valkey://host' })
    const disconnects = [reader, writer, waiting, subscriber].map((client) =>
      jest.spyOn(client as Redis, 'disconnect').mockReturnValue(),
    )
    for (const client of [reader, waiting]) (client as Redis).status = 'ready'
    for (const client of [reader, writer, waiting]) {
      const { reconnectOnError } = (client as Redis).options
      expect(reconnectOnError!(new Error(message))).toBe(false)
    }
    const times = isDemoted ? Array.from({ length: 3 }, () => [true]) : []
    expect(disconnects.map(({ mock }) => mock.calls)).toEqual([times, [], times, []])
    jest.restoreAllMocks()
  })

  it('loses all connections as well when its check finds it', () => {
    const { reader, writer, waiting, subscriber, leaveReplica } = create({ url: 'valkey://host' })
    const disconnects = [reader, writer, waiting, subscriber].map((client) =>
      jest.spyOn(client as Redis, 'disconnect').mockReturnValue(),
    )
    for (const client of [reader, waiting, subscriber]) (client as Redis).status = 'ready'
    leaveReplica()
    expect(disconnects.map(({ mock }) => mock.calls)).toEqual([[[true]], [], [[true]], []])
    jest.restoreAllMocks()
  })

  it('loses its connections also if none of them waits for replicas', () => {
    for (const { options } of createSingle()) expect(options.reconnectOnError).toBeDefined()
  })

  it('is left alone in a cluster, which redirects commands itself', () => {
    const { reader, writer, waiting } = createCluster()
    for (const client of [reader, writer, waiting])
      expect(client.options).not.toHaveProperty('reconnectOnError')
  })

  it('keeps its connections in a cluster also when its check finds it', () => {
    const { reader, writer, leaveReplica } = createCluster()
    const disconnects = [reader, writer].map((client) =>
      jest.spyOn(client as Cluster, 'disconnect').mockReturnValue(),
    )
    for (const client of [reader, writer]) (client as Cluster).status = 'ready'
    leaveReplica()
    expect(disconnects.map(({ mock }) => mock.calls)).toEqual([[], []])
    jest.restoreAllMocks()
  })

  const roleOf = (reply: () => Promise<string>) => isReplica({ info: reply } as unknown as Redis)

  it('is not known to be one if it may not say so, and unknown after another error', async () => {
    for (const reply of ['NOPERM no permission', "ERR unknown command 'info'", 'BUSY running a script']) {
      const refusal = Object.assign(new Error(reply), { name: 'ReplyError' })
      expect(await roleOf(() => Promise.reject(refusal))).toBe(false)
    }
    await expect(roleOf(() => Promise.reject(new Error('lost')))).rejects.toThrow('lost')
    await expect(roleOf(() => Promise.reject(new Error('no NOPERM')))).rejects.toThrow('no NOPERM')
  })
})

describe('the nodes of a cluster', () => {
  it('are connected to when they are found, once the client is ready', async () => {
    const [early, first, second] = [new FakeNode(), new FakeNode(), new FakeNode()]
    const { writer } = createCluster(early)
    await new Promise(setImmediate)
    expect(early.connects).toBe(0)
    second.status = 'connecting'
    jest.spyOn(writer, 'nodes').mockReturnValue([early, second] as unknown as Redis[])
    writer.status = 'ready'
    writer.emit('ready')
    expect([early.connects, second.connects]).toEqual([1, 0])
    for (const node of [first, second]) writer.emit('+node', node)
    expect(first.connects).toBe(0)
    await new Promise(setImmediate)
    expect([first.connects, second.connects]).toEqual([1, 0])
    writer.status = 'wait'
  })

  it('may lose their connections after ASKING, whose reply nothing waits for', async () => {
    const node = new FakeNode()
    createCluster(node)
    node.reason = new Error('lost')
    await expect(node.asking()).rejects.toThrow('lost')
    expect(node.handled).toBe(1)
  })
})

describe('a database that the server does not have', () => {
  it('is not replaced by database 0: the connection is made again', () => {
    const node = new FakeNode()
    createCluster(node)
    const command = { name: 'select', args: [99] }
    node.emit('error', Object.assign(new Error('lost'), { name: 'AbortError', command }))
    expect(node.sent).toEqual([])
    node.emit(
      'error',
      Object.assign(new Error('ERR DB index is out of range'), { name: 'ReplyError', command }),
    )
    expect(node.sent).toEqual(['reconnect'])
  })
})

describe('a password that the server does not need', () => {
  const refusals = [
    'ERR Client sent AUTH, but no password is set',
    'ERR AUTH <password> called without any password configured for the default user.',
    "ERR wrong number of arguments for 'auth' command",
  ]

  it.each(refusals)('is a warning, printed once: %s', async (message) => {
    const nodes = [new FakeNode(), new FakeNode()] as const
    const { warnings } = createCluster(...nodes)
    expect(await nodes[0].hello(3, 'AUTH')).toEqual([3, 'AUTH'])
    expect(warnings).toEqual([])
    for (const node of nodes) {
      node.reason = new Error(message)
      await node.hello(3)
      await node.auth('secret')
    }
    expect(warnings).toEqual([expect.stringContaining('Valkey requires no password')])
  })

  it('is a warning as well if the reply goes to a callback, as ioredis 5 has it', async () => {
    const node = new FakeNode()
    const { warnings } = createCluster(node)
    const replyOf = (reason: unknown) =>
      new Promise((resolve) => {
        node.reason = reason
        void node.auth('app', 'secret', (...reply: unknown[]) => resolve(reply))
      })
    expect(await replyOf(new Error(refusals[0]))).toEqual([null, undefined])
    expect(warnings).toHaveLength(1)
    expect(await replyOf(undefined)).toEqual([null, ['app', 'secret']])
    // Nothing else handles the rejection.
    expect(await replyOf(new Error('WRONGPASS'))).toEqual([new Error('WRONGPASS')])
  })
})
