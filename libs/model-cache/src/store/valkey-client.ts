import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { Redis as RedisClient } from 'ioredis'
import { InvalidOptionError } from '../errors.js'
import { parseValkeyUrl } from './valkey-url.js'

/** An ioredis client, of one server or of a cluster. */
export type ValkeyClient = Redis | Cluster

export type ValkeyConnectionOptions =
  | {
      /** The URL of the server: `valkey://`, `valkeys://`, `redis://` or `rediss://`, with an ACL user and password if needed. */
      readonly url: string
      /** With a URL, further ioredis options: `tls`, `connectTimeout`, … */
      readonly options?: RedisOptions
    }
  | {
      /** The sentinels that know the primary; one that answers is enough. The default port is 26379. */
      readonly sentinels: readonly { readonly host: string; readonly port?: number }[]
      /** The name under which the sentinels know the primary. */
      readonly name: string
      /** With sentinels, ioredis options: `username`, `password`, `db` and `tls` of the primary, `sentinelPassword`, … */
      readonly options?: RedisOptions
    }
  | {
      /**
       * An existing ioredis client or cluster. The library opens its own connections to the same server, and never uses or closes this
       * client, so it may be a `lazyConnect` one.
       */
      readonly client: ValkeyClient
    }

export interface ValkeyClients {
  /** Carries batched reads alone, so that no fat write delays them. */
  readonly reader: ValkeyClient
  readonly writer: ValkeyClient
  /** Those of the two that the library opened and has to close. */
  readonly owned: readonly ValkeyClient[]
  /** Opens one that receives messages, and can do nothing else then. */
  createSubscriber(): ValkeyClient
}

/**
 * @param deadlineMs of a command
 * @param onWarning receives what ioredis would print
 * @throws InvalidOptionError that never repeats a URL
 */
export function createValkeyClients(
  options: ValkeyConnectionOptions,
  deadlineMs: number,
  onWarning: (message: string) => void,
): ValkeyClients {
  const tell = tellOnce(onWarning)
  const create = (role: 'read' | 'write' | 'subscribe'): ValkeyClient => {
    const own: OwnOptions = { ...failFast(deadlineMs), connectionName: `model-cache:${role}` }
    // It hears something each second.
    if (role === 'subscribe') own.socketTimeout = Math.max(own.socketTimeout, 3_000)
    if (!('client' in options))
      return tellingOfPasswords(new RedisClient({ ...redisOptionsOf(options), ...own }), tell)
    const { client } = options
    if (typeof client?.mget !== 'function' || typeof client.duplicate !== 'function') {
      throw new InvalidOptionError('valkey.client', client, 'an ioredis Redis or Cluster')
    }
    return client.isCluster
      ? duplicateCluster(client as Cluster, own, tell)
      : tellingOfPasswords((client as Redis).duplicate(own), tell)
  }
  const [reader, writer] = [create('read'), create('write')]
  if (!writer.isCluster) reconnectWhenDemoted(reader as Redis, writer as Redis)
  return { reader, writer, owned: [reader, writer], createSubscriber: () => create('subscribe') }
}

/**
 * Replaces both connections when a command says that their server is a replica by now: what is read there may lag behind, and where its
 * address leads there may be the new primary. The command is not sent again. A cluster redirects commands itself.
 */
function reconnectWhenDemoted(reader: Redis, writer: Redis): void {
  const reconnect = (error: Error): boolean => {
    if (!isOfReplica(error)) return false
    for (const client of [reader, writer]) if (client.status === 'ready') client.disconnect(true)
    return false
  }
  reader.options.reconnectOnError = writer.options.reconnectOnError = reconnect
}

function isOfReplica({ message }: Error): boolean {
  return /^(READONLY|MASTERDOWN)\b/.test(message)
}

/**
 * Whether the server is a replica; false if it forbids the question.
 *
 * @throws when the connection is lost
 */
export async function isReplica(client: Redis): Promise<boolean> {
  const info = await client.info('replication').catch((error: Error) => {
    if (error.message.startsWith('NOPERM')) return ''
    throw error
  })
  return /^role:slave\b/m.test(info)
}

