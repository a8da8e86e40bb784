import { Cluster, Redis } from 'ioredis'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { freePort } from '../../support/free-port.js'
import { startValkey, startValkeyCluster, startWatchedValkey } from '../../support/valkey-server.js'
import { diagnose, faultsIn, findingOf, run } from './command-line.js'

describe('the doctor', () => {
  it('checks each node of a cluster, whose nodes it finds from any of them', async () => {
    const { nodes, stop } = await startValkeyCluster()
    const url = nodes[1]!.url
    const diagnosis = await diagnose(['--valkey', url, '--deadline-ms', '60000'])
    expect(faultsIn(diagnosis)).toEqual([])
    expect(diagnosis.findings.filter(({ id }) => id === 'valkey.version')).toHaveLength(3)
    expect(findingOf(diagnosis, 'valkey.cluster-slots').found).toContain('by 3 primaries')
    expect(findingOf(diagnosis, 'valkey.writable').severity).toBe('ok')
    expect((await run(['caches', '--valkey', url])).output).toBe('The namespace "mc" has no caches.\n')

    // The user of one node alone may not do what those of the others may.
    const admins = nodes.map(({ port }) => new Redis({ port }))
    for (const admin of admins)
      await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '+@all', '~*', '&*')
    await admins[2]!.call('ACL', 'SETUSER', 'app', '-mget', '-spublish')
    for (const admin of admins) {
      await admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>other')
      admin.disconnect()
    }
    const limited = await diagnose([
      '--valkey',
      url.replace('://', '://app:secret@'),
      '--deadline-ms',
      '60000',
    ])
    expect(faultsIn(limited)).toEqual(['error valkey.rights', 'warning valkey.channels'])
    expect(findingOf(limited, 'valkey.rights').remedy).toBe('ACL SETUSER app +mget (on every node)')
    expect(findingOf(limited, 'valkey.channels').found).toContain('spublish')

    const first = new Redis({ port: nodes[0]!.port, password: 'other' })
    await first.call('ACL', 'SETUSER', 'app', '-cluster')
    first.disconnect()
    const closed = await diagnose(['--valkey', nodes[0]!.url.replace('://', '://app:secret@')])
    expect(findingOf(closed, 'valkey.reachable').found).toMatch(/CLUSTER failed: NOPERM/)
    await stop()
  })

  it('names primaries without a replica, and those that do not answer', async () => {
    const { nodes, replicas, stop } = await startValkeyCluster({ primaries: 2, replicas: true })
    const [lost, other] = nodes.map(({ host, port }) => `${host}:${port}`)
    const args = ['--valkey', nodes[1]!.url, '--deadline-ms', '60000']
    const admin = new Redis({ port: nodes[1]!.port })
    const listed = async () => (await admin.cluster('SLOTS')).flatMap(([, , ...members]) => members)
    const replicated = await diagnose([...args, '--replicas', '1'])
    expect(faultsIn(replicated)).toEqual([])
    expect(replicated.findings.filter(({ id }) => id === 'valkey.replica-count')).toHaveLength(2)
    await replicas[0]!.stop()
    await eventuallyEqual(async () => (await listed()).length, 3)
    const unreplicated = await diagnose(args)
    expect(faultsIn(unreplicated)).toEqual([])
    expect(findingOf(unreplicated, 'valkey.cluster-replicas')).toMatchObject({
      severity: 'note',
      found: `Some primaries have no replica: ${lost}.`,
    })

    const unacknowledged = await diagnose([...args, '--replicas', '1'])
    expect(faultsIn(unacknowledged)).toEqual(['error valkey.replica-count'])
    const { remedy } = unacknowledged.findings.find(
      ({ id, severity }) => id === 'valkey.replica-count' && severity === 'error',
    )!
    expect(remedy).toContain(`CLUSTER REPLICATE <node id of ${lost}> on another node`)

    await nodes[0]!.stop()
    const { found, severity } = findingOf(await diagnose(args), 'valkey.cluster-nodes')
    expect([severity, found]).toEqual(['error', `These primaries do not answer here: ${lost}.`])
    expect(found).not.toContain(other)
    admin.disconnect()
    await stop()
  })

  it('says that a node announces no address, and the command that sets one', async () => {
    const server = await startValkey({
      args: ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
    })
    const admin = new Redis({ port: server.port })
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
    await eventually(async () => String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok'))
    const args = ['--valkey', server.url]
    const { found, remedy } = findingOf(await diagnose(args), 'valkey.cluster-address')
    expect(found).toBe(`These nodes announce no address: 127.0.0.1:${server.port}.`)
    expect(remedy).toMatch(/^CONFIG SET cluster-announce-ip </)
    await admin.config('SET', 'cluster-announce-ip', '127.0.0.1')
    expect(faultsIn(await diagnose(args))).toEqual([])
    admin.disconnect()
    await server.stop()
  })

  it('finds the primary that Sentinels know', async () => {
    const { name, primary, sentinels, stop } = await startWatchedValkey()
    const addresses = sentinels.map(({ host, port }) => `${host}:${port}`).join()
    const diagnosis = await diagnose(['--sentinels', addresses, '--primary', name, '--deadline-ms', '60000'])
    expect(faultsIn(diagnosis)).toEqual([])
    expect(findingOf(diagnosis, 'valkey.writable').severity).toBe('ok')
    expect(primary.port).toBeGreaterThan(0)
    const { code, errors } = await run(['caches', '--sentinels', addresses])
    expect({ code, errors }).toEqual({
      code: 2,
      errors: '--sentinels needs --primary, the name under which they know the server.\n',
    })
    await stop()
  })
})

describe('model-cache warm', () => {
  it('takes the ids of the nodes that it may scan, and says what another one refuses', async () => {
    const { nodes, stop } = await startValkeyCluster({ primaries: 2 })
    const cluster = new Cluster(nodes.map(({ host, port }) => ({ host, port })))
    const id = [{ name: 'id', kind: 'number' }]
    const described = { v: 6, affectedBy: [['Lot']], model: 'Lot', dependsOn: [], id }
    const text = JSON.stringify({ ...described, buckets: 16, lookups: [] })
    await cluster.hset('shop:{catalogue}', 'Lot:f1:digest', `0;0;${text}`)
    for (let i = 0; i < 16; i++) await cluster.set(`shop:{Lot:${i}}:${i}:f1`, 'a row')
    cluster.disconnect()
    const counts: number[] = []
    for (const [i, { port }] of nodes.entries()) {
      const admin = new Redis(port)
      await admin.call(
        'ACL',
        'SETUSER',
        'app',
        'on',
        '>secret',
        '+@all',
        '~*',
        '&*',
        i > 0 ? '-scan' : '+scan',
      )
      counts.push((await admin.keys('shop:{Lot:*')).length)
      admin.disconnect()
    }
    expect(Math.min(...counts)).toBeGreaterThan(1)
    const url = nodes[0]!.url.replace('://', '://app:secret@')
    const names = ['--from-namespace', 'shop', '--namespace', 'stock']
    const { code, output } = await run(['warm', '--from', url, '--valkey', nodes[0]!.url, ...names])
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^Only a part of the ids could be read: .*SCAN failed: NOPERM/),
      `Found ${counts[0]} ids.`,
      expect.stringMatching(/^No process of the namespace "stock" answers\./),
      '',
    ])
    expect(code).toBe(1)
    await stop()
  })
})
