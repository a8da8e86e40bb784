import type { Adapter, AdapterFactory } from './adapter.js'
import { captureClient, mayJoin } from './capture-client.js'
import { facade } from './captured-adapter.js'
import type { WriteCapture } from './write-capture.js'

/** A driver adapter that has private fields, so that its methods need itself. */
class Factory implements AdapterFactory {
  #connections = 0

  get connections(): number {
    return this.#connections
  }

  async connect(): Promise<Adapter> {
    this.#connections++
    return { adapterName: 'plain' } as Adapter
  }
}

/** A connection that somebody hears. */
function heard(adapter: Adapter): Adapter {
  return facade(adapter, { adapterName: `${adapter.adapterName}, heard` })
}

/** What is captured of a client, and the engine that connects it. */
function clientOf(adapter: AdapterFactory) {
  const connect = (): Promise<Adapter> => adapter.connect()
  const engine = {
    start: connect,
    request: connect,
    requestBatch: connect,
    transaction: connect,
    stop: connect,
  }
  const client = { _engineConfig: { adapter }, _engine: engine }
  return { client: Object.assign(client, { _originalClient: client }), engine }
}

const trapped =
  (read: (target: Factory, connect: Factory['connect']) => Factory['connect']) => (factory: Factory) =>
    new Proxy(factory, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        return name === 'connect' ? read(target, value as Factory['connect']) : value
      },
    })

it.each<[string, (factory: Factory) => AdapterFactory, string]>([
  ['is an object of its class', (factory) => factory, 'plain'],
  ['is wrapped', (factory) => ({ connect: async () => heard(await factory.connect()) }), 'plain, heard'],
  [
    'is a Proxy with a method of its own',
    (factory) => facade<AdapterFactory>(factory, { connect: async () => heard(await factory.connect()) }),
    'plain, heard',
  ],
  ['is a Proxy that binds methods', trapped((target, connect) => connect.bind(target)), 'plain'],
  [
    'is a Proxy that wraps the method which is read',
    trapped((target, connect) => async () => heard(await connect.call(target))),
    'plain, heard',
  ],
  [
    'is a Proxy that wraps the method which is called',
    trapped((target) => async () => heard(await target.connect())),
    'plain, heard',
  ],
])('a connection of a driver adapter that %s is captured once, and wrapped once', async (_, wrap, name) => {
  const factory = new Factory()
  const adapter = wrap(factory)
  for (const each of [adapter, factory, adapter]) {
    const { client, engine } = clientOf(each)
    const connections = captureClient(client, {} as WriteCapture)
    const { adapterName } = await engine.start()
    expect([adapterName, connections.made]).toEqual([each === factory ? 'plain' : name, 1])
  }
  expect(factory.connections).toBe(3)
})

it.each<[object | undefined, boolean]>([
  [{ supportsRelationJoins: true }, true],
  [{ supportsRelationJoins: false }, false],
  [{}, true],
  [undefined, true],
])(
  'a database may have joins, unless its driver adapter says that it has none: %j',
  async (info, expected) => {
    const connection = info && { getConnectionInfo: () => info }
    const { client, engine } = clientOf({ connect: async () => ({ ...connection }) as Adapter })
    captureClient(client, {} as WriteCapture)
    expect(mayJoin(client)).toBe(true)
    await engine.start()
    expect(mayJoin(client)).toBe(expected)
    await engine.stop()
    expect(mayJoin(client)).toBe(expected)
  },
)

it('a client that is not captured may join', () => {
  expect(mayJoin(clientOf(new Factory()).client)).toBe(true)
})
