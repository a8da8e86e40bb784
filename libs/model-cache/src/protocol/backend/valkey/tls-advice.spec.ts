import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { startTlsProxy } from '../../../../../../test/support/tls-proxy.js'
import { tlsAdvice } from './tls-advice.js'
import type { ValkeyClient } from './valkey-client.js'

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

/** Answers each first packet with a text, or not at all. */
async function serve(answer: string | undefined): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      if (answer !== undefined) socket.end(String(bytes) === 'PING\r\n' ? answer : 'not asked')
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const adviceFor = (options: object, isCluster = false, limitMs = 5_000, failure = 'Connection is closed.') =>
  tlsAdvice({ isCluster, options } as ValkeyClient, new Error(failure), limitMs)

describe('a client with TLS', () => {
  it.each(['+PONG\r\n', '-NOAUTH Authentication required.\r\n'])(
    'is advised against it if the server answers without: %j',
    async (answer) => {
      const port = await serve(answer)
      const advice = await adviceFor({ tls: {}, host: '127.0.0.1', port })
      expect(advice).toEqual([
        expect.stringContaining(`TLS is configured, but Valkey at 127.0.0.1:${port} does not speak TLS`),
      ])
    },
  )

  it('gets no advice if the server answers something else, or nothing', async () => {
    for (const answer of ['\x15\x03+PONG', undefined]) {
      const port = await serve(answer)
      expect(await adviceFor({ tls: {}, host: '127.0.0.1', port }, false, 50)).toEqual([])
    }
  })

  it('leaves no connection behind', async () => {
    const port = await serve(undefined)
    const [server] = servers as [Server]
    const connected = once(server, 'connection') as Promise<[Socket]>
    const advice = adviceFor({ tls: {}, host: '127.0.0.1', port }, false, 50)
    const [socket] = await connected
    const closed = once(socket, 'close')
    expect(await advice).toEqual([])
    await closed
  })

  it('gets no advice if there is no server', async () => {
    const port = await serve('+PONG\r\n')
    await new Promise((resolve) => servers.pop()!.close(resolve))
    expect(await adviceFor({ tls: {}, host: '127.0.0.1', port })).toEqual([])
  })

  it('gets no advice with a cluster or with sentinels, nor does a client without TLS', async () => {
    const port = await serve('+PONG\r\n')
    const address = { host: '127.0.0.1', port }
    expect(await adviceFor({ tls: {}, ...address }, true)).toEqual([])
    expect(await adviceFor({ tls: {}, ...address, sentinels: [address] })).toEqual([])
    expect(await adviceFor(address)).toEqual([])
    expect(await adviceFor({ tls: {}, port })).toEqual([])
  })
})

describe('a client without TLS', () => {
  it('is advised to use it if the server speaks TLS, and closes the connection', async () => {
    const proxy = await startTlsProxy(1)
    const address = { host: '127.0.0.1', port: proxy.port }
    for (const failure of ['there is no connection', 'The last error: write ECONNRESET'])
      expect(await adviceFor(address, false, 5_000, failure)).toEqual([
        expect.stringContaining(`Valkey at 127.0.0.1:${proxy.port} speaks TLS, and the connection does not`),
      ])
    for (const failure of ['connect ECONNREFUSED 127.0.0.1:6379', 'The last error: NOAUTH'])
      expect(await adviceFor(address, false, 5_000, failure)).toEqual([])
    await proxy.stop()
  })
})
