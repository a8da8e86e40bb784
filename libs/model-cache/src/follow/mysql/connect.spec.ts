import { answeringMysql, stopAnswering } from '../../../../../test/support/answering-server.js'
import { eventually } from '../../../../../test/support/eventually.js'
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
    await stopAnswering()
    expect((await failureOf(`mysql://app:secret@${name}`)).message).toMatch(/connect ECONNREFUSED/)
  })

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
