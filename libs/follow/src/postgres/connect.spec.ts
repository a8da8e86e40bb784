import { Socket } from 'node:net'
import { jest } from '@jest/globals'
import { answeringPostgres, stopAnswering } from '../../../../test/support/answering-server.js'
import { eventually } from '../../../../test/support/eventually.js'
import { connectTo, disconnect, nameOf, type PostgresAddress } from './connect.js'

afterEach(stopAnswering)

describe('the name of a database', () => {
  it.each([
    ['postgres://app:secret@db.example:5432/shop', 'db.example:5432/shop'],
    ['postgres://app:s%2Fe%40cret@db.example/shop?application_name=me@here', 'db.example/shop'],
    ['postgres://db.example/shop?sslmode=require', 'db.example/shop'],
    ['postgres://app:se@cret@db.example/shop', 'db.example/shop'],
  ])('is host and path of %s', (url, name) => {
    expect(nameOf(url)).toBe(name)
  })

  it.each([
    ['a slash', '12/34'],
    ['a question mark', '12?34'],
    ['a question mark and an equals sign', '12?3=4'],
    ['a hash', '12#34'],
    ['a slash at its start', '/1234'],
    ['an at sign and a slash', 'x@12/34'],
    ['an at sign and a question mark', 'x@12?34'],
    ['a slash behind letters', 'x/34'],
  ])('has nothing of a password with %s, and no connection is made', async (_, password) => {
    const url = `postgres://localhost:${password}@127.0.0.1:1/shop`
    expect(nameOf(url)).toBe('PostgreSQL')
    const error = await connectTo({ url }, 'queries').catch((reason: unknown) => reason as Error)
    expect(error).toMatchObject({ code: 'E_FOLLOW' })
    for (const text of [(error as Error).message, String((error as Error).cause)])
      for (const part of ['12', '34']) expect(text).not.toContain(part)
  })
})

describe('a connection to PostgreSQL', () => {
  const connect = async (
    mode: Parameters<typeof connectTo>[1],
    options: Partial<PostgresAddress> = {},
    application?: string,
  ) => {
    const server = await answeringPostgres([])
    const url = `postgres://app:secret@127.0.0.1:${server.port}/shop`
    const client = await connectTo({ url, ...options }, mode, application)
    const [startup] = server.connected
    return { client, server, startup }
  }

  it('limits how long queries wait', async () => {
    const { client, server, startup } = await connect('queries')
    expect(startup).toMatchObject({
      user: 'app',
      database: 'shop',
      application_name: 'model-cache follower',
      statement_timeout: '5000',
      lock_timeout: '1000',
    })
    expect([startup!['replication'], server.asked]).toEqual([undefined, []])
    // A lost connection ends no process.
    expect(() => client.emit('error', new Error('reset'))).not.toThrow()
    await disconnect(client)
    await eventually(() => server.open() === 0)
  })

  it('may send the log, and is looked at while it says nothing', async () => {
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive')
    const { client, startup } = await connect('replication')
    expect(keepAlive.mock.calls).toContainEqual([true, 10_000])
    keepAlive.mockRestore()
    expect(startup).toMatchObject({ replication: 'database' })
    expect(startup).not.toHaveProperty('statement_timeout')
    await disconnect(client)
  })

  it('may have what the role is given by default, and options of the driver', async () => {
    const { client, startup } = await connect('settings', { application_name: 'doctor' })
    expect(startup).toMatchObject({ application_name: 'doctor' })
    for (const name of ['replication', 'statement_timeout', 'lock_timeout'])
      expect(startup).not.toHaveProperty(name)
    await disconnect(client)
  })

  it('has a name', async () => {
    const { client, server } = await connect('queries', {}, "the follower's")
    expect(server.asked).toEqual(["SET application_name = 'the follower''s'"])
    await disconnect(client)
  })

  it.each([
    ['42501', 'denied', / denied\. Run as an administrator: ALTER ROLE … REPLICATION;/],
    ['08P01', 'unsupported startup parameter: lock_timeout', /lock_timeout\. The URL leads to a pooler\./],
    ['53300', 'too many', / too many\.$/],
  ])('that is refused is ended, with the remedy: %s', async (code, message, expected) => {
    const server = await answeringPostgres([
      ['SET application_name', Object.assign(new Error(message), { code })],
    ])
    const url = `postgres://app:secret@127.0.0.1:${server.port}/shop`
    await expect(connectTo({ url }, 'queries', 'a')).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: expect.stringMatching(expected) as string,
    })
    await eventually(() => server.open() === 0)
  })

  it('is ended also if the server does not answer', async () => {
    const server = await answeringPostgres([['SLOW', 'silence']])
    const client = await connectTo({ url: `postgres://app@127.0.0.1:${server.port}/shop` }, 'queries')
    const asking = client.query('SLOW').catch((error: unknown) => error)
    await eventually(() => server.asked.length > 0)
    await disconnect(client)
    expect(await asking).toBeInstanceOf(Error)
    await eventually(() => server.open() === 0)
  })
})
