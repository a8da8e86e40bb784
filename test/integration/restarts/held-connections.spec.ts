import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { type } from 'arktype'
import { modelCaches, ModelCacheWrites } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { allAreHits, VersionedRows } from '../cluster/versioned-rows.js'
import { KeptValkey } from './kept-valkey.js'
import { openProcess } from './processes.js'

const { defineModelCache } = modelCaches()

const consistency = { fenceMs: 400, leaseMs: 300 }

/** As a proxy of a provider: connections of clients stay open while the server behind them starts again. */
async function startHoldingProxy(port: number): Promise<{ readonly port: number; stop(): void }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    let upstream: Socket | undefined
    const open = (): Socket => {
      const socket = connect(port, '127.0.0.1')
      for (const one of [client, socket]) sockets.add(one.on('error', () => {}))
      socket.on('data', (bytes) => client.write(bytes))
      socket.on('close', () => (upstream = undefined))
      return socket
    }
    client.on('data', (bytes) => (upstream ??= open()).write(bytes))
    client.on('close', () => upstream?.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

describe('a server that starts again', () => {
  let database: VersionedRows
  let valkey: KeptValkey
  const closing: (() => unknown)[] = []

  beforeEach(async () => {
    database = new VersionedRows(20)
    valkey = await KeptValkey.start()
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
    await valkey.stop()
  })

  async function open(url = valkey.url) {
    const opened = await openProcess(database, { url }, { consistency, writes: undefined })
    closing.push(opened.close)
    return opened
  }

  it('is noticed behind a connection that a proxy keeps open, at the next check of the server', async () => {
    const proxy = await startHoldingProxy(valkey.port)
    closing.push(proxy.stop)
    const { cache, messages } = await open(`valkey://127.0.0.1:${proxy.port}`)
    await eventually(() => allAreHits(cache, database))
    await valkey.admin.save()
    await valkey.kill()
    await valkey.start()
    database.write('row-0')
    await eventuallyEqual(async () => (await cache.get('row-0'))!.version, 2)
    expect(messages).toEqual([expect.stringContaining('came back with old data')])
  })

  it('is not noticed if it hides when it was started, which the log says once', async () => {
    await valkey.admin.call('ACL', 'SETUSER', 'default', '-info')
    const { cache, messages } = await open()
    await eventually(() => allAreHits(cache, database))
    await (await open()).cache.getMany(database.ids)
    const hidden = messages.filter((message) => message.includes('does not say when its server was started'))
    expect(hidden).toEqual([expect.stringMatching(/INFO is forbidden or hidden.*Allow its user INFO/)])
  })

  it('empties the memory of processes, whose rows no writer may have announced', async () => {
    const store = new ValkeyStore({ url: valkey.url, deadlineMs: 2_000 })
    await store.connect()
    const schema = type({ id: 'string', version: 'number', at: 'Date' })
    const rows = defineModelCache<{ id: string; version: number; at: Date }>()({
      model: 'Row',
      schema,
      id: 'id',
      ttl: '1h',
      l1: { ttl: '1h' },
    })
    const writes = new ModelCacheWrites()
    const cache = createModelCache(rows, { store, source: database.source, writes, consistency })
    closing.push(
      () => store.close(),
      () => cache.close(),
    )
    let fromStore = 0
    const { getManyBytes } = store
    store.getManyBytes = (keys) => (fromStore++, getManyBytes.call(store, keys))
    const isHeld = async (): Promise<boolean> => {
      const before = fromStore
      await cache.get('row-0')
      await cache.drain()
      return fromStore === before
    }
    await eventually(isHeld)
    // Another process has found the server old. No connection of this one was lost.
    await valkey.admin.hset('mc:{catalogue}', '=epoch', 'other')
    await valkey.admin.set('mc:{catalogue}:epoch', 'other')
    database.write('row-0')
    await eventuallyEqual(async () => (await cache.get('row-0'))!.version, 2)
  })
})
