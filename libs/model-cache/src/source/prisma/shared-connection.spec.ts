import { SharedConnection, sharedConnectionOf } from './shared-connection.js'

/** A PrismaClient with a driver adapter, and a client extended from it. */
function clientsOf(provider: string, adapterName?: string): readonly [object, object] {
  const adapter = adapterName === undefined ? undefined : { adapterName }
  const client = { _activeProvider: provider, _engineConfig: { adapter } }
  Object.assign(client, { _originalClient: client })
  return [client, Object.create(client) as object]
}

describe('sharedConnectionOf', () => {
  it.each<[boolean, string, string | undefined]>([
    [true, 'sqlite', '@prisma/adapter-better-sqlite3'],
    [true, 'sqlite', undefined],
    [false, 'sqlite', '@prisma/adapter-libsql'],
    [false, 'postgresql', '@prisma/adapter-pg'],
  ])('%p: all queries of %s share a connection with %s', (expected, provider, adapter) => {
    const [client] = clientsOf(provider, adapter)
    expect(sharedConnectionOf(client) !== undefined).toBe(expected)
  })

  it('returns the same one for all clients of a PrismaClient', () => {
    const [client, extended] = clientsOf('sqlite')
    const connection = sharedConnectionOf(client)
    expect(connection).toBeInstanceOf(SharedConnection)
    expect(sharedConnectionOf(extended)).toBe(connection)
    expect(sharedConnectionOf(clientsOf('sqlite')[0])).not.toBe(connection)
  })
})

it('tells what was read while no transaction was open', () => {
  const connection = new SharedConnection()
  const isQuiet = connection.watch()
  expect(isQuiet()).toBe(true)
  const end = connection.begin()
  const duringTransaction = connection.watch()
  expect([isQuiet(), duringTransaction()]).toEqual([false, false])
  end()
  expect([isQuiet(), duringTransaction(), connection.watch()()]).toEqual([false, false, true])
})
