import { AsyncLocalStorage } from 'node:async_hooks'
import { adapterError, ofMocks } from '../../../configuration-errors.js'
import { adapterFactoryOf, engineOf, originalOf } from '../internals.js'
import type { Adapter, AdapterFactory } from './adapter.js'
import { captureAdapter, facade } from './captured-adapter.js'
import { surviveLostConnections } from './lost-connections.js'
import type { WriteCapture } from './write-capture.js'

/** How the statements of one client are captured. */
export interface Connections {
  /** Undefined until the client is extended. */
  capture: WriteCapture | undefined
  /** How many connections were made so far. */
  made: number
  /** What is open of them. */
  adapter: Adapter | undefined
  /** Whether the database has the joins by which Prisma may read relations; undefined until it is connected. */
  hasJoins: boolean | undefined
}

/** The methods of a client's engine that may connect it. */
export const connectingMethods: readonly string[] = ['start', 'request', 'requestBatch', 'transaction']

const byClient = new WeakMap<object, Connections>()

/** What an extended client is connected by, which it connects if it is not; undefined if it is not extended, or had connected before. */
export async function adapterOf(client: object): Promise<Adapter | undefined> {
  const connections = byClient.get(originalOf(client)!)
  if (connections && !connections.adapter) await engineOf(client).start!()
  return connections?.adapter
}

/** Whether the database of a client has the joins by which Prisma may read relations. Before it is connected, it may have them. */
export function mayJoin(client: object): boolean {
  return byClient.get(originalOf(client)!)?.hasJoins ?? true
}

const byFactory = new WeakMap<object, Connections>()

/** The client that connects, as others may have the same factory. */
const connecting = new AsyncLocalStorage<Connections | undefined>()
/** The methods that have taken the place of others. */
const patched = new WeakSet<AdapterFactory['connect']>()

/**
 * Wraps a driver adapter, so that `extendPrisma` sees all that its client sends: `new PrismaClient({ adapter: captured(adapter) })`. Needed
 * for a client that connects before it is extended. One client has it.
 */
export function captured<Factory extends object>(adapter: Factory): Factory {
  const factory = adapter as Factory & AdapterFactory
  const connections = newConnections()
  const connect = async (): Promise<Adapter> => connected(connections, await factory.connect())
  const wrapped = facade<AdapterFactory>(factory, { connect })
  byFactory.set(wrapped, connections)
  return wrapped as Factory & AdapterFactory
}

/** Has the driver adapter of a client capture what it sends from its next connection on. */
export function captureClient(client: object, capture: WriteCapture): Connections {
  const factory = adapterFactoryOf(client)
  if (!factory)
    throw adapterError(
      'extendPrisma was given a PrismaClient without a driver adapter, whose writes it cannot see. Create the client with one, ' +
        '`new PrismaClient({ adapter })`; with Prisma 6, the generator needs `engineType = "client"`. ' +
        `${ofMocks}.`,
    )
  const own = byFactory.get(factory)
  if (own?.capture)
    throw adapterError(
      'two PrismaClients have the same adapter of `captured`, whose writes would count for one of them only. Call `captured` once ' +
        'for each client; what it wraps may be the same.',
    )
  const connections = own ?? newConnections()
  connections.capture = capture
  byClient.set(originalOf(client)!, connections)
  if (own) return own
  patch(factory)
  const engine = engineOf(client)
  for (const method of connectingMethods) {
    const call = engine[method]!.bind(engine)
    engine[method] = (...args) =>
      connections.adapter ? call(...args) : connecting.run(connections, () => call(...args))
  }
  const stop = engine.stop!.bind(engine)
  engine.stop = (...args) => {
    connections.adapter = undefined
    return stop(...args)
  }
  return connections
}

function newConnections(): Connections {
  return { capture: undefined, made: 0, adapter: undefined, hasJoins: undefined }
}

function patch(factory: AdapterFactory): void {
  const own = ownConnect(factory)
  if (patched.has(own) || patched.has(factory.connect)) return
  const given = factory.connect.bind(factory)
  const connect = async function (this: AdapterFactory): Promise<Adapter> {
    const connections = connecting.getStore()
    // An adapter within this one may be that of another client.
    const adapter = await connecting.run(undefined, () => (isGiven ? given() : own.call(this)))
    return connections ? connected(connections, adapter) : adapter
  }
  patched.add(connect)
  factory.connect = connect
  // A Proxy may wrap what is read of it. It wraps this method as well then, and would wrap twice what it has given.
  const isGiven = factory.connect === connect
}

/** The method of a factory itself, which a Proxy may show as another one. */
function ownConnect(factory: AdapterFactory): AdapterFactory['connect'] {
  const own = Object.getOwnPropertyDescriptor(factory, 'connect') as
    { value?: AdapterFactory['connect'] } | undefined
  return own?.value ?? (Object.getPrototypeOf(factory) as AdapterFactory).connect
}

function connected(connections: Connections, adapter: Adapter): Adapter {
  surviveLostConnections(adapter)
  connections.made++
  connections.adapter = adapter
  connections.hasJoins = adapter.getConnectionInfo?.().supportsRelationJoins
  const dispose = (): Promise<void> => {
    connections.adapter = undefined
    return adapter.dispose()
  }
  return facade(
    captureAdapter(adapter, () => connections.capture),
    { dispose },
  )
}
