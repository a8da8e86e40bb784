import { AsyncResource } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
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

describe('SharedConnection', () => {
  const open = () => ({ connection: new SharedConnection(), ...Promise.withResolvers<string>() })

  it('is held by what runs on it until that has ended', async () => {
    const { connection } = open()
    const [isHeld, later] = await connection.run(async () => {
      const isHeldByCaller = (): boolean => connection.isHeldByCaller
      return [isHeldByCaller(), AsyncResource.bind(isHeldByCaller)] as const
    })
    expect([isHeld, later()]).toEqual([true, false])
  })

  it('is not held by others meanwhile', async () => {
    const { connection, promise, resolve } = open()
    const running = connection.run(() => promise)
    expect(connection.isHeldByCaller).toBe(false)
    resolve('written')
    expect(await running).toBe('written')
  })

  it('ends when all has ended that ran before', async () => {
    const { connection, promise, reject } = open()
    const running = connection.run(() => promise).catch((error: unknown) => error)
    let hasEnded = false
    void connection.ended().then(() => (hasEnded = true))
    await setImmediate()
    expect(hasEnded).toBe(false)
    const failure = new Error('rolled back')
    reject(failure)
    expect(await running).toBe(failure)
    await setImmediate()
    expect(hasEnded).toBe(true)
  })

  it('tells what was read while nothing ran', async () => {
    const { connection, promise, resolve } = open()
    const isQuiet = connection.watch()
    expect(isQuiet()).toBe(true)
    const running = connection.run(() => promise)
    const duringRun = connection.watch()
    expect([isQuiet(), duringRun()]).toEqual([false, false])
    resolve('')
    await running
    expect([isQuiet(), duringRun(), connection.watch()()]).toEqual([false, false, true])
  })
})
