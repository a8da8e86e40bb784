import { eventually } from '../../support/eventually.js'
import type { ValkeyServer } from '../../support/valkey-server.js'
import { allAreHits, VersionedRows } from '../cluster/versioned-rows.js'
import { KeptCluster } from './kept-cluster.js'
import { consistency, openProcess, write } from './processes.js'

const catalogue = 'mc:{catalogue}'

describe('a node with rows that starts again with its snapshot', () => {
  let cluster: KeptCluster
  const closing: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    cluster = await KeptCluster.start({ replicas: true })
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  afterAll(() => cluster.stop())

  /** The server check of the node of the catalogue is as it is once it has run for some minutes. */
  async function runForMinutes(node: ValkeyServer): Promise<void> {
    const [, id] = /master_replid:(\w+)/.exec(await cluster.control.of(node).info('replication'))!
    for (const field of [id!, '=time'])
      await cluster.control.of(node).hincrby(`${catalogue}:servers`, field, 300)
  }

  /** A replica hears nothing more of its primary. */
  async function cutOff(primary: ValkeyServer, replica: ValkeyServer): Promise<void> {
    await cluster.control.of(replica).config('SET', 'masterauth', 'wrong')
    await cluster.control.of(primary).call('CLIENT', 'KILL', 'TYPE', 'slave')
    await eventually(async () =>
      (await cluster.control.of(replica).info('replication')).includes('master_link_status:down'),
    )
  }

  it('has no old rows either when the catalogue moves to a replica that does not know of it', async () => {
    const database = new VersionedRows(60)
    const { cache, close, staleRows, writes } = await openProcess(
      database,
      { client: cluster.newClient() },
      { consistency: { ...consistency, replicas: 1 } },
    )
    closing.push(close)
    await eventually(() => allAreHits(cache, database))
    const withCatalogue = await cluster.placeOf(catalogue)
    const place = (withCatalogue + 1) % cluster.nodes.length
    const replica = cluster.replicas[withCatalogue]!
    await runForMinutes(cluster.nodes[withCatalogue]!)
    await cluster.control.of(cluster.nodes[place]!).save()
    await write(writes, database, database.ids)
    const epochOf = (server: ValkeyServer): Promise<string | null> =>
      cluster.control.of(server).get(`${catalogue}:epoch`)
    await cluster.control.of(cluster.replicas[place]!).config('SET', 'cluster-replica-no-failover', 'yes')
    await cutOff(cluster.nodes[withCatalogue]!, replica)
    const epoch = await epochOf(cluster.nodes[withCatalogue]!)
    await cluster.restart(place)
    const stale: string[] = []
    const read = async (): Promise<void> => void stale.push(...(await staleRows()))
    // It has been checked, and no replica of the catalogue knows what came of it.
    await eventually(async () => (await read(), (await epochOf(cluster.nodes[withCatalogue]!)) !== epoch))
    for (let i = 0; i < 5; i++) await read()
    await cluster.control.of(replica).call('CLUSTER', 'FAILOVER', 'TAKEOVER')
    await cluster.control.of(replica).config('SET', 'masterauth', '')
    await eventually(async () => (await read(), stale.length > 0 || allAreHits(cache, database)))
    expect(stale).toEqual([])
  })
})
