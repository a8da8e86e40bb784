import { Redis } from 'ioredis'
import { ValkeyStore } from 'model-cache/advanced'
import { writeValue } from 'model-cache/testing'
import { eventually, eventuallyEqual } from '../support/eventually.js'
import { startServerProxy } from '../support/server-proxy.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'

describe('a primary that is demoted while connected', () => {
  let servers: ValkeyServer[]
  const closing: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    servers = await Promise.all([startValkey(), startValkey()])
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
    await Promise.all(servers.map((server) => server.stop()))
  })

  const adminOf = (server: ValkeyServer): Redis => {
    const admin = new Redis(server.port)
    closing.push(async () => admin.disconnect())
    return admin
  }

  /** A store that reaches its server by an address behind which there may be another. */
  async function openStore() {
    const proxy = await startServerProxy(servers[0]!.port)
    const states: string[] = []
    const store = new ValkeyStore(
      { url: `valkey://127.0.0.1:${proxy.port}`, deadlineMs: 2_000 },
      (side, state, reason) => void states.push(`${side} ${state}: ${reason}`),
    )
    closing.push(
      () => proxy.stop(),
      () => store.close(),
    )
    await store.connect()
    return { store, proxy, states }
  }

  const fence = (store: ValkeyStore): Promise<string> =>
    store
      .fenceMany([{ key: 'row', guard: 'row:l' }], { token: 'writer', fenceMs: 60_000, markMs: 60_000 })
      .then(
        () => 'fenced',
        (error: Error) => error.message,
      )

  it('is replaced by the new primary behind its address, without sending the command again', async () => {
    const { store, proxy, states } = await openStore()
    await writeValue(store, 'row', 'old', 60_000)
    const [old, next] = servers as [ValkeyServer, ValkeyServer]
    await adminOf(old).call('REPLICAOF', next.host, String(next.port))
    proxy.target = next.port
    const sent = (): number => proxy.sent('eval') + proxy.sent('evalsha')
    const before = sent()
    expect(await fence(store)).toMatch(/FENCE failed: READONLY/)
    expect(sent()).toBe(before + 1)
    await eventuallyEqual(() => fence(store), 'fenced')
    expect(await adminOf(next).exists('row:l')).toBe(1)
    await eventuallyEqual(() => states.filter((state) => state.includes(' up: ')).length, 2)
    expect(states.map((state) => state.split(':')[0]).toSorted()).toEqual([
      'reads down',
      'reads up',
      'writes down',
      'writes up',
    ])
  })

  it('is left also by a process that only reads, which sends nothing that a replica refuses', async () => {
    const { store, proxy, states } = await openStore()
    await writeValue(store, 'row', 'old', 60_000)
    const findings: string[] = []
    store.watchCatalogue('catalogue', ({ finding }) => void findings.push(finding), 0)
    expect(await store.getMany(['row'])).toEqual(['old'])
    await eventually(() => findings.length > 0)
    const [old, next] = servers as [ValkeyServer, ValkeyServer]
    await adminOf(old).call('REPLICAOF', next.host, String(next.port))
    await eventually(() => states.filter((state) => state.includes(' down: ')).length === 2)
    await expect(store.getMany(['row'])).rejects.toThrow()
    proxy.target = next.port
    await eventually(() => states.filter((state) => state.includes(' up: ')).length === 2)
    expect(await store.getMany(['row'])).toEqual([null])
  })

  it('is not read from as a replica, and is used again when it is promoted', async () => {
    const { store, states } = await openStore()
    const admin = adminOf(servers[0]!)
    await writeValue(store, 'row', 'old', 60_000)
    await admin.call('REPLICAOF', servers[1]!.host, String(servers[1]!.port))
    await fence(store)
    await eventually(() => states.some((state) => state.startsWith('reads down')))
    const reads = Array.from({ length: 20 }, () => store.getMany(['row']))
    for (const read of await Promise.allSettled(reads)) expect(read.status).toBe('rejected')
    await admin.call('REPLICAOF', 'NO', 'ONE')
    await eventuallyEqual(() => fence(store), 'fenced')
    await eventually(() => states.some((state) => state.startsWith('reads up')))
    expect(await store.getMany(['row'])).toEqual([null])
  })
})
