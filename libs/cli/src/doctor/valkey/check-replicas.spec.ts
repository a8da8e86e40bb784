import { StoreError, type ValkeyNodes } from 'model-cache/internal'
import {
  answeringNode,
  type AnsweringNode,
  answeringNodes,
  findingLines,
  forbidden,
} from '../../../../../test/support/answering-node.js'
import { checkReplicas } from './check-replicas.js'

const online = 'ip=10.0.0.2,port=6379,state=online,offset=1,lag=0'
/** What `INFO` says of so many replicas that are connected. */
const withReplicas = (count: number): string =>
  Array.from({ length: count }, (_, i) => `slave${i + 9}:${online}\r\n`).join('')

interface Server {
  readonly acknowledged: number
  readonly info: unknown
  readonly name?: string
  readonly set?: unknown
}

const server = ({ acknowledged, info, name, set = 'OK' }: Server): AnsweringNode =>
  answeringNode({ SET: set, WAIT: acknowledged, INFO: info }, name)

const found = async (server: AnsweringNode, replicas: number): Promise<string[]> =>
  findingLines(await checkReplicas(answeringNodes([server]), 'shop', replicas))

const withoutId = ({ sent }: AnsweringNode): string[] =>
  sent.map((line) => line.replace(/[\da-f]{8}-[\da-f-]{27}/, '…'))

const lower = 'or a lower consistency.replicas, with which a failover may bring old rows back.'

describe('checkReplicas', () => {
  it('asks a server nothing if no replica has to acknowledge writes', async () => {
    const node = server({ acknowledged: 0, info: withReplicas(0) })
    expect(await found(node, 0)).toEqual([])
    expect(node.sent).toEqual([])
  })

  it('writes a key, waits for the replicas, and removes it', async () => {
    const node = server({ acknowledged: 2, info: withReplicas(2) })
    expect(await found(node, 2)).toEqual([
      'ok valkey.replica-count: 2 replicas of cache:6379 acknowledged a write.',
    ])
    expect(withoutId(node)).toEqual([
      'SET shop:{doctor}:… 1 PX 10000',
      'WAIT 2 2000',
      'UNLINK shop:{doctor}:…',
      'INFO',
    ])
  })

  it('says nothing of a server that refuses the key', async () => {
    const node = server({ acknowledged: 0, info: withReplicas(0), set: new StoreError('valkey', 'READONLY') })
    expect(await found(node, 1)).toEqual([])
    expect(node.sent).toHaveLength(1)
  })

  it('counts the replicas that are connected', async () => {
    const others = [
      `slave_repl_offset:${online}`,
      `old_slave1:${online}`,
      `slave1_lag:${online}`,
      `replid:${online}`,
      `slave7:${online.replace('online', 'wait_bgsave')}`,
      `slave8:${online.replace('online', 'onlineish')}`,
    ]
    const info = `${others.join('\r\n')}\r\n${withReplicas(1)}`
    expect(await found(server({ acknowledged: 1, info }), 1)).toEqual([
      'ok valkey.replica-count: 1 replica of cache:6379 acknowledged a write.',
    ])
  })

  it('does not count them if INFO is forbidden', async () => {
    const info = forbidden('NOPERM')
    expect(await found(server({ acknowledged: 1, info }), 1)).toEqual([
      'ok valkey.replica-count: 1 replica of cache:6379 acknowledged a write.',
    ])
    expect(await found(server({ acknowledged: 1, info }), 2)).toEqual([
      'error valkey.replica-count: 1 of 2 replicas of cache:6379 acknowledge a write within 2 s. → ' +
        `REPLICAOF cache 6379 on another server, ${lower}`,
    ])
  })

  it.each([
    ['::1:6379', 'REPLICAOF ::1 6379'],
    ['cache:x', 'REPLICAOF <host> <port>'],
    ['cache:6379 of others', 'REPLICAOF <host> <port>'],
    ['primary of sentinel:26379', 'REPLICAOF <host> <port>'],
  ])('gives the command for a replica of %s', async (name, command) => {
    const lines = await found(server({ acknowledged: 0, info: withReplicas(0), name }), 1)
    expect(lines).toEqual([expect.stringContaining(`→ ${command} on another server, `)])
  })
})

describe('checkReplicas of a cluster', () => {
  const cluster = (
    primaries: readonly AnsweringNode[],
    nodeOf: (key: string) => AnsweringNode,
  ): ValkeyNodes => ({ ...answeringNodes(primaries), isCluster: true, nodeOf })
  const nodes = (): AnsweringNode[] =>
    ['a:1', 'b:2'].map((name) => server({ acknowledged: 1, info: withReplicas(1), name }))

  it('tries each primary with a key of its own', async () => {
    const [a, b] = nodes() as [AnsweringNode, AnsweringNode]
    const nodeOf = (key: string): AnsweringNode => {
      if (key.includes('{doctor:0}')) throw new StoreError('valkey', 'no node of the cluster has slot 1')
      return key.includes('{doctor:1}') ? b : a
    }
    expect(findingLines(await checkReplicas(cluster([a, b], nodeOf), 'shop', 1))).toEqual([
      'ok valkey.replica-count: 1 replica of a:1 acknowledged a write.',
      'ok valkey.replica-count: 1 replica of b:2 acknowledged a write.',
    ])
    expect([a, b].map((node) => withoutId(node)[0])).toEqual([
      'SET shop:{doctor:2}:… 1 PX 10000',
      'SET shop:{doctor:1}:… 1 PX 10000',
    ])
  })

  it('says nothing of a primary that has no key', async () => {
    const [a, b] = nodes() as [AnsweringNode, AnsweringNode]
    expect(
      await checkReplicas(
        cluster([b], () => a),
        'shop',
        1,
      ),
    ).toEqual([])
    expect([...a.sent, ...b.sent]).toEqual([])
  })
})
