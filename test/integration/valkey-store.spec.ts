import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import type { ValkeyStoreOptions } from 'model-cache'
import { ValkeyStore } from 'model-cache/advanced'
import { describeStore, writeValue } from 'model-cache/testing'
import { Cluster as OtherCluster, Redis as OtherRedis } from 'other-ioredis'
import { eventuallyResolves } from '../support/eventually.js'
import { patientMs } from '../support/patience.js'
import { valkeyUrl } from '../support/servers.js'
import { startValkey, startValkeyCluster, type ValkeyCluster } from '../support/valkey-server.js'

describeStore('ValkeyStore', { create: () => new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs }) })

describe.each<[string, (url: string) => Redis | OtherRedis]>([
  ['with a client of the application', (url) => new Redis(url)],
  ['with a client of another major of ioredis', (url) => new OtherRedis(url)],
])('%s', (_, createClient) => {
  let client: Redis | OtherRedis
  beforeAll(() => {
    client = createClient(valkeyUrl().replace('valkey:', 'redis:'))
  })
  afterAll(() => client.quit())

  describeStore('ValkeyStore', { create: () => new ValkeyStore({ client, deadlineMs: patientMs }) })

  it('leaves that client open', async () => {
    const store = new ValkeyStore({ client, deadlineMs: patientMs })
    await store.connect()
    await store.close()
    expect(await client.ping()).toBe('PONG')
  })
})

type Node = { host: string; port: number }
describe.each<[string, (nodes: Node[]) => Cluster | OtherCluster]>([
  ['with a cluster client', (nodes) => new Cluster(nodes)],
  ['with a cluster client of another major of ioredis', (nodes) => new OtherCluster(nodes)],
])('%s', (_, createClient) => {
  let servers: ValkeyCluster
  let client: Cluster | OtherCluster
  beforeAll(async () => {
    servers = await startValkeyCluster()
    client = createClient(servers.nodes.map(({ host, port }) => ({ host, port })))
  })
  afterAll(async () => {
    await client.quit()
    await servers.stop()
  })

  describeStore('ValkeyStore', { create: () => new ValkeyStore({ client, deadlineMs: patientMs }) })
})

