import { Redis } from 'ioredis'
import { cachesCommand } from '../../../libs/cli/src/caches-command.js'
import { eventuallyEqual } from '../../support/eventually.js'
import { freePort } from '../../support/free-port.js'
import { startSentinel, startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { diagnose, faultsIn, findingOf } from '../doctor/command-line.js'

let server: ValkeyServer
let admin: Redis

beforeAll(async () => {
  server = await startValkey()
  admin = new Redis(server.port)
})
afterEach(async () => {
  await admin.call('ACL', 'SETUSER', 'default', 'nopass')
  await admin.call('ACL', 'DELUSER', 'app')
})
afterAll(async () => {
  admin.disconnect()
  await server.stop()
})

const urlAs = (user: string, url = server.url): string => url.replace('://', `://${user}@`)
const doctor = (url: string, ...args: string[]) => diagnose(['--valkey', url, ...args])
const connections = async (): Promise<number> =>
  ((await admin.client('LIST')) as string).split('\n').filter((client) => /name=(model-cache|$)/.test(client))
    .length

/** What `model-cache caches` prints. */
async function caches(...args: string[]): Promise<string> {
  const lines: string[] = []
  const line = (text: string): void => void lines.push(text)
  await cachesCommand.run(args, { line, folder: import.meta.dirname, environment: {} })
  return lines.join('\n')
}

describe('the servers at an address', () => {
  it('are one without a cluster, by its name', async () => {
    const diagnosis = await doctor(server.url)
    expect(faultsIn(diagnosis)).toEqual([])
    expect(findingOf(diagnosis, 'valkey.role').found).toBe(`127.0.0.1:${server.port} is a primary.`)
    expect(diagnosis.findings.filter(({ id }) => id === 'valkey.role')).toHaveLength(1)
    expect(diagnosis.findings.map(({ id }) => id)).not.toContain('valkey.cluster-slots')
    expect(findingOf(diagnosis, 'valkey.rights').found).toMatch(/^The user default may run/)
  })

  it('keep no connection', async () => {
    await doctor(server.url)
    expect(await caches('--valkey', server.url)).toBe('The namespace "mc" has no caches.')
    await eventuallyEqual(connections, 0)
  })

  it('receive the user and the password', async () => {
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '+@all', '~*', '&*')
    await admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>other')
    const diagnosis = await doctor(urlAs('app:secret'))
    expect(faultsIn(diagnosis)).toEqual([])
    expect(findingOf(diagnosis, 'valkey.rights').found).toMatch(/^The user app may run/)
    expect(faultsIn(await doctor(urlAs(':other')))).toEqual([])
  })

  it('say if they would do without the password', async () => {
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '+@all', '~*', '&*')
    expect(faultsIn(await doctor(urlAs('app:secret')))).toEqual(['warning valkey.password'])
    expect(faultsIn(await doctor(server.url))).toEqual([])
  })

  it.each([
    ['-cluster', []],
    ['-cluster -info', []],
    ['-subscribe', ['warning valkey.channels']],
  ])('need no rights for clusters: %s', async (rules, faults) => {
    const all = ['on', '>secret', '+@all', '~*', '&*', ...rules.split(' ')]
    await admin.call('ACL', 'SETUSER', 'app', ...all)
    await admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>other')
    expect(faultsIn(await doctor(urlAs('app:secret')))).toEqual(faults)
  })

  it('may not know clusters at all', async () => {
    const { url, stop } = await startValkey({ args: ['--rename-command', 'CLUSTER', ''] })
    expect(faultsIn(await doctor(url))).toEqual([])
    await stop()
  })

  it('may be a node that does not know its own address', async () => {
    const busPort = String(await freePort())
    const node = await startValkey({ args: ['--cluster-enabled', 'yes', '--cluster-port', busPort] })
    const control = new Redis(node.port)
    // Without any slot there is no primary to ask, but the node itself.
    const empty = await doctor(node.url)
    expect(findingOf(empty, 'valkey.cluster-slots').found).toBe('No node has the slots 0-16383.')
    expect(findingOf(empty, 'valkey.role').found).toBe(`127.0.0.1:${node.port} is a primary.`)
    await control.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
    while (!String(await control.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    expect(await caches('--valkey', node.url)).toBe('The namespace "mc" has no caches.')
    await control.call('ACL', 'SETUSER', 'app', 'on', '>secret', '+@all', '~*', '&*', '-cluster')
    expect(findingOf(await doctor(urlAs('app:secret', node.url)), 'valkey.reachable').found).toContain(
      'NOPERM',
    )
    control.disconnect()
    await node.stop()
  })

  it('are found by Sentinels, of which one is enough', async () => {
    const [port, gone] = [await freePort(), await freePort()]
    const sentinel = await startSentinel(port, server.port)
    const sentinels = `127.0.0.1:${gone},127.0.0.1:${port}`
    const diagnosis = await diagnose(['--sentinels', sentinels, '--primary', 'rows'])
    expect(faultsIn(diagnosis)).toEqual([])
    expect(findingOf(diagnosis, 'valkey.role').found).toBe(
      `rows of 127.0.0.1:${gone}, 127.0.0.1:${port} is a primary.`,
    )
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '+@all', '~*', '&*')
    await admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>other')
    const args = ['--sentinels', sentinels, '--primary', 'rows']
    const asUser = await doctor('valkey://app:secret@primary', ...args)
    expect(faultsIn(asUser)).toEqual([])
    expect(findingOf(asUser, 'valkey.rights').found).toMatch(/^The user app may run/)
    await sentinel.stop()
    const silent = await diagnose(['--sentinels', sentinels, '--primary', 'rows'])
    expect(findingOf(silent, 'valkey.reachable').found).toContain('sentinels are unreachable')
  })

  it.each([
    ['that is not there', async () => `valkey://127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
    ['that does not speak TLS', async () => server.url.replace('valkey:', 'valkeys:'), /does not speak TLS/],
    ['without a server', async () => `valkeys://127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
  ])('say why they cannot be reached: one %s', async (_, url, reason) => {
    expect(findingOf(await doctor(await url()), 'valkey.reachable').found).toMatch(reason)
    await eventuallyEqual(connections, 0)
  })
})
