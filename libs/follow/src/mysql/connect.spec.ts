import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { answeringMysql, stopAnswering } from '../../../../test/support/answering-server.js'
import { eventually } from '../../../../test/support/eventually.js'
import type { MysqlAddress } from './mysql-address.js'
import { connectToMysql, cutConnection, mysqlNameOf, rowsOf } from './connect.js'

afterEach(stopAnswering)

const failureOf = (url: string): Promise<Error> =>
  connectToMysql({ url }).then(
    () => new Error('it connects'),
    (error: unknown) => error as Error,
  )

describe('a connection to MySQL', () => {
  it('is that of the user, with times in UTC, until it is cut', async () => {
    const server = await answeringMysql([['SELECT', [{ id: 1, name: 'ü' }]]])
    const client = await connectToMysql({ url: `mysql://a%20b:s%2Fe@127.0.0.1:${server.port}/shop%201` })
    expect(server.connected).toEqual([expect.objectContaining({ user: 'a b', database: 'shop 1' })])
    expect(await rowsOf(client, 'SELECT ?, ?', ["it's"])).toEqual([{ id: 1, name: 'ü' }])
    expect(await rowsOf(client, 'SELECT ?')).toHaveLength(1)
    expect(server.asked).toEqual(["SET time_zone = '+00:00'", String.raw`SELECT 'it\'s', ?`, 'SELECT ?'])
    expect(server.open()).toBe(1)
    // A lost connection ends no process.
    expect(() => (client as unknown as NodeJS.EventEmitter).emit('error', new Error('reset'))).not.toThrow()
    cutConnection(client)
    await eventually(() => server.open() === 0)
  })

  it('fails with the reason, and without credentials', async () => {
    const server = await answeringMysql([['SET time_zone', new Error('denied')]])
    const name = `127.0.0.1:${server.port}/shop`
    expect(await failureOf(`mysql://app:secret@${name}`)).toMatchObject({
      code: 'E_FOLLOW',
      message: `model-cache: cannot connect to ${name}: denied.`,
    })
    await eventually(() => server.open() === 0)
    await stopAnswering()
    expect((await failureOf(`mysql://app:secret@${name}`)).message).toMatch(/connect ECONNREFUSED/)
  })

  it('is given up if the server lets the user in and does not answer', async () => {
    const server = await answeringMysql([['SET time_zone', 'silence']])
    const { message } = await failureOf(`mysql://app:secret@127.0.0.1:${server.port}/shop`)
    expect(message).toMatch(/no answer within 5000 ms/)
    await eventually(() => server.open() === 0)
  }, 10_000)

  it('is not made with a password that is not percent-encoded', async () => {
    const { message } = await failureOf('mysql://app:12/34@127.0.0.1:1/shop')
    expect(message).toMatch(/cannot connect to MySQL: its URL has an "@" behind the host/)
    expect(mysqlNameOf('mysql://app:secret@db.example/shop')).toBe('db.example/shop')
  })

  it.each(['sslaccept=strict', 'sslaccept=accept_invalid_certs', 'ssl=true', 'ssl=1'])(
    'is not made to a server without TLS if the URL asks for it: %s',
    async (query) => {
      const { port } = await answeringMysql([])
      const { message } = await failureOf(`mysql://app:secret@127.0.0.1:${port}/shop?${query}`)
      expect(message).toMatch(/secure connection/)
    },
  )

  it.each(['', '?ssl=false', '?ssl=untrue', '?ssl=10', '?connection_limit=1'])(
    'is made to a server without TLS if the URL does not ask for it: %s',
    async (query) => {
      const { port } = await answeringMysql([])
      cutConnection(await connectToMysql({ url: `mysql://app:secret@127.0.0.1:${port}/shop${query}` }))
    },
  )

  it('is not made to a server without TLS with options for it', async () => {
    const { port } = await answeringMysql([])
    const url = `mysql://app:secret@127.0.0.1:${port}/shop`
    await expect(connectToMysql({ url, ssl: {} })).rejects.toThrow(/secure connection/)
  })

  it.each([
    ['127.77.0.1', { port: 3_306, address: '127.77.0.1' }],
    ['[::1]:1', { port: 1, address: '::1' }],
  ])('leads to %s', async (host, cause) => {
    expect((await failureOf(`mysql://app@${host}/shop`)).cause).toMatchObject(cause)
  })
})

