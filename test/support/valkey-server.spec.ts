import { Redis } from 'ioredis'
import { valkeyUrl } from './servers.js'
import { findValkeyServer, startValkey } from './valkey-server.js'

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
  it('runs the version that the set-up has announced', async () => {
    if (process.env.VALKEY_URL) return
    const { name, version } = await findValkeyServer()
    const info = await withClient(valkeyUrl(), (client) => client.info('server'))
    expect(info).toContain(`${name.toLowerCase()}_version:${version}\r\n`)
  })
})

describe('startValkey', () => {
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