describe('a Valkey store', () => {
  const opened: ValkeyStore[] = []
  const open = async (
    options: ValkeyStoreOptions,
    listener?: ConstructorParameters<typeof ValkeyStore>[1],
  ) => {
    const store = new ValkeyStore({ deadlineMs: patientMs, ...options }, listener)
    opened.push(store)
    await store.connect()
    return store
  }
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())))

  it('logs in as an ACL user, over a connection for reads and one for writes', async () => {
    const server = await startValkey()
    const admin = new Redis(server.port)
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>p@ss/word', '~app:*', '+@all')
    await admin.call('ACL', 'SETUSER', 'default', 'off')
    admin.disconnect()
    const store = await open({ url: server.url.replace('//', '//app:p%40ss%2Fword@') })
    await writeValue(store, 'app:x', 'A', 60_000)
    expect(await store.getMany(['app:x'])).toEqual(['A'])
    await expect(writeValue(store, 'other', 'A', 60_000)).rejects.toMatchObject({
      code: 'E_STORE_FORBIDDEN',
    })
    await store.close()
    await server.stop()
  })

  it('never reports a password, a key or a value', async () => {
    const server = await startValkey({ args: ['--requirepass', 'other'] })
    const reported: unknown[] = []
    const store = await open({ url: server.url.replace('//', '//:top-secret@') }, (...args) =>
      reported.push(args),
    )
    const error: unknown = await writeValue(store, 'secret-key', 'secret-value', 60_000).catch(
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code: 'E_STORE' })
    reported.push(
      error,
      (error as Error).stack,
      (error as Error).cause,
      await store.ping().catch((reason: unknown) => reason),
    )
    expect(reported.flat().map(everythingOf).join('\n')).not.toContain('secret')
    expect(reported.flat().map(everythingOf).join('\n')).toMatch(
      /WRONGPASS|NOAUTH|ECONN|closed|no connection/i,
    )
    await store.close()
    await server.stop()
  })

  it('replaces an entry of a catalogue that is damaged', async () => {
    const store = await open({ url: valkeyUrl() })
    const client = new Redis(valkeyUrl().replace('valkey:', 'redis:'))
    const key = 'damaged:{catalogue}'
    for (const damaged of ['', 'none', '1', '1;2', ';;', 'x;y;z']) {
      await client.hset(key, 'Lot:a:b', damaged)
      const put = { known: '', isWriter: false, put: new Map([['Lot:a:b', 'text']]) }
      const { entries } = await store.askCatalogue(key, put)
      expect(entries).toEqual([expect.objectContaining({ field: 'Lot:a:b', text: 'text' })])
    }
    await client.del(key, `${key}:epoch`)
    await client.quit()
  })

  it('fails a command at its deadline, and serves again when the server does', async () => {
    const server = await startValkey()
    const states: string[] = []
    const store = await open({ url: server.url, deadlineMs: 1_000 }, (side, state) =>
      states.push(`${side} ${state}`),
    )
    await writeValue(store, 'x', 'A', 60_000)
    await server.kill('SIGSTOP')
    await expect(store.getMany(['x'])).rejects.toMatchObject({ code: 'E_STORE_TIMEOUT' })
    await expect(store.getMany(['x'])).rejects.toThrow(
      'valkey: MGET took longer than its deadline of 1000 ms',
    )
    expect(states).toEqual([])
    await expect(store.getMany(['x'])).rejects.toMatchObject({ code: 'E_STORE_TIMEOUT' })
    expect(states).toEqual(['reads down'])
    await server.kill('SIGCONT')
    expect(await eventuallyResolves(() => store.getMany(['x']))).toEqual(['A'])
    expect(states).toEqual(['reads down', 'reads up'])
    await server.stop()
  })

  it('fails at once while the server is gone, and finds the next one on its port', async () => {
    const first = await startValkey()
    const states: string[] = []
    const store = await open({ url: first.url, deadlineMs: 5_000 }, (side, state) =>
      states.push(`${side} ${state}`),
    )
    await writeValue(store, 'x', 'A', 60_000)
    await first.stop()
    await delay(50)
    // A rejection by the deadline would have another code.
    await expect(store.getMany(['x'])).rejects.toMatchObject({ code: 'E_STORE' })
    await expect(writeValue(store, 'x', 'late', 60_000)).rejects.toMatchObject({ code: 'E_STORE' })
    const second = await startValkey({ port: first.port })
    expect(await eventuallyResolves(() => store.getMany(['x']))).toEqual([null])
    await eventuallyResolves(() => store.ping())
    expect(states.filter((state) => state === 'reads down')).toHaveLength(1)
    expect(states.filter((state) => state === 'reads up')).toHaveLength(1)
    await second.stop()
  })

  it('starts without a server, and finds it when it comes', async () => {
    const server = await startValkey()
    const { port, url } = server
    await server.stop()
    const store = await open({ url, deadlineMs: 250 })
    await expect(store.ping()).rejects.toMatchObject({ code: 'E_STORE' })
    const later = await startValkey({ port })
    await eventuallyResolves(() => store.ping())
    await later.stop()
  })

  it('refuses options that cannot work', () => {
    expect(() => new ValkeyStore({ url: 'http://x' })).toThrow('option "valkey.url"')
    expect(() => new ValkeyStore({ client: {} as never })).toThrow('option "valkey.client"')
    expect(() => new ValkeyStore({ url: valkeyUrl(), deadlineMs: 0 })).toThrow(
      'option "valkey.deadlineMs" is 0',
    )
  })
})

/** All own properties, hidden ones and causes included. */
function everythingOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.getOwnPropertyNames(value)
    .map((key) => `${key}=${everythingOf((value as Record<string, unknown>)[key])}`)
    .join(' ')
}
