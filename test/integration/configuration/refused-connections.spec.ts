import { Redis } from 'ioredis'
import { ModelCacheModule } from 'model-cache'
import { ValkeyStore } from 'model-cache/advanced'
import { eventually } from '../../support/eventually.js'
import { startTlsProxy } from '../../support/tls-proxy.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { diagnose, findingOf, run } from '../doctor/command-line.js'
import { ownOptions, start } from './application.js'

let server: ValkeyServer
let admin: Redis

beforeAll(async () => {
  server = await startValkey()
  admin = new Redis(server.port)
})
afterEach(async () => {
  await admin.call('ACL', 'SETUSER', 'default', 'reset', 'on', 'nopass', '+@all', '~*', '&*')
  await admin.flushall()
})
afterAll(async () => {
  admin.disconnect()
  await server.stop()
})

const urlWith = (user = '', path = ''): string => server.url.replace('://', `://${user}`) + path

/** What an application warns of at its start, and what the doctor and a command say. */
async function complaintsAbout(url: string) {
  const { app, logger } = await start([
    ModelCacheModule.forRoot({ ...ownOptions(), valkey: { url, deadlineMs: 2_000 } }),
  ])
  await eventually(() => logger.warned.length >= 2)
  await app.close()
  const diagnosis = await diagnose(['--valkey', url])
  const { code, errors } = await run(['caches', '--valkey', url])
  expect(code).toBe(1)
  return [...logger.warned, findingOf(diagnosis, 'valkey.reachable').found, errors]
}

const fence = (store: ValkeyStore, more: { readonly replicas?: number } = {}) =>
  store.fenceMany([{ key: 'key', guard: 'key:l' }], {
    token: 'token',
    fenceMs: 5_000,
    markMs: 1_000,
    ...more,
  })

/** What each connection of a store does with what it is given. */
async function usesOf(options: ConstructorParameters<typeof ValkeyStore>[0]): Promise<readonly string[]> {
  const store = new ValkeyStore(options)
  const said = (reply: Promise<unknown>): Promise<string> => reply.then(String, String)
  await store.connect()
  const uses = [
    await said(store.getMany(['key'])),
    await said(fence(store)),
    await said(fence(store, { replicas: 1 })),
    await said(
      store.messages.subscribe(
        'channel',
        () => {},
        () => {},
      ),
    ),
  ]
  await store.close()
  return uses
}

describe('a database that the server does not have', () => {
  it('is named by the log, the doctor and commands', async () => {
    for (const complaint of await complaintsAbout(urlWith('', '/99')))
      expect(complaint).toMatch(
        /DB index is out of range: the server does not have the database that the URL ends with.* Use 0, or another number/,
      )
  })

  it.each([
    ['a URL', () => ({ url: urlWith('', '/99') })],
    ['a client', () => ({ client: new Redis({ port: server.port, db: 99, lazyConnect: true }) })],
    [
      'a client without a ready check',
      () => ({
        client: new Redis({ port: server.port, db: 99, lazyConnect: true, enableReadyCheck: false }),
      }),
    ],
  ])('is not replaced by database 0, given %s', async (_, options) => {
    for (const use of await usesOf(options())) expect(use).toMatch(/^StoreError/)
    expect(await admin.dbsize()).toBe(0)
  })

  it('is used once the server lets the user select it', async () => {
    await admin.call('ACL', 'SETUSER', 'default', '-select')
    const states: string[] = []
    const store = new ValkeyStore({ url: urlWith('', '/9') }, (side, state, reason) =>
      states.push(`${side} ${state} ${reason}`),
    )
    await store.connect()
    await eventually(() => states.length === 2)
    expect(states.toSorted()).toEqual(
      ['reads', 'writes'].map((side) =>
        expect.stringMatching(new RegExp(`^${side} down NOPERM .*Add \\+select to the rule of its user`)),
      ),
    )
    await admin.call('ACL', 'SETUSER', 'default', '+select')
    await eventually(() => states.length === 4)
    expect(await fence(store)).toBe(true)
    expect(await admin.dbsize()).toBe(0)
    await store.close()
  })
})

describe('a server that requires a password', () => {
  beforeEach(() => admin.call('ACL', 'SETUSER', 'default', 'resetpass', '>secret'))

  it.each([
    [
      '',
      /NOAUTH: the server requires a password, and none is configured\. Put user and password into the URL/,
    ],
    [':wrong@', /WRONGPASS: the server does not accept the user and the password .* Correct them in the URL/],
    ['bob:wrong@', /WRONGPASS/],
  ])('is explained for a URL with %j, without the password', async (user, explanation) => {
    const complaints = await complaintsAbout(urlWith(user))
    for (const complaint of complaints) {
      expect(complaint).toMatch(explanation)
      expect(complaint).not.toMatch(/wrong\b/)
    }
    expect(complaints[0]).toContain(`Valkey (127.0.0.1:${server.port}) is unavailable for`)
  })

  it('is explained by the command that fails first', async () => {
    const [, fence] = await usesOf({ url: urlWith() })
    expect(fence).toMatch(
      /FENCE failed: there is no connection\. The last error: NOAUTH: the server requires/,
    )
  })
})

it('says that a server speaks TLS if the URL does not', async () => {
  const proxy = await startTlsProxy(server.port)
  const complaints = await complaintsAbout(`valkey://127.0.0.1:${proxy.port}`)
  await proxy.stop()
  const expected = `Valkey at 127.0.0.1:${proxy.port} speaks TLS, and the connection does not: use a valkeys:// URL`
  for (const complaint of complaints.slice(2)) expect(complaint).toContain(expected)
  expect(complaints).toHaveLength(5)
})
