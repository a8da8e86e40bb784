import { once } from 'node:events'
import slotOf from 'cluster-key-slot'
import type { Cluster } from 'ioredis'
import { eventually } from '../../../../../../test/support/eventually.js'
import { FakeServer } from '../../../../../../test/support/fake-server.js'
import type { ValkeyConnectionOptions } from './valkey-client.js'
import { connectNodes, type ValkeyAddress, type ValkeyNodes } from './valkey-nodes.js'

const connected: ValkeyNodes[] = []
afterEach(() => {
  for (const nodes of connected.splice(0)) nodes.close()
  FakeServer.stopAll()
})

const noCluster = { 'CLUSTER SLOTS': new Error('ERR This instance has cluster support disabled') }
const subscribed = { SUBSCRIBE: ['subscribe', 'channel', 1], SSUBSCRIBE: ['ssubscribe', 'channel', 1] }

/** Patient enough for a busy machine. */
async function connect(address: ValkeyAddress): Promise<ValkeyNodes> {
  const nodes = await connectNodes(address, 60_000)
  connected.push(nodes)
  return nodes
}

const urlOf = ({ name }: FakeServer, user = ''): string => `valkey://${user}${name}`
const namesIn = (nodes: readonly { readonly name: string }[]) => nodes.map(({ name }) => name)
const clientIn = (options: ValkeyConnectionOptions): Cluster => Reflect.get(options, 'client') as Cluster

describe('a server without a cluster', () => {
  it('is the only node if it says nothing of slots', async () => {
    const server = await FakeServer.start({ 'CLUSTER SLOTS': 'OK' })
    const nodes = await connect({ url: urlOf(server) })
    const { isCluster, slots, replicas, user, needsNoPassword, connection } = nodes
    expect([isCluster, slots, replicas, user, needsNoPassword]).toEqual([false, [], [], 'default', false])
    expect(namesIn(nodes.primaries)).toEqual([server.name])
    expect(nodes.nodeOf('key')).toBe(nodes.primaries[0])
    expect(connection).toEqual({ url: urlOf(server), options: { enableReadyCheck: false } })
    expect(await nodes.primaries[0]!.call('ECHO', 'text')).toBe('OK')
    expect(server.sent.at(-1)).toBe('ECHO text')
    nodes.close()
    await server.isLeft()
  })

  it.each([
    [false, 'SUBSCRIBE channel'],
    [true, 'SSUBSCRIBE channel'],
  ])('is listened to over a connection that ends: sharded %p', async (isSharded, command) => {
    const server = await FakeServer.start({ ...noCluster, ...subscribed })
    const [node] = (await connect({ url: urlOf(server) })).primaries
    expect(server.sockets.size).toBe(1)
    const [kept] = server.sockets
    await node!.listen('channel', isSharded)
    expect(server.sent).toContain(command)
    for (const socket of server.sockets) if (socket !== kept) await once(socket, 'close')
    expect(server.sockets.size).toBe(1)
    server.replies = { [command]: new Error('NOPERM no permission') }
    await expect(node!.listen('channel', isSharded)).rejects.toMatchObject({ code: 'E_STORE_FORBIDDEN' })
  })

  it('fails, and keeps no connection, with another error', async () => {
    const server = await FakeServer.start({ 'CLUSTER SLOTS': new Error('LOADING the dataset') })
    await expect(connect({ url: urlOf(server) })).rejects.toThrow('LOADING')
    await server.isLeft()
  })
})

