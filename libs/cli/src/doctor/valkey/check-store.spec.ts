import { answeringNodes, findingLines } from '../../../../../test/support/answering-node.js'
import { FakeServer } from '../../../../../test/support/fake-server.js'
import { checkStore } from './check-store.js'

afterEach(() => FakeServer.stopAll())

describe('checkStore', () => {
  it.each([
    ["READONLY You can't write against a read only replica.", 'Give the address of the primary.'],
    ['OOM command not allowed.', 'CONFIG SET maxmemory to a higher limit; see docs/capacity.md.'],
    [
      'MISCONF Errors writing to the AOF file.',
      'The server cannot save its data: make room on its disk, or CONFIG SET stop-writes-on-bgsave-error no',
    ],
    ['NOREPLICAS Not enough good replicas.', 'Start its replicas, or CONFIG SET min-replicas-to-write 0'],
    ['CLUSTERDOWN The cluster is down.', 'Repair the cluster: valkey-cli --cluster fix <host>:<port>'],
    ['ERR The server has no ROOM.', undefined],
  ])('says what mends a server that answers %j', async (error, remedy) => {
    const server = await FakeServer.start({ EVAL: new Error(error) })
    const nodes = { ...answeringNodes([]), connection: { url: `valkey://${server.name}` } }
    const findings = await checkStore(nodes, 'shop', 60_000)
    expect(findingLines(findings)).toEqual([
      `error valkey.writable: A row could not be stored: LEASE failed: ${error}${remedy === undefined ? '' : ` → ${remedy}`}`,
    ])
    await server.isLeft()
  })
})
