import { Cluster, Redis } from 'ioredis'
import { invalidateCommand } from '../../../libs/cli/src/invalidate-command.js'
import { commandCalls } from '../../support/command-calls.js'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkeyCluster, type ValkeyCluster } from '../../support/valkey-server.js'
import { allAreHits, openCache, type OpenCache, VersionedRows } from '../cluster/versioned-rows.js'

let servers: ValkeyCluster
let cluster: Cluster
let opened: OpenCache
const database = new VersionedRows(3)

/** Of two nodes, the first one has the catalogue, and the second one the register of the model. */
const [ofCatalogue, ofRegister] = [0, 1]

beforeEach(async () => {
  servers = await startValkeyCluster({ primaries: 2, replicas: true })
  cluster = new Cluster(
    servers.nodes.map(({ host, port }) => ({ host, port })),
    { lazyConnect: true },
  )
  opened = await openCache(database, { client: cluster, deadlineMs: patientMs })
  await eventually(() => allAreHits(opened.cache, database))
})
afterEach(async () => {
  await opened.close()
  cluster.disconnect()
  await servers.stop()
})

async function invalidate(...args: string[]): Promise<{ code: number; output: string }> {
  const lines: string[] = []
  const code = await invalidateCommand.run(['Row', ...args, '--valkey', servers.nodes[0]!.url], {
    line: (text) => void lines.push(text),
    folder: import.meta.dirname,
    environment: {},
  })
  return { code, output: lines.join('\n') }
}

/** How many `WAIT`s the primaries have run. */
async function waits(): Promise<number> {
  const counts = servers.nodes.map(async ({ port }) => {
    const client = new Redis({ port })
    const calls = await commandCalls(client, 'wait')
    client.disconnect()
    return calls
  })
  return (await Promise.all(counts)).reduce((sum, calls) => sum + calls)
}

const isHit = async (id: string): Promise<boolean> => (await opened.cache.explain(id)).stored.isHit

describe('model-cache invalidate', () => {
  it('waits for the replicas that --replicas says, and for none without it', async () => {
    expect(await invalidate('row-0')).toEqual({ code: 0, output: 'Invalidated 1 row of Row.' })
    expect(await waits()).toBe(0)
    expect(await invalidate('row-1', '--replicas', '1')).toEqual({
      code: 0,
      output: 'Invalidated 1 row of Row.',
    })
    expect(await waits()).toBeGreaterThanOrEqual(2)
    expect(await Promise.all(['row-0', 'row-1', 'row-2'].map(isHit))).toEqual([false, false, true])
  })

  it('says that replicas have not acknowledged it, and what that means', async () => {
    await servers.replicas[ofRegister!]!.stop()
    const { code, output } = await invalidate('--all', '--replicas', '1')
    expect(code).toBe(1)
    expect(output).toMatch(
      /^Not invalidated, or not acknowledged by 1 replica of each server: a failover may bring the old rows back\./,
    )
    expect(output).toContain('model-cache doctor --replicas 1')
    // At the primary it is.
    expect(await isHit('row-0')).toBe(false)
  })

  it('invalidates nothing if the replicas do not acknowledge that there is a writer, unless it is to wait for none', async () => {
    await servers.replicas[ofCatalogue!]!.stop()
    await expect(invalidate('row-0', '--replicas', '1')).rejects.toMatchObject({
      code: 'E_STORE',
      message: expect.stringMatching(
        /CATALOGUE failed: 0 of 1 replicas have acknowledged it in time\. Nothing was invalidated\. .*without --replicas/,
      ),
    })
    expect(await isHit('row-0')).toBe(true)
    expect((await invalidate('row-0')).code).toBe(0)
    expect(await isHit('row-0')).toBe(false)
  })
})
