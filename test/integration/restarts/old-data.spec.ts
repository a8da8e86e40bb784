import { ModelCacheWrites, type Store } from 'model-cache'
import { ValkeyStore } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.js'
import { startServerProxy } from '../../support/server-proxy.js'
import { allAreHits, VersionedRows } from '../cluster/versioned-rows.js'
import { KeptValkey } from './kept-valkey.js'
import { consistency, isReached, openProcess, write } from './processes.js'

describe('a server that starts again with old data', () => {
  let database: VersionedRows
  const closing: (() => Promise<unknown>)[] = []

  beforeEach(() => {
    database = new VersionedRows(20)
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })

  async function start(args: readonly string[] = []): Promise<KeptValkey> {
    const valkey = await KeptValkey.start(args)
    closing.push(() => valkey.stop())
    return valkey
  }

  /** A process without caches. */
  async function openWriter(valkey: KeptValkey): Promise<{ store: Store; writes: ModelCacheWrites }> {
    const store = new ValkeyStore({ url: valkey.url, deadlineMs: 2_000 })
    await store.connect()
    const writes = new ModelCacheWrites({ store, consistency })
    closing.push(
      () => writes.close(),
      () => store.close(),
    )
    return { store, writes }
  }

  /** A process with a cache. */
  async function open({ url }: Pick<KeptValkey, 'url'>, parts?: Parameters<typeof openProcess>[2]) {
    const opened = await openProcess(database, { url }, parts)
    closing.push(opened.close)
    return opened
  }

  interface Return {
    readonly from: string
    readonly args?: readonly string[]
    /** Writes while the server runs, and ends it. */
    readonly play: (valkey: KeptValkey, write: () => Promise<void>) => Promise<void>
  }

  const returns: readonly Return[] = [
    {
      from: 'a snapshot',
      async play(valkey, write) {
        await valkey.admin.save()
        await write()
        await valkey.kill()
      },
    },
    {
      from: 'an append-only file that was cut',
      args: ['--appendonly', 'yes', '--appendfsync', 'always'],
      async play(valkey, write) {
        const length = await valkey.logLength()
        await write()
        await valkey.kill()
        await valkey.cutLog(length)
      },
    },
    {
      from: 'a copy of its data folder',
      async play(valkey, write) {
        await valkey.admin.save()
        const putBack = await valkey.backUp()
        await write()
        await valkey.admin.save()
        await valkey.kill()
        await putBack()
      },
    },
    {
      from: 'the same snapshot, twice',
      async play(valkey, write) {
        await valkey.admin.save()
        const putBack = await valkey.backUp()
        await write()
        await valkey.kill()
        await valkey.start()
        await valkey.kill()
        await putBack()
      },
    },
  ]

  it.each(returns)('serves no row of $from that was written later', async ({ args, play }) => {
    const valkey = await start(args)
    const reader = await open(valkey)
    const writer = await open(valkey)
    await eventually(() => allAreHits(reader.cache, database))
    await play(valkey, () => write(writer.writes, database, ['row-0']))
    await valkey.start()
    await (await open(valkey)).readsOnlyCurrentRows()
    await reader.readsOnlyCurrentRows()
    await writer.readsOnlyCurrentRows()
  })

  it('serves no row that a process without caches has written, before the restart or after it', async () => {
    const valkey = await start()
    const reader = await open(valkey)
    const { store, writes } = await openWriter(valkey)
    await eventually(() => allAreHits(reader.cache, database))
    await valkey.admin.save()
    await write(writes, database, ['row-0'])
    await valkey.kill()
    await valkey.start()
    await isReached(store)
    await write(writes, database, ['row-1'])
    await reader.readsOnlyCurrentRows()
    await write(writes, database, ['row-2'])
    await reader.readsOnlyCurrentRows()
  })

  it.each(['a snapshot', 'nothing'])(
    'stores no row from before a write whose fence was lost: %s',
    async (from) => {
      const longer = { consistency: { ...consistency, fenceMs: 60_000 } }
      const valkey = await start()
      const reader = await open(valkey, longer)
      await eventually(() => allAreHits(reader.cache, database))
      await (from === 'nothing' ? valkey.admin.flushall() : valkey.admin.save())
      if (from === 'nothing') await valkey.admin.save()
      const unit = reader.writes.begin()
      unit.markWritten('Row', [{ id: 'row-0' }])
      await unit.fence()
      await valkey.kill()
      await valkey.start()
      const loaded = database.loaded
      await isReached(reader.store)
      expect(await reader.staleRows()).toEqual([])
      await reader.cache.drain()
      expect(database.loaded).toBeGreaterThan(loaded)
      database.write('row-0')
      // The writer dies here.
      expect(await reader.staleRows()).toEqual([])
    },
  )

  it('stores no row from before such a write either if a new process is the first at the empty server', async () => {
    const longer = { consistency: { ...consistency, fenceMs: 60_000 } }
    const valkey = await start(['--save', ''])
    const proxy = await startServerProxy(valkey.port)
    closing.push(() => proxy.stop())
    const writer = await open({ url: `valkey://127.0.0.1:${proxy.port}` }, longer)
    await eventually(() => allAreHits(writer.cache, database))
    const unit = writer.writes.begin()
    unit.markWritten('Row', [{ id: 'row-0' }])
    await unit.fence()
    await proxy.refuse()
    await valkey.kill()
    await valkey.start()
    const reader = await open(valkey, longer)
    await eventually(() => allAreHits(reader.cache, database))
    await proxy.accept()
    await isReached(writer.store)
    database.write('row-0')
    expect(await reader.staleRows()).toEqual([])
    expect(await writer.staleRows()).toEqual([])
  })

  it('reads nothing from it before it has been checked', async () => {
    const valkey = await start()
    const proxy = await startServerProxy(valkey.port)
    closing.push(() => proxy.stop())
    const reader = await open({ url: `valkey://127.0.0.1:${proxy.port}` })
    await eventually(() => allAreHits(reader.cache, database))
    await valkey.admin.save()
    await write(reader.writes, database, ['row-0'])
    await proxy.refuse()
    await valkey.kill()
    await valkey.start()
    // The check is a script.
    await valkey.admin.call('ACL', 'SETUSER', 'default', '-eval', '-evalsha')
    await proxy.accept()
    await eventually(() =>
      reader.store.ping().then(
        () => true,
        () => false,
      ),
    )
    await expect(reader.store.getMany(['none'])).rejects.toThrow('CHECK failed: NOPERM')
    expect(await reader.staleRows()).toEqual([])
    await valkey.admin.call('ACL', 'SETUSER', 'default', '+eval', '+evalsha')
    await reader.readsOnlyCurrentRows()
  })

  it('does not take a server for old that was flushed', async () => {
    const valkey = await start()
    const first = await open(valkey, { writes: undefined })
    await eventually(() => allAreHits(first.cache, database))
    await valkey.admin.flushall()
    await eventually(() => allAreHits(first.cache, database))
    const second = await open(valkey, { writes: undefined })
    await eventually(() => allAreHits(second.cache, database))
    const messages = [...first.messages, ...second.messages]
    expect(messages.filter((message) => message.includes('came back'))).toEqual([])
  })

  it('goes on to answer from a server that is out of memory, also when nobody could renew its server check', async () => {
    const valkey = await start()
    const { cache, store } = await open(valkey)
    await eventually(() => allAreHits(cache, database))
    const servers = 'mc:{catalogue}:servers'
    const [, id] = /master_replid:(\w+)/.exec(await valkey.admin.info('replication'))!
    await valkey.admin.hincrby(servers, id!, -300)
    await valkey.admin.config('SET', 'maxmemory', '1')
    await valkey.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await isReached(store)
    expect(await allAreHits(cache, database)).toBe(true)
  })

  it('says once that it is empty, however many processes have used it', async () => {
    const valkey = await start(['--save', ''])
    const opened = await Promise.all(Array.from({ length: 3 }, () => open(valkey, { writes: undefined })))
    for (const { cache } of opened) await eventually(() => allAreHits(cache, database))
    await valkey.kill()
    await valkey.start()
    for (const { cache } of opened) await eventually(() => allAreHits(cache, database))
    const messages = opened.flatMap((one) => one.messages)
    expect(messages).toEqual([expect.stringContaining('came back empty')])
  })

  it('says what happened, once for each restart', async () => {
    const valkey = await start()
    const { cache, messages } = await open(valkey, { writes: undefined })
    await eventually(() => allAreHits(cache, database))
    expect(messages).toEqual([])
    for (let i = 0; i < 2; i++) {
      await valkey.admin.save()
      await valkey.kill()
      await valkey.start()
      await eventually(() => allAreHits(cache, database))
    }
    const old = messages.filter((message) => message.includes('came back with old data'))
    expect(old).toHaveLength(2)
    expect(old[0]).toContain('are stored again in 0.4 s')
  })

  it('keeps rows when connections are lost and the server runs on', async () => {
    const valkey = await start()
    const { cache, store } = await open(valkey)
    await eventually(() => allAreHits(cache, database))
    const { loaded } = database
    const { epoch } = await cache.explain('row-0')
    await valkey.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await isReached(store)
    expect((await cache.explain('row-0')).epoch).toBe(epoch)
    const other = await open(valkey)
    await other.cache.getMany(database.ids)
    expect(database.loaded).toBe(loaded)
  })

  it('takes one command for each new connection that reads, and none for reads', async () => {
    const valkey = await start()
    const proxy = await startServerProxy(valkey.port)
    closing.push(() => proxy.stop())
    const { cache, store } = await open({ url: `valkey://127.0.0.1:${proxy.port}` })
    await eventually(() => allAreHits(cache, database))
    const [gets, evals] = ['mget', 'eval'].map((command) => proxy.sent(command))
    await proxy.refuse()
    await proxy.accept()
    await isReached(store)
    const before = proxy.sent('mget')
    for (let i = 0; i < 10; i++) await cache.get('row-0')
    expect(proxy.sent('mget') - before).toBe(10)
    expect([gets! > 0, proxy.sent('eval') - evals!]).toEqual([true, 1])
  })
})
