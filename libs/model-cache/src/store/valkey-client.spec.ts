import { jest } from '@jest/globals'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { createValkeyClients, type ValkeyConnectionOptions } from './valkey-client.js'

const opened: { disconnect(): void }[] = []
afterEach(() => {
  for (const client of opened.splice(0)) client.disconnect()
  jest.restoreAllMocks()
})

/** The connections of a store, none of which is opened. */
function create(options: ValkeyConnectionOptions, deadlineMs = 250) {
  const clients = createValkeyClients(options, deadlineMs, () => {})
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
} as const

/** Nothing waits for a connection, nothing is sent again, and nothing reads from a replica. */
const failsFast = {
  lazyConnect: true,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  readOnly: false,
  role: 'master',
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

  it('have names, by which operators tell them apart', () => {
    const named = create({ url: 'valkey://host' })
    const names = (['reader', 'writer', 'waiting', 'subscriber'] as const).map(
      (role) => (named[role].options as RedisOptions).connectionName,
    )
    expect(names).toEqual(['read', 'write', 'wait', 'subscribe'].map((role) => `model-cache:${role}`))
  })

  it('are closed by the store, but not that of messages, which closes it itself', () => {
    const { owned, reader, writer, waiting } = create({ url: 'valkey://host' })
    expect(owned).toEqual([reader, writer, waiting])
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

  it('take what a URL and options say', () => {
    const options = { url: 'valkey://app:secret@host:7000/3', options: { connectTimeout: 7 } }
    expect(optionsOf(options)).toMatchObject({
      host: 'host',
      port: 7_000,
      db: 3,
      username: 'app',
      password: 'secret',
      connectTimeout: 7,
    })
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
    ['valkey.client', { client: { mget: () => {} } }],
    ['valkey.client', { client: { duplicate: () => {} } }],
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
