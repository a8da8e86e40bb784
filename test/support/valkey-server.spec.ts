import { Redis } from 'ioredis'
import { valkeyUrl } from './servers.js'
import { findValkeyServer, startValkey, startValkeyCluster, startWatchedValkey } from './valkey-server.js'

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url.replace(/^valkey/, 'redis'), { retryStrategy: () => null })
  client.on('error', () => {})
  try {
    return await use(client)
  } finally {
    client.disconnect()
  }
}

describe('the Valkey of a test run', () => {
  it('is a real server that answers', async () => {
    await expect(withClient(valkeyUrl(), (client) => client.ping())).resolves.toBe('PONG')
  })

  it('runs the version that the set-up has announced', async () => {
    if (process.env.VALKEY_URL) return
    const { name, version } = await findValkeyServer()
    const info = await withClient(valkeyUrl(), (client) => client.info('server'))
    expect(info).toContain(`${name.toLowerCase()}_version:${version}\r\n`)
  })
})

describe('startValkey', () => {
  it('starts a server of its own, with more arguments on request', async () => {
    const server = await startValkey({ args: ['--maxmemory', '10mb'] })
    try {
      const reply = await withClient(server.url, (client) => client.config('GET', 'maxmemory'))
      expect(Object.values(reply as object).flat()).toContain(String(10 * 1024 * 1024))
    } finally {
      await server.stop()
    }
  })

  it('starts again, empty, on the port of a server that was killed', async () => {
    const first = await startValkey()
    await withClient(first.url, (client) => client.set('key', 'value'))
    await first.kill('SIGKILL')
    const second = await startValkey({ port: first.port })
    try {
      await expect(withClient(first.url, (client) => client.get('key'))).resolves.toBeNull()
    } finally {
      await second.stop()
      await first.stop()
    }
  })

  it('stops a server that a test has paused', async () => {
    const server = await startValkey()
    await server.kill('SIGSTOP')
    await server.stop()
    expect(() => process.kill(server.pid, 0)).toThrow('ESRCH')
  })

  it('reports what the server said when it does not start', async () => {
    await expect(startValkey({ args: ['--no-such-directive', '1'] })).rejects.toThrow('no-such-directive')
  })
})

describe('startValkeyCluster', () => {
  it('forms a cluster of three nodes that agree on it', async () => {
    const { nodes, stop } = await startValkeyCluster()
    try {
      const states = nodes.map(({ url }) => withClient(url, (client) => client.cluster('INFO')))
      for (const state of await Promise.all(states)) {
        expect(state).toContain('cluster_state:ok')
        expect(state).toContain('cluster_known_nodes:3')
        expect(state).toContain('cluster_slots_ok:16384')
      }
    } finally {
      await stop()
    }
  })

  it('gives each node a replica on request', async () => {
    const { nodes, replicas, stop } = await startValkeyCluster({ replicas: true })
    try {
      const info = replicas.map(({ url }) => withClient(url, (client) => client.info('replication')))
      for (const [i, replication] of (await Promise.all(info)).entries()) {
        expect(replication).toContain('role:slave')
        expect(replication).toContain(`master_port:${nodes[i]!.port}`)
        expect(replication).toContain('master_link_status:up')
      }
    } finally {
      await stop()
    }
  })
})

describe('startWatchedValkey', () => {
  it('starts sentinels that agree on the primary, and can replace it', async () => {
    const { primary, sentinels, name, stop } = await startWatchedValkey()
    try {
      for (const { host, port } of sentinels) {
        await withClient(`valkey://${host}:${port}`, async (client) => {
          const address = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)
          expect(address).toEqual([primary.host, String(primary.port)])
          expect(await client.call('SENTINEL', 'CKQUORUM', name)).toMatch(/^OK/)
        })
      }
    } finally {
      await stop()
    }
  })
})
