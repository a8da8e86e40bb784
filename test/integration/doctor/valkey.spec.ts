import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { eventuallyEqual } from '../../support/eventually.js'
import { startServerProxy } from '../../support/server-proxy.js'
import { freePort } from '../../support/free-port.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { diagnose, faultsIn, findingOf } from './command-line.js'

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function start(...args: string[]): Promise<ValkeyServer & { readonly admin: Redis }> {
  const valkey = await startValkey({ args })
  const admin = new Redis({ port: valkey.port })
  admin.on('error', () => {})
  opened.push(
    () => valkey.stop(),
    () => admin.disconnect(),
  )
  return { ...valkey, admin }
}

/** A user who may do everything but what the rules take away. */
async function urlOfUser(
  { admin, url }: Awaited<ReturnType<typeof start>>,
  ...rules: string[]
): Promise<string> {
  await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '+@all', ...rules)
  await admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>other')
  return url.replace('://', '://app:secret@')
}

/** Waits until the replication of a server is as a line of `INFO` says. */
const replicates = (admin: Redis, line: string): Promise<void> =>
  eventuallyEqual(() => admin.info('replication'), expect.stringContaining(line) as never)

/** Changes what a server says, byte by byte. */
async function startForger(target: number, forge: (text: string) => string): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
    client.pipe(upstream)
    upstream.on('data', (bytes) => client.write(Buffer.from(forge(bytes.toString('latin1')), 'latin1')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `valkey://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the doctor finds', () => {
  it('nothing on a server as it should be, and leaves nothing there', async () => {
    const { admin, url } = await start()
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual([])
    expect(diagnosis.code).toBe(0)
    expect(findingOf(diagnosis, 'valkey.writable').severity).toBe('ok')
    expect(findingOf(diagnosis, 'caches.none').severity).toBe('note')
    // The mark of the invalidation ends by itself.
    for (const key of await admin.keys('*')) expect(await admin.pttl(key)).toBeLessThan(10_000)
    expect(diagnosis.findings.map(({ id }) => id)).toContain('valkey.version')
  })

  it('a server that evicts keys', async () => {
    const { url } = await start('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru')
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['warning valkey.eviction'])
    expect(findingOf(diagnosis, 'valkey.eviction').remedy).toContain('maxmemory-policy noeviction')
  })

  it('a server whose memory is full', async () => {
    const { admin, url } = await start()
    await admin.set('rows', 'x'.repeat(2_000_000))
    await admin.config('SET', 'maxmemory', '1mb')
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['warning valkey.memory', 'error valkey.writable'])
    expect(findingOf(diagnosis, 'valkey.writable').found).toContain('OOM')
    expect(diagnosis.code).toBe(1)
    // What no replica can acknowledge is no finding of its own.
    expect(faultsIn(await diagnose(['--valkey', url, '--replicas', '1']))).toEqual(faultsIn(diagnosis))
  })

  it.each([
    ['nothing', [], 'ok', 'keeps nothing on its disk.'],
    [
      'snapshots',
      ['--save', '3600 1 60 10000'],
      'note',
      'keeps on its disk: snapshots (save 3600 1 60 10000).',
    ],
    ['a log', ['--appendonly', 'yes'], 'note', 'keeps on its disk: an append-only file.'],
    [
      'both',
      ['--save', '3600 1', '--appendonly', 'yes'],
      'note',
      'keeps on its disk: snapshots (save 3600 1), an append-only file.',
    ],
  ] as const)('that a server keeps %s', async (_, args, severity, found) => {
    const { host, port, url } = await start(...args)
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual([])
    expect(findingOf(diagnosis, 'valkey.persistence')).toMatchObject({
      severity,
      found: `${host}:${port} ${found}`,
    })
  })

  it('that a server may keep snapshots, where CONFIG is forbidden', async () => {
    const server = await start()
    const args = ['--valkey', await urlOfUser(server, '~mc:*', '&mc:*', '-config')]
    const silent = findingOf(await diagnose(args), 'valkey.persistence')
    expect([silent.severity, silent.found]).toEqual(['note', expect.stringContaining('may keep snapshots')])
    await server.admin.save()
    const saved = findingOf(await diagnose(args), 'valkey.persistence')
    expect([saved.severity, saved.found]).toEqual(['note', expect.stringMatching(/: snapshots\.$/)])
  })

  it('that nobody can tell when a server has come back with old data, where INFO is forbidden', async () => {
    const server = await start('--appendonly', 'yes')
    const url = await urlOfUser(server, '~mc:*', '&mc:*', '-info')
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['warning valkey.persistence'])
    expect(findingOf(diagnosis, 'valkey.persistence').found).toContain(
      'an append-only file, and does not let',
    )
    await server.admin.config('SET', 'appendonly', 'no')
    expect(faultsIn(await diagnose(['--valkey', url]))).toEqual([])
  })

  it('a server that does not answer with what was stored', async () => {
    const { port } = await start()
    const url = await startForger(port, (text) => text.replace('$6\r\ndoctor', '$6\r\nforged'))
    expect(faultsIn(await diagnose(['--valkey', url]))).toEqual(['error valkey.writable'])
  })

  it('a server that answers with a row after its invalidation, as a proxy may that reads from a replica', async () => {
    const { port } = await start()
    let stored: string | undefined
    const url = await startForger(port, (text) => {
      stored ??= /\*1\r\n\$6\r\ndoctor\r\n/.exec(text)?.[0]
      return stored === undefined ? text : text.replace(/\*1\r\n(?:\$-1|_)\r\n/, stored)
    })
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['error valkey.writable'])
    expect(findingOf(diagnosis, 'valkey.writable').found).toContain('is there after its invalidation')
  })

  it('what it can, and leaves no connection', async () => {
    const { admin, url } = await start()
    await diagnose(['--valkey', url, '--replicas', '1'])
    const connections = async () =>
      String(await admin.call('CLIENT', 'LIST')).match(/\bname=model-cache/g)?.length
    await eventuallyEqual(connections, undefined)
  })

  it('commands that the user may not run, and the rule that grants them', async () => {
    const server = await start()
    const url = await urlOfUser(server, '~mc:*', '&mc:*', '-mget', '-evalsha', '-hgetall')
    const diagnosis = await diagnose(['--valkey', url])
    const { found, remedy } = findingOf(diagnosis, 'valkey.rights')
    expect(found).toBe('The user app may not run mget, hgetall, evalsha.')
    expect(faultsIn(diagnosis)).toEqual(['error valkey.rights'])

    await server.admin.call(...(remedy!.split(' ') as [string, ...string[]]))
    expect(faultsIn(await diagnose(['--valkey', url]))).toEqual([])
  })

  it('keys and channels that the user may not access', async () => {
    const server = await start()
    const url = await urlOfUser(server, '~mc:{doctor*', '&other:*')
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['error valkey.rights', 'warning valkey.channels'])
    expect(findingOf(diagnosis, 'valkey.rights').found).toBe(
      'The user app may not access the keys mc:{catalogue}*.',
    )
    for (const id of ['valkey.rights', 'valkey.channels'])
      await server.admin.call(...(findingOf(diagnosis, id).remedy!.split(' ') as [string, ...string[]]))
    expect(faultsIn(await diagnose(['--valkey', url]))).toEqual([])
  })

  it('that the user may not publish or subscribe', async () => {
    const url = await urlOfUser(await start(), '~mc:*', '&mc:*', '-publish', '-subscribe')
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['warning valkey.channels'])
    expect(findingOf(diagnosis, 'valkey.channels').remedy).toBe(
      'ACL SETUSER app +publish +subscribe +unsubscribe',
    )
  })

  it('that the user may not wait for replicas, where they are configured', async () => {
    const server = await start()
    const url = await urlOfUser(server, '~mc:*', '&mc:*', '-wait')
    expect(faultsIn(await diagnose(['--valkey', url]))).toEqual([])
    const args = ['--valkey', url, '--replicas', '1']
    const diagnosis = await diagnose(args)
    expect(faultsIn(diagnosis)).toEqual(['error valkey.rights'])
    const { found, remedy } = findingOf(diagnosis, 'valkey.rights')
    expect(found).toBe('The user app may not run wait.')
    await server.admin.call(...(remedy!.split(' ') as [string, ...string[]]))
    expect(faultsIn(await diagnose(args))).not.toContain('error valkey.rights')
  })

  it('nothing with the user of docs/operations.md, also without the line for clusters', async () => {
    const server = await start()
    const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
    const [, rule] = /```\n(ACL SETUSER [^`]*?)\n[^\n]*cluster[^\n]*\n```/.exec(page)!
    await server.admin.call(...(rule!.trim().split(/\s+/) as [string, ...string[]]))
    await server.admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>other')
    const args = ['--valkey', server.url.replace('://', '://app:password@')]
    expect(faultsIn(await diagnose(args))).toEqual([])
    expect(faultsIn(await diagnose([...args, '--replicas', '1']))).toEqual(['error valkey.replica-count'])
  })

  it('what it can without INFO and CONFIG', async () => {
    const url = await urlOfUser(await start(), '~mc:*', '&mc:*', '-info', '-config', '-acl')
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['warning valkey.persistence'])
    expect(findingOf(diagnosis, 'valkey.info').severity).toBe('note')
    expect(findingOf(diagnosis, 'valkey.writable').severity).toBe('ok')
  })

  it('a replica, and the address of its primary', async () => {
    const primary = await start()
    const { url } = await start('--replicaof', '127.0.0.1', String(primary.port))
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['error valkey.role', 'error valkey.writable'])
    expect(findingOf(diagnosis, 'valkey.role').remedy).toContain(`127.0.0.1:${primary.port}`)
  })

  it('a server that waits for replicas', async () => {
    const { url } = await start('--min-replicas-to-write', '1')
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['error valkey.writable'])
    expect(findingOf(diagnosis, 'valkey.writable').remedy).toContain('min-replicas-to-write 0')
  })

  it('that there are fewer replicas than must acknowledge writes, and the command that adds one', async () => {
    const { host, port, url } = await start('--repl-diskless-sync-delay', '0')
    const args = ['--valkey', url, '--replicas', '1']
    const alone = await diagnose(args)
    expect(faultsIn(alone)).toEqual(['error valkey.replica-count'])
    const { found, remedy } = findingOf(alone, 'valkey.replica-count')
    expect(found).toBe(`${host}:${port} has no connected replicas, and consistency.replicas is 1.`)
    expect(alone.code).toBe(1)

    const command = /^(REPLICAOF \S+ \d+) on another server/.exec(remedy!)![1]!
    const replica = await start()
    await replica.admin.call(...(command.split(' ') as [string, ...string[]]))
    await replicates(replica.admin, 'master_link_status:up')
    const complete = await diagnose(args)
    expect(faultsIn(complete)).toEqual([])
    expect(findingOf(complete, 'valkey.replica-count').found).toBe(
      `1 replica of ${host}:${port} acknowledged a write.`,
    )
    expect(faultsIn(await diagnose(['--valkey', url, '--replicas', '2']))).toEqual([
      'error valkey.replica-count',
    ])

    await replica.kill('SIGSTOP')
    const hanging = findingOf(await diagnose(args), 'valkey.replica-count')
    await replica.kill('SIGCONT')
    expect(hanging.found).toBe(`0 of 1 replicas of ${host}:${port} acknowledge a write within 2 s.`)
    expect(hanging.remedy).toContain('INFO replication')
  })

  it('that a replica may be promoted that no write waits for', async () => {
    const { admin, port, url } = await start('--repl-diskless-sync-delay', '0')
    for (let i = 0; i < 2; i++) {
      const replica = await start('--replicaof', '127.0.0.1', String(port))
      await replicates(replica.admin, 'master_link_status:up')
    }
    await replicates(admin, 'connected_slaves:2')
    const diagnosis = await diagnose(['--valkey', url, '--replicas', '1'])
    expect(faultsIn(diagnosis)).toEqual([])
    expect(findingOf(diagnosis, 'valkey.replica-count')).toMatchObject({
      severity: 'note',
      remedy: 'Set consistency.replicas to 2, if all of them may be promoted.',
    })
  })

  it('a replica that is not in sync', async () => {
    const { port } = await start()
    const lagging = 'slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=90'
    const url = await startForger(port, (text) =>
      // Of the same length, which the reply begins with.
      text.replace(/(?<=connected_slaves:0\r\n)[^]{59}/, (part) => `${lagging}\r\n`.padEnd(part.length, ' ')),
    )
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['warning valkey.replicas'])
    expect(findingOf(diagnosis, 'valkey.replicas').found).toContain(
      'ip=10.0.0.2 port=6379 state=online lag=90',
    )
  })

  it('a cluster with slots that no node has', async () => {
    const busPort = await freePort()
    const { admin, url } = await start(
      '--cluster-enabled',
      'yes',
      '--cluster-port',
      String(busPort),
      '--cluster-announce-ip',
      '127.0.0.1',
      '--cluster-require-full-coverage',
      'no',
    )
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', 0, 15_999, 16_001, 16_382)
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toContain('error valkey.cluster-slots')
    expect(findingOf(diagnosis, 'valkey.cluster-slots').found).toBe('No node has the slots 16000, 16383.')
  })

  it('a server that is too old', async () => {
    const { port } = await start()
    const url = await startForger(port, (text) =>
      text.replace(/\bvalkey_version:/, 'forged_version:').replace(/\bredis_version:\d/, 'redis_version:5'),
    )
    const diagnosis = await diagnose(['--valkey', url])
    expect(faultsIn(diagnosis)).toEqual(['error valkey.version'])
    expect(findingOf(diagnosis, 'valkey.version').found).toMatch(/is Redis 5\./)
  })

  it('a server that answers late', async () => {
    const { port } = await start()
    const proxy = await startServerProxy(port)
    opened.push(() => proxy.stop())
    proxy.delayMs = 60
    const url = `valkey://127.0.0.1:${proxy.port}`
    expect(faultsIn(await diagnose(['--valkey', url, '--deadline-ms', '50']))).toEqual([
      'error valkey.latency',
    ])
  })

  it('a password that the server does not ask for', async () => {
    const { url } = await start()
    const diagnosis = await diagnose(['--valkey', url.replace('://', '://:s3cret@')])
    expect(faultsIn(diagnosis)).toEqual(['warning valkey.password'])
    expect(JSON.stringify(diagnosis)).not.toContain('s3cret')
  })

  it.each([
    ['that is not there', async () => `valkey://app:s3cret@127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
    [
      'with another password',
      async () => (await start('--requirepass', 'other')).url.replace('://', '://:s3cret@'),
      /WRONGPASS/,
    ],
    ['without TLS', async () => (await start()).url.replace('valkey:', 'valkeys:'), /does not speak TLS/],
  ])('a server %s', async (_, address, found) => {
    const diagnosis = await diagnose([], { VALKEY_URL: await address() })
    expect(diagnosis.code).toBe(1)
    expect(faultsIn(diagnosis)).toEqual(['error valkey.reachable'])
    expect(findingOf(diagnosis, 'valkey.reachable').found).toMatch(found)
    expect(JSON.stringify(diagnosis)).not.toContain('s3cret')
  })

  it('a server that hangs', async () => {
    const server = await start()
    await server.kill('SIGSTOP')
    const diagnosis = await diagnose(['--valkey', server.url])
    await server.kill('SIGCONT')
    expect(faultsIn(diagnosis)).toEqual(['error valkey.reachable'])
    expect(findingOf(diagnosis, 'valkey.reachable').found).toContain('took longer')
  })

  it('a catalogue that has lost its epoch, and entries of another version', async () => {
    const { admin, url } = await start()
    const namespace = randomUUID()
    const key = `${namespace}:{catalogue}`
    await admin.hset(key, '=epoch', 'lost', 'Lot:f:1', '0;0;{"v":99,"model":"Lot","dependsOn":[]}')
    const diagnosis = await diagnose(['--valkey', url, '--namespace', namespace])
    expect(faultsIn(diagnosis)).toEqual(['warning caches.epoch', 'warning caches.version'])
  })
})