function redisOptionsOf(options: Exclude<ValkeyConnectionOptions, { client: unknown }>): RedisOptions {
  if (!('sentinels' in options)) {
    if (options.options?.sentinels) {
      const expected = 'none beside `valkey.url`: give `valkey: { sentinels, name }` instead of a URL'
      throw new InvalidOptionError('valkey.options.sentinels', options.options.sentinels, expected)
    }
    return { ...parseValkeyUrl(options.url), ...options.options }
  }
  const { sentinels, name } = options
  if (!Array.isArray(sentinels) || !sentinels.length || !sentinels.every((address) => address?.host)) {
    throw new InvalidOptionError('valkey.sentinels', sentinels, "addresses such as [{ host: 'sentinel-1' }]")
  }
  if (typeof name !== 'string' || name === '') {
    throw new InvalidOptionError('valkey.name', name, 'the name under which the sentinels know the primary')
  }
  return {
    // Without it ioredis would take `tls` for the sentinels' business, and talk to the primary in the clear.
    enableTLSForSentinelMode: Boolean(options.options?.tls),
    ...options.options,
    sentinels: sentinels.map((address) => ({ ...address })),
    name,
  }
}

/**
 * A cache that is not there must be passed by, not waited for: nothing is queued while disconnected and nothing is
 * sent again after a reconnect, where it would run late. Stands over what the application wants of its own client: that
 * may queue, resend or read from replicas, all of which a cache must not.
 */
function failFast(deadlineMs: number) {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    readOnly: false,
    role: 'master',
    // A connection on which nothing is heard is replaced: behind its name there may be another server by now.
    socketTimeout: Math.max(1_000, 10 * deadlineMs),
    // A sentinel that hangs must not keep the others from being asked.
    sentinelCommandTimeout: 1_000,
    // How long a socket that does not close keeps the process alive.
    disconnectTimeout: 200,
    retryStrategy: (attempt: number) =>
      Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2),
  } satisfies RedisOptions
}

type OwnOptions = ReturnType<typeof failFast> & { readonly connectionName: string }

function duplicateCluster(client: Cluster, own: OwnOptions, tell: (message: string) => void): Cluster {
  const { enableOfflineQueue, retryStrategy, readOnly: _, role: __, ...redisOptions } = own
  const cluster = client.duplicate([], {
    lazyConnect: true,
    shardedSubscribers: own.connectionName.endsWith('subscribe'),
    enableOfflineQueue,
    enableAutoPipelining: false,
    scaleReads: 'master',
    clusterRetryStrategy: retryStrategy,
    // A lost node is connected anew when a command is sent there, and else forgotten.
    clusterNodeRetryStrategy: null,
    // A command that failed is not tried again: it would run late, and the next one learns where its slot is now.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 1,
    maxRedirections: 5,
    redisOptions,
  })
  connectEarly(cluster)
  cluster.on('+node', quietAsking)
  cluster.on('+node', (node: Redis) => tellingOfPasswords(node, tell))
  return cluster
}

/**
 * Connects to nodes before they are needed, as commands fail while a connection is being made; to replicas too, as one of
 * them is to be a primary some day. Not before the client is ready: it asks the nodes itself until then.
 */
function connectEarly(cluster: Cluster): void {
  const connect = (node: Redis): void => {
    if (node.status === 'wait' && cluster.status === 'ready') node.connect().catch(() => {})
  }
  cluster.on('ready', () => cluster.nodes().forEach(connect))
  // Later, so that the command for which a node was found is sent by ioredis itself, which then connects.
  cluster.on('+node', (node: Redis) => setImmediate(connect, node))
}

/**
 * Before a command that ASK redirects, ioredis sends ASKING and does not look at its reply. When the connection is lost
 * then, that would be an unhandled rejection, which ends the process.
 */
function quietAsking(node: Redis): void {
  const asking = node.asking.bind(node)
  node.asking = () => {
    const reply = asking()
    reply.catch(() => {})
    return reply
  }
}

/** Refusals of a password after which a connection is used all the same; ioredis prints them. */
const needlessPassword =
  /no password is set|without any password configured|wrong number of arguments for 'auth' command/i

/** A client that tells what it would print: that the server refused a password, and lets everybody in. */
function tellingOfPasswords(client: Redis, tell: (message: string) => void): Redis {
  for (const command of ['hello', 'auth'] as const) {
    const send = client[command].bind(client) as (...args: unknown[]) => Promise<unknown>
    const telling = (...args: unknown[]): Promise<unknown> =>
      send(...args).catch((error: unknown) => {
        if (!(error instanceof Error && needlessPassword.test(error.message))) throw error
        tell('Valkey takes no password, but one is configured. Remove it, or set one on the server.')
      })
    Object.assign(client, { [command]: telling })
  }
  return client
}

function tellOnce(tell: (message: string) => void): (message: string) => void {
  const told = new Set<string>()
  return (message) => {
    if (!told.has(message)) tell(message)
    told.add(message)
  }
}
