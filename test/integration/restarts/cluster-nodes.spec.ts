import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster } from 'ioredis'
import { ModelCacheWrites } from 'model-cache'
import { ClusterControl } from '../../support/cluster-control.js'
import { eventually } from '../../support/eventually.js'
import { startValkeyCluster, type ValkeyCluster, type ValkeyServer } from '../../support/valkey-server.js'
import { allAreHits, openCache, VersionedRows } from '../cluster/versioned-rows.js'

describe('a node of a cluster that starts again with its snapshot', () => {
  let folder: string
  let cluster: ValkeyCluster
  let control: ClusterControl
  const closing: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kept-cluster-'))
    cluster = await startValkeyCluster({
      announce: async (ports) => {
        const kept = join(folder, String(ports.port))
        await mkdir(kept)
        return { ...ports, args: ['--dir', kept] }
      },
    })
    control = new ClusterControl(cluster)
  })
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    control.disconnect()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A process of its own. */
  async function open(database: VersionedRows, namespace: string) {
    const client = new Cluster(
      cluster.nodes.map(({ host, port }) => ({ host, port })),
      { lazyConnect: true },
    )
    const writes = new ModelCacheWrites()
    const messages: string[] = []
    const opened = await openCache(
      database,
      { client, deadlineMs: 2_000 },
      {
        namespace,
        consistency: { mode: 'strict', fenceMs: 400, leaseMs: 300 },
        writes,
        warn: (message) => void messages.push(message),
      },
    )
    closing.push(opened.close)
    const isOld = (): boolean => messages.some((message) => message.includes('came back with old data'))
    return { ...opened, writes, isOld }
  }

  type Opened = Awaited<ReturnType<typeof open>>

  async function writeAll({ writes }: Opened, database: VersionedRows): Promise<void> {
    const unit = writes.begin()
    unit.markWritten(
      'Row',
      database.ids.map((id) => ({ id })),
    )
    await unit.fence()
    for (const id of database.ids) database.write(id)
    await unit.end()
    await writes.released()
  }

  async function readsOnlyCurrentRows({ cache }: Opened, database: VersionedRows): Promise<void> {
    const stale: string[] = []
    await eventually(async () => {
      const rows = await cache.getMany(database.ids)
      stale.push(...rows.flatMap((row) => (row!.version === database.row(row!.id).version ? [] : [row!.id])))
      return stale.length > 0 || allAreHits(cache, database)
    })
    expect(stale).toEqual([])
  }

  /** The node that has a key. */
  async function nodeWith(pattern: string): Promise<ValkeyServer> {
    for (const node of cluster.nodes) if ((await control.of(node).keys(pattern)).length > 0) return node
    throw new Error(`no node has ${pattern}`)
  }

  it.each(['the catalogue', 'rows alone'])('has no row that was written later: one with %s', async (what) => {
    const namespace = what.replace(' ', '-')
    const database = new VersionedRows(60)
    const first = await open(database, namespace)
    const second = await open(database, namespace)
    await eventually(() => allAreHits(first.cache, database))
    await eventually(() => allAreHits(second.cache, database))
    const withCatalogue = await nodeWith(`${namespace}:{catalogue}`)
    const node =
      what === 'the catalogue'
        ? withCatalogue
        : cluster.nodes.find(({ port }) => port !== withCatalogue.port)!
    await control.of(node).save()
    await writeAll(first, database)
    const place = cluster.nodes.indexOf(node)
    await node.kill('SIGKILL')
    cluster.nodes[place] = await cluster.restart(node)
    const third = await open(database, namespace)
    await Promise.all([first, second, third].map((one) => readsOnlyCurrentRows(one, database)))
    expect([first, second, third].filter((one) => one.isOld())).toHaveLength(1)
    // All nodes are known again: nothing is loaded by another process.
    const { loaded } = database
    const fourth = await open(database, namespace)
    expect(await fourth.cache.getMany(database.ids)).toEqual(database.all())
    expect([database.loaded - loaded, fourth.isOld()]).toEqual([0, false])
  })
})
