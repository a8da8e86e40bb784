import { ValkeyStore } from 'model-cache/advanced'
import { eventually, eventuallyResolves } from '../../support/eventually.js'
import { startServerProxy, type ServerProxy } from '../../support/server-proxy.js'
import { allAreHits, VersionedRows } from '../cluster/versioned-rows.js'
import { KeptValkey } from './kept-valkey.js'
import { consistency, openProcess, write } from './processes.js'

const serversKey = 'mc:{catalogue}:servers'

describe('a replica that takes the place of its primary', () => {
  let database: VersionedRows
  let a: KeptValkey
  let b: KeptValkey
  let proxy: ServerProxy
  const closing: (() => Promise<unknown>)[] = []

  beforeEach(async () => {
    database = new VersionedRows(20)
    const args = ['--repl-diskless-sync-delay', '0', '--replica-serve-stale-data', 'yes']
    a = await KeptValkey.start(args)
    b = await KeptValkey.start(args)
    proxy = await startServerProxy(a.port)
    await follow(b, a)
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
    await proxy.stop()
    await Promise.all([a.stop(), b.stop()])
  })

  async function follow(replica: KeptValkey, primary: KeptValkey): Promise<void> {
    await replica.admin.call('REPLICAOF', '127.0.0.1', String(primary.port))
    await eventually(async () => (await replica.admin.info('replication')).includes('master_link_status:up'))
  }

  /** Has clients reach a server, which is a primary from now on. */
  async function failOver(to: KeptValkey): Promise<void> {
    await proxy.refuse()
    await to.admin.call('REPLICAOF', 'NO', 'ONE')
    proxy.target = to.port
    await proxy.accept()
  }

  /** A process whose server is whichever the proxy leads to. */
  async function open(replicas = 0) {
    const valkey = { url: `valkey://127.0.0.1:${proxy.port}` }
    const opened = await openProcess(database, valkey, { consistency: { ...consistency, replicas } })
    closing.push(opened.close)
    const reaches = (): Promise<void> => eventuallyResolves(() => opened.store.ping())
    const writeOne = async (id: string): Promise<void> => {
      await reaches()
      await write(opened.writes, database, [id])
    }
    return { ...opened, reaches, write: writeOne }
  }

  const replicaHasAll = (primary: KeptValkey): Promise<void> =>
    eventually(async () => {
      const info = await primary.admin.info('replication')
      const [, own] = /master_repl_offset:(\d+)/.exec(info)!
      return info.includes(`offset=${own},`)
    })

  /** The server check is as it is once servers have run for some minutes, with a process that renews it. */
  async function runForMinutes(primary: KeptValkey): Promise<void> {
    for (const [field, value] of Object.entries(await primary.admin.hgetall(serversKey)))
      if (value.length < 20) await primary.admin.hset(serversKey, field, String(Number(value) + 300))
  }

  it('keeps all rows, if replicas acknowledge writes: nothing is loaded again', async () => {
    const first = await open(1)
    await eventually(() => allAreHits(first.cache, database))
    await runForMinutes(a)
    await first.write('row-0')
    await eventually(() => allAreHits(first.cache, database))
    await replicaHasAll(a)
    await failOver(b)
    const { loaded } = database
    // Two processes read all rows; the first has to notice that its connection is another one.
    const second = await open()
    await first.reaches()
    expect(await second.cache.getMany(database.ids)).toEqual(database.all())
    expect(await first.cache.getMany(database.ids)).toEqual(database.all())
    expect([database.loaded - loaded, first.isOld(), second.isOld()]).toEqual([0, false, false])
  })

  it('loses its rows if it has just started: its rows may come from its own disk', async () => {
    const first = await open()
    await eventually(() => allAreHits(first.cache, database))
    await replicaHasAll(a)
    await failOver(b)
    await first.readsOnlyCurrentRows()
    expect(first.isOld()).toBe(true)
  })

  it('loses its rows if it was cut off for minutes, even though it ran all the time', async () => {
    const first = await open()
    await eventually(() => allAreHits(first.cache, database))
    await runForMinutes(a)
    await replicaHasAll(a)
    // It hears nothing more, and its clients do not know.
    await b.admin.config('SET', 'masterauth', 'wrong')
    await b.admin.call('REPLICAOF', '127.0.0.1', '1')
    await runForMinutes(a)
    await first.write('row-0')
    // A process that has connected meanwhile knows when the primary was last found live.
    const second = await open()
    await second.cache.get('row-1')
    await failOver(b)
    await second.readsOnlyCurrentRows()
    expect(second.isOld()).toBe(true)
    await first.readsOnlyCurrentRows()
  })

  it('serves no old row that it has from a primary which started again with its snapshot', async () => {
    const first = await open()
    await eventually(() => allAreHits(first.cache, database))
    await runForMinutes(a)
    await replicaHasAll(a)
    await a.admin.save()
    await first.write('row-0')
    await proxy.refuse()
    await a.kill()
    await a.start()
    // The replica, which has run all the time, takes the old data from its primary. No process has seen that.
    await follow(b, a)
    await proxy.accept()
    await failOver(b)
    await (await open()).readsOnlyCurrentRows()
    await first.readsOnlyCurrentRows()
  })

  it('serves no old row that it has from its replica, when it becomes the primary again in the same run', async () => {
    const first = await open()
    await eventually(() => allAreHits(first.cache, database))
    await runForMinutes(a)
    await replicaHasAll(a)
    await b.admin.save()
    await failOver(b)
    await follow(a, b)
    await eventually(() => allAreHits(first.cache, database))
    await first.write('row-0')
    await proxy.refuse()
    await b.kill()
    await b.start()
    await follow(a, b)
    await proxy.accept()
    await failOver(a)
    await (await open()).readsOnlyCurrentRows()
    await first.readsOnlyCurrentRows()
  })

  it('is left, and says nothing of the catalogue, once it is the replica of another one', async () => {
    const store = new ValkeyStore({ url: a.url, deadlineMs: 2_000 })
    closing.push(() => store.close())
    await store.connect()
    const checks: unknown[] = []
    store.watchCatalogue('mc:{catalogue}', (check) => checks.push(check), 0)
    await eventually(() => checks.length > 0)
    await b.admin.call('REPLICAOF', 'NO', 'ONE')
    await follow(a, b)
    const count = checks.length
    // Nothing is written: the next check finds it.
    await eventually(() =>
      store.ping().then(
        () => false,
        () => true,
      ),
    )
    expect(checks.length).toBe(count)
  })

  it('keeps all rows when a running primary gets its first replica', async () => {
    await b.admin.call('REPLICAOF', 'NO', 'ONE')
    await a.kill()
    await a.start()
    const first = await open()
    await eventually(() => allAreHits(first.cache, database))
    const { loaded } = database
    await follow(b, a)
    const second = await open()
    await second.cache.getMany(database.ids)
    expect([database.loaded - loaded, second.isOld()]).toEqual([0, false])
  })
})