/** Certificates that are signed by themselves, of localhost and of db.example, and their key. For this spec alone. */
const certs = {
  localhost: `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUfLTL+G/oHI5ZX6JQDb7iDolRB6swCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjIxMDQ0OFoYDzIxMjYxMTAy
MjEwNDQ4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARU+WTwmYSjET0LotbB/fEcKcJmABee5vlhWjUaVcIo4QHEgf/jZDEu
Ei6/AYt3N3bKR2rFnsG5SMdnkqS+ktoXo2kwZzAdBgNVHQ4EFgQUUVqi36kmDeCU
UcQ/jLXVmcoVr7QwHwYDVR0jBBgwFoAUUVqi36kmDeCUUcQ/jLXVmcoVr7QwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIgfo2+nHVf2NUR7PyVWl3rRCCPqXXgUezEq4RkHAA9K3MCIQDHt3sy+5zO
Rh8+Fn7dtXs2GPd02YfGRwnPlT6s6oeHKQ==
-----END CERTIFICATE-----`,
  'db.example': `-----BEGIN CERTIFICATE-----
MIIBmTCCAT6gAwIBAgIUTsZ9gaqD3dwEGLChrchxDlOr8XYwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKZGIuZXhhbXBsZTAgFw0yNjExMjYyMTA3MDJaGA8yMTI2MTEw
MjIxMDcwMlowFTETMBEGA1UEAwwKZGIuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABFT5ZPCZhKMRPQui1sH98RwpwmYAF57m+WFaNRpVwijhAcSB/+Nk
MS4SLr8Bi3c3dspHasWewblIx2eSpL6S2hejajBoMB0GA1UdDgQWBBRRWqLfqSYN
4JRRxD+MtdWZyhWvtDAfBgNVHSMEGDAWgBRRWqLfqSYN4JRRxD+MtdWZyhWvtDAP
BgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCmRiLmV4YW1wbGUwCgYIKoZIzj0E
AwIDSQAwRgIhANPhOYm2mp+8Zq4LHbcV0y2pHGpUQK4JufVVsLsqgwPNAiEA2onB
fUOS3GCA/8BCQOfpjOLSA4iBOGzQwQxoyNCWndI=
-----END CERTIFICATE-----`,
}
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnxcis/Xx5mUVOgda
11NTmBTKUgn3eEHA52LTEb5rLE6hRANCAARU+WTwmYSjET0LotbB/fEcKcJmABee
5vlhWjUaVcIo4QHEgf/jZDEuEi6/AYt3N3bKR2rFnsG5SMdnkqS+ktoX
-----END PRIVATE KEY-----`

/** What MySQL says first: that it speaks TLS. */
const greeting = Buffer.concat([
  Buffer.from([10]),
  Buffer.from('8.4.0\0'),
  Buffer.from([7, 0, 0, 0]),
  Buffer.alloc(8, 1),
  Buffer.from([0, 0xff, 0xff, 45, 2, 0, 0xff, 0xc0, 21]),
  Buffer.alloc(10),
  Buffer.alloc(12, 1),
  Buffer.from('\0mysql_native_password\0'),
])

/** Returns whether the server is trusted, and why the connection fails: it does as soon as the client has said who it is. */
async function connectByTls(cert: string, query: string, ssl?: MysqlAddress['ssl']) {
  let isTrusted = false
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(Buffer.concat([Buffer.from([greeting.length, 0, 0, 0]), greeting]))
    const secure = (): void => {
      // It asks for TLS.
      if (socket.read(36) === null) return
      socket.off('readable', secure)
      const secured = new TLSSocket(socket, { isServer: true, cert, key })
      secured.on('error', () => {})
      secured.once('data', () => {
        isTrusted = true
        socket.destroy()
      })
    }
    socket.on('readable', secure)
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `mysql://app:secret@localhost:${port}/shop${query}`
  const reason = await connectToMysql({ url, ...(ssl && { ssl }) }).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )
  for (const socket of sockets) socket.destroy()
  server.close()
  return { isTrusted, reason }
}

describe('a connection to MySQL by TLS', () => {
  const { localhost } = certs
  const other = certs['db.example']
  it.each<[query: string, options: string, cert: string, ssl: MysqlAddress['ssl'], isTrusted: boolean]>([
    ['?sslaccept=accept_invalid_certs', 'trusts it', localhost, undefined, true],
    ['?sslaccept=accept_invalid_certs', 'trusts one with another name', other, undefined, true],
    ['?sslaccept=strict', 'does not trust it', localhost, undefined, false],
    ['?ssl=true', 'does not trust it', localhost, undefined, false],
    ['', 'and no authority does not trust it', localhost, {}, false],
    ['', 'and its authority trusts it', localhost, { ca: localhost }, true],
    ['?sslaccept=accept_invalid_certs', 'and no authority does not trust it', localhost, {}, false],
    ['', 'and its authority does not trust one with another name', other, { ca: other }, false],
    ['', 'and the option to trust all does so', other, { rejectUnauthorized: false }, true],
  ])('to a server that signs for itself, with "%s" %s', async (query, _, cert, ssl, expected) => {
    const { isTrusted, reason } = await connectByTls(cert, query, ssl)
    expect([isTrusted, /certificate|altnames/i.test(reason)]).toEqual([expected, !expected])
  })
})