describe('the servers of a cluster', () => {
  const [lowSlot, slot] = [slotOf('b'), slotOf('a')]
  const at = ({ port }: FakeServer, host = '127.0.0.1') => [host, port]

  it('have the options of their address, for connections that open later', async () => {
    const server = await FakeServer.start()
    server.replies['CLUSTER SLOTS'] = [[0, 16_383, at(server)]]
    const { connection } = await connect({ url: urlOf(server, 'app:secret@') })
    const client = clientIn(connection)
    expect(client.status).toBe('wait')
    expect(Reflect.get(client, 'startupNodes')).toEqual([{ host: '127.0.0.1', port: server.port }])
    expect(client.options).toMatchObject({
      lazyConnect: true,
      redisOptions: { username: 'app', password: 'secret' },
    })
    client.disconnect()
  })

  it('are those alone that can be reached', async () => {
    const [first, gone] = [await FakeServer.start(), await FakeServer.start()]
    first.replies['CLUSTER SLOTS'] = [
      [0, lowSlot, at(gone), at(first)],
      [lowSlot + 1, 16_383, at(first), at(gone)],
    ]
    const { port } = gone
    gone.stop()
    const nodes = await connect({ url: urlOf(first) })
    expect(nodes.slots[0]!.nodes).toEqual([`127.0.0.1:${port}`, first.name])
    expect(namesIn(nodes.primaries)).toEqual([first.name])
    expect(namesIn(nodes.replicas)).toEqual([first.name])
    expect(nodes.nodeOf('{a}key').name).toBe(first.name)
    expect(() => nodes.nodeOf('{b}key')).toThrow(`no node of the cluster has slot ${lowSlot}`)
  })

  it('are connected to at once, as each may take until its deadline', async () => {
    const first = await FakeServer.start()
    const others = [await FakeServer.start(), await FakeServer.start()]
    const [low, high] = others as [FakeServer, FakeServer]
    first.replies['CLUSTER SLOTS'] = [
      [0, lowSlot, at(low)],
      [lowSlot + 1, 16_383, at(high)],
    ]
    const { promise, resolve } = Promise.withResolvers<string>()
    for (const other of others) other.replies['CLIENT'] = promise
    const connecting = connectNodes({ url: urlOf(first) }, 5_000)
    await eventually(() => others.every(({ sent }) => sent.length > 0))
    resolve('OK')
    const nodes = await connecting
    connected.push(nodes)
    expect(namesIn(nodes.primaries)).toEqual([low.name, high.name])
  })

  it('may not know their own addresses', async () => {
    const [first, second] = [await FakeServer.start(), await FakeServer.start()]
    first.replies['CLUSTER SLOTS'] = [
      [0, slot, at(first, ''), at(second)],
      [slot + 1, 16_382, at(second), at(first, '')],
      [16_383, 16_383, at(second, ''), at(first, '')],
    ]
    const { slots } = await connect({ url: urlOf(first) })
    expect(slots.map(({ nodes, unannounced }) => [nodes, unannounced])).toEqual([
      [[first.name, second.name], [first.name]],
      [[second.name, first.name], [first.name]],
      [
        [second.name, first.name],
        [second.name, first.name],
      ],
    ])
  })
})

describe('servers that sentinels know', () => {
  const url = 'valkey://app:secret@primary/3'

  it('are found by name, also if only one sentinel answers', async () => {
    const server = await FakeServer.start(noCluster)
    const sentinel = await FakeServer.start({
      'SENTINEL get-master-addr-by-name rows': ['127.0.0.1', String(server.port)],
      'SENTINEL sentinels': [],
    })
    const nodes = await connect({ url, sentinels: [sentinel.name, 'other'], primaryName: 'rows' })
    expect(namesIn(nodes.primaries)).toEqual([`rows of ${sentinel.name}, other`])
    expect(nodes.user).toBe('app')
    expect(nodes.connection).toEqual({
      sentinels: [
        { host: '127.0.0.1', port: sentinel.port },
        { host: 'other', port: 26_379 },
      ],
      name: 'rows',
      options: {
        username: 'app',
        password: 'secret',
        db: 3,
        enableReadyCheck: false,
      },
    })
  })

  it.each([undefined, ''])('need a name: %j', async (primaryName) => {
    const address = { url, sentinels: ['sentinel'], ...(primaryName !== undefined && { primaryName }) }
    await expect(connect(address)).rejects.toThrow('option "valkey.name"')
  })
})
