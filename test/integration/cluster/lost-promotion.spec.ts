import { Redis } from 'ioredis'
import { FenceError, ModelCacheWrites } from 'model-cache'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { startServerProxy, type ServerProxy } from '../../support/server-proxy.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { allAreHits, openCache, type OpenCache, VersionedRows } from './versioned-rows.js'

describe('a replica that is promoted without the last commands', () => {
  let servers: [ValkeyServer, ValkeyServer]
  let proxy: ServerProxy
  let replica: Redis
  const closing: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    const primary = await startValkey({ args: ['--repl-diskless-sync-delay', '0'] })
    servers = [primary, await startValkey({ args: ['--replicaof', primary.host, String(primary.port)] })]
    proxy = await startServerProxy(primary.port)
    replica = new Redis(servers[1].port)
    await eventually(async () => (await replica.info('replication')).includes('master_link_status:up'))
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
    replica.disconnect()
    await proxy.stop()
    await Promise.all(servers.map((server) => server.stop()))
  })

  /** A cache whose server is whichever the proxy leads to. */
  async function open(database: VersionedRows, replicas: number, mode: 'strict' | 'available' = 'strict') {
    const writes = new ModelCacheWrites()
    // Half of it is no whole number of milliseconds.
    const valkey = { url: `valkey://127.0.0.1:${proxy.port}`, deadlineMs: 3_001 }
    const opened = await openCache(database, valkey, { writes, consistency: { mode, replicas } })
    closing.push(opened.close)
    return { ...opened, writes }
  }

  /** From now on the replica receives nothing, and clients do not know yet. */
  async function promote(): Promise<void> {
    await replica.call('REPLICAOF', 'NO', 'ONE')
  }

  async function failOver(): Promise<void> {
    await proxy.refuse()
    proxy.target = servers[1].port
    await proxy.accept()
  }

  /** The replica has all rows as well. */
  async function allAreStored(cache: OpenCache['cache'], database: VersionedRows): Promise<void> {
    await eventually(() => allAreHits(cache, database))
    const values = async (): Promise<string[]> =>
      (await replica.keys('*:row-*')).filter((key) => !key.endsWith(':l'))
    await eventually(async () => (await values()).length === database.ids.length)
  }

  /** @returns whether it was committed */
  async function write(writes: ModelCacheWrites, database: VersionedRows, id: string): Promise<boolean> {
    const unit = writes.begin()
    unit.markWritten('Row', [{ id }])
    try {
      await unit.fence()
      database.write(id)
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(FenceError)
      return false
    } finally {
      await unit.end()
    }
  }

  it('has no old row, because a write is refused whose fence the replica does not have', async () => {
    const database = new VersionedRows(3)
    const writer = await open(database, 1)
    await allAreStored(writer.cache, database)
    expect(await write(writer.writes, database, 'row-0')).toBe(true)
    await promote()
    expect(await write(writer.writes, database, 'row-1')).toBe(false)
    await failOver()
    const reader = await open(database, 1)
    expect(await reader.cache.getMany(database.ids)).toEqual(database.all())
  })

  it('has an old row until an invalidation that it did not receive is repeated, which happens by itself', async () => {
    const database = new VersionedRows(3)
    const writer = await open(database, 1)
    await allAreStored(writer.cache, database)
    await promote()
    database.write('row-1')
    await writer.cache.invalidate('row-1')
    await failOver()
    const reader = await open(database, 1)
    expect(await writer.cache.getMany(database.ids)).toEqual(database.all())
    const old = new Redis(servers[0].port)
    await old.call('REPLICAOF', servers[1].host, String(servers[1].port))
    old.disconnect()
    await eventuallyEqual(async () => (await reader.cache.get('row-1'))!.version, 2)
  })
})
