import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster } from 'ioredis'
import { ModelCacheWrites } from 'model-cache'
import { ClusterControl } from '../../support/cluster-control.js'
import { eventually } from '../../support/eventually.js'
import { startValkeyCluster, type ValkeyCluster, type ValkeyServer } from '../../support/valkey-server.js'
import { allAreHits, openCache, VersionedRows } from '../cluster/versioned-rows.js'

const catalogue = 'mc:{catalogue}'

describe('a node with rows that starts again with its snapshot', () => {
  let folder: string
  let cluster: ValkeyCluster
  let control: ClusterControl
  const closing: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kept-cluster-'))
    cluster = await startValkeyCluster({
      replicas: true,
      announce: async (ports) => {
        const kept = join(folder, String(ports.port))
        await mkdir(kept)
        return { ...ports, args: ['--dir', kept] }
      },
    })
    control = new ClusterControl(cluster)
  })
  afterAll(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
    control.disconnect()
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** The place of the node that has a key. */
  async function placeOf(pattern: string): Promise<number> {
    for (const [place, node] of cluster.nodes.entries())
      if ((await control.of(node).keys(pattern)).length > 0) return place
    throw new Error(`no node has ${pattern}`)
  }

  /** The server check of the node of the catalogue is as it is once it has run for some minutes. */
  async function runForMinutes(node: ValkeyServer): Promise<void> {
    const [, id] = /master_replid:(\w+)/.exec(await control.of(node).info('replication'))!
    for (const field of [id!, '=time']) await control.of(node).hincrby(`${catalogue}:servers`, field, 300)
  }

  /** A replica hears nothing more of its primary. */
  async function cutOff(primary: ValkeyServer, replica: ValkeyServer): Promise<void> {
    await control.of(replica).config('SET', 'masterauth', 'wrong')
    await control.of(primary).call('CLIENT', 'KILL', 'TYPE', 'slave')
    await eventually(async () =>
      (await control.of(replica).info('replication')).includes('master_link_status:down'),
    )
  }

  it('has no old rows either when the catalogue moves to a replica that does not know of it', async () => {
    const database = new VersionedRows(60)
    const client = new Cluster(
      cluster.nodes.map(({ host, port }) => ({ host, port })),
      { lazyConnect: true },
    )
    const writes = new ModelCacheWrites()
    const { cache, close } = await openCache(
      database,
      { client, deadlineMs: 2_000 },
      { writes, consistency: { mode: 'strict', fenceMs: 400, leaseMs: 300, replicas: 1 } },
    )
    closing.push(close)
    await eventually(() => allAreHits(cache, database))
    const withCatalogue = await placeOf(catalogue)
    const place = (withCatalogue + 1) % cluster.nodes.length
    const [node, replica] = [cluster.nodes[place]!, cluster.replicas[withCatalogue]!]
    await runForMinutes(cluster.nodes[withCatalogue]!)
    await control.of(node).save()
    const unit = writes.begin()
    unit.markWritten(
      'Row',
      database.ids.map((id) => ({ id })),
    )
    await unit.fence()
    for (const id of database.ids) database.write(id)
    await unit.end()
    await writes.released()
    const epochOf = (server: ValkeyServer): Promise<string | null> =>
      control.of(server).get(`${catalogue}:epoch`)
    await control.of(cluster.replicas[place]!).config('SET', 'cluster-replica-no-failover', 'yes')
    await cutOff(cluster.nodes[withCatalogue]!, replica)
    const epoch = await epochOf(cluster.nodes[withCatalogue]!)
    await node.kill('SIGKILL')
    cluster.nodes[place] = await cluster.restart(node)
    const stale: string[] = []
    const read = async (): Promise<void> => {
      for (const row of await cache.getMany(database.ids))
        if (row!.version !== database.row(row!.id).version) stale.push(row!.id)
    }
    // It has been checked, and no replica of the catalogue knows what came of it.
    await eventually(async () => (await read(), (await epochOf(cluster.nodes[withCatalogue]!)) !== epoch))
    for (let i = 0; i < 5; i++) await read()
    await control.of(replica).call('CLUSTER', 'FAILOVER', 'TAKEOVER')
    await control.of(replica).config('SET', 'masterauth', '')
    await eventually(async () => (await read(), stale.length > 0 || allAreHits(cache, database)))
    expect(stale).toEqual([])
  })
})
