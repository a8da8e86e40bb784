import type { Socket } from 'node:net'
import { callbackify } from 'node:util'
import type { Cluster, Redis, RedisOptions } from 'ioredis'
import { Redis as RedisClient } from 'ioredis'
import { invalidOptionError } from '../../../configuration-errors.js'
import { withDeadline } from './deadline.js'
import { isRefusedDatabase } from './error-reason.js'
import { parseValkeyUrl } from './valkey-url.js'

/** An ioredis client, of one server or of a cluster. */
export type ValkeyClient = Redis | Cluster

/** A client or cluster of ioredis, also of another installation or major of it than the one that this library imports. */
export interface IoredisClient {
  readonly isCluster: boolean
  readonly options: object
  mget(...keys: never[]): unknown
  duplicate(...options: never[]): unknown
}

export type ValkeyConnectionOptions =
  | {
      /** The URL of the server: `valkey://`, `valkeys://`, `redis://` or `rediss://`, with an ACL user and password if needed. */
      readonly url: string
      /** Further ioredis options beside the URL: `tls`, `connectTimeout`, … */
      readonly options?: RedisOptions
    }
  | {
      /** Sentinels that know the primary; one that answers is enough. The default port is 26379. */
      readonly sentinels: readonly { readonly host: string; readonly port?: number }[]
      /** The name of the primary, as the sentinels know it. */
      readonly name: string
      /** With sentinels, ioredis options: `username`, `password`, `db` and `tls` of the primary, `sentinelPassword`, … */
      readonly options?: RedisOptions
    }
  | {
      /**
       * An existing ioredis client or cluster. The library opens its own connections to the same servers and never uses
       * or closes this one, which may have `lazyConnect`.
       */
      readonly client: IoredisClient
    }

export interface ValkeyClients {
  /** Carries batched reads only, so that no large write delays them. */
  readonly reader: ValkeyClient
  readonly writer: ValkeyClient
  /** Sends the commands of {@link writer} that wait for others of their turn. */
  sendNow(): void
  /** Calls back once, before the commands of {@link writer} in this turn are sent. */
  readonly beforeSending: (callback: () => void) => void
  /** The clients that the library opened and has to close. */
  readonly owned: readonly ValkeyClient[]
  /** Opens a client that receives messages, and cannot do anything else. */
  createSubscriber(): ValkeyClient
  /** Opens a client that may block until replicas have acknowledged what it sends. */
  createWaiting(): ValkeyClient
  /** Replaces all connections to a server that has become a replica; a cluster redirects commands itself. */
  leaveReplica(): void
}

/**
 * @param deadlineMs of a command
 * @param onWarning receives the warnings that ioredis would print
 * @throws ConfigurationError which never contains a URL
 */
export function createValkeyClients(
  options: ValkeyConnectionOptions,
  deadlineMs: number,
  onWarning: (message: string) => void,
): ValkeyClients {
  const warn = eachOnce(onWarning)
  const create = (role: 'read' | 'write' | 'subscribe' | 'wait'): ValkeyClient => {
    const own: OwnOptions = { ...failFast(deadlineMs), connectionName: `model-cache:${role}` }
    // It receives a heartbeat each second.
    if (role === 'subscribe') own.socketTimeout = Math.max(own.socketTimeout, 3_000)
    if (!('client' in options)) return prepared(new RedisClient({ ...redisOptionsOf(options), ...own }), warn)
    const { client } = options
    if (typeof client?.mget !== 'function' || typeof client.duplicate !== 'function') {
      throw invalidOptionError('valkey.client', client, 'an ioredis Redis or Cluster')
    }
    // The class of the client may be that of another installation.
    const known = client as ValkeyClient
    return known.isCluster
      ? duplicateCluster(known as Cluster, own, warn)
      : prepared((known as Redis).duplicate(own), warn)
  }
  const owned: ValkeyClient[] = []
  const leaveReplica = (): void => {
    for (const client of owned) if (!client.isCluster && client.status === 'ready') client.disconnect(true)
  }
  const open = (role: 'read' | 'write' | 'wait'): ValkeyClient => {
    const client = create(role)
    owned.push(client)
    if (!client.isCluster) leaveWhenDemoted(client as Redis, leaveReplica)
    return client
  }
  const [reader, writer] = [open('read'), open('write')]
  const sending = new JointSending()
  if (writer.isCluster) (writer as Cluster).on('+node', (node: Redis) => sending.join(node))
  else sending.join(writer as Redis)
  return {
    reader,
    writer,
    owned,
    sendNow: sending.sendNow,
    beforeSending: sending.before,
    createSubscriber: () => create('subscribe'),
    createWaiting: () => open('wait'),
    leaveReplica,
  }
}

/** Returns where a client connects to, for people. */
export function addressOf(client: ValkeyClient): string {
  const nodes = client.isCluster ? (client as Cluster).nodes('master') : [client as Redis]
  const places = nodes.map(({ options }) => options.path ?? `${options.host}:${options.port}`).toSorted()
  if (client.isCluster) return `cluster of ${places.join(', ')}`
  const { db, name, sentinels } = (client as Redis).options
  const place = sentinels ? `primary "${name}"` : places[0]
  return db ? `${place}/${db}` : place!
}

/** Commands of this size are sent at once: joining them would copy them. */
const largeBytes = 16_384

/**
 * Sends the small commands of one turn together, because sending costs the process more than anything else that it does for a
 * command.
 */
class JointSending {
  readonly #corked = new Set<Socket>()
  #callbacks: (() => void)[] = []

  join(client: Redis): void {
    const send = client.sendCommand.bind(client)
    client.sendCommand = (command, pipeline) => {
      const socket = client.stream as Socket | undefined
      if (socket?.writable && !this.#corked.has(socket)) {
        this.#schedule()
        socket.cork()
        this.#corked.add(socket)
      }
      const reply = send(command, pipeline)
      if (socket && socket.writableLength >= largeBytes && this.#corked.delete(socket)) socket.uncork()
      return reply
    }
  }

  readonly before = (callback: () => void): void => {
    this.#schedule()
    this.#callbacks.push(callback)
  }

  readonly sendNow = (): void => {
    const callbacks = this.#callbacks
    this.#callbacks = []
    for (const callback of callbacks) callback()
    for (const socket of this.#corked) socket.uncork()
    this.#corked.clear()
  }

  #schedule(): void {
    if (this.#corked.size + this.#callbacks.length === 0) process.nextTick(this.sendNow)
  }
}

/**
 * Replaces all connections when a command shows that their server has become a replica: its values may lag behind, and its
 * address may lead to the new primary. The command is not sent again. A cluster redirects commands itself.
 */
function leaveWhenDemoted({ options }: Redis, leaveReplica: () => void): void {
  options.reconnectOnError = (error) => {
    if (isOfReplica(error)) leaveReplica()
    return false
  }
}

function isOfReplica({ message }: Error): boolean {
  return /^(READONLY|MASTERDOWN)\b/.test(message)
}

/**
 * Whether the server is a replica; false if it does not say, because it forbids, hides or delays `INFO`.
 *
 * @throws if the connection is lost
 */
export async function isReplica(client: Redis): Promise<boolean> {
  const info = await client.info('replication').catch((error: Error) => {
    if (error.name === 'ReplyError') return ''
    throw error
  })
  return /^role:slave\b/m.test(info)
}

/** How long a disconnected connection may take to end, at least. */
const minCloseMs = 1_000

/** Ends a client. `QUIT` lets running writes finish; one that cannot send it is disconnected. Never rejects. */
export async function quit(client: ValkeyClient, deadlineMs: number): Promise<void> {
  if (client.status === 'end') return
  const ended = new Promise<unknown>((resolve) => client.once('end', resolve))
  if (client.status === 'ready')
    await withDeadline(client.quit(), 'valkey', 'QUIT', deadlineMs).catch(() => {})
  client.disconnect()
  await withDeadline(ended, 'valkey', 'QUIT', Math.max(minCloseMs, deadlineMs)).catch(() => {})
}

/** The options that name servers. */
export type ServerOptions = Exclude<ValkeyConnectionOptions, { readonly client: unknown }>

/** @throws ConfigurationError which never contains a URL */
export function redisOptionsOf(options: ServerOptions): RedisOptions {
  if (!('sentinels' in options)) {
    if (options.options?.sentinels) {
      const expected = 'none beside `valkey.url`: give `valkey: { sentinels, name }` instead of a URL'
      throw invalidOptionError('valkey.options.sentinels', options.options.sentinels, expected)
    }
    return { ...parseValkeyUrl(options.url), ...options.options }
  }
  const { sentinels, name } = options
  if (!Array.isArray(sentinels) || !sentinels.length || !sentinels.every((address) => address?.host)) {
    throw invalidOptionError('valkey.sentinels', sentinels, "addresses such as [{ host: 'sentinel-1' }]")
  }
  if (typeof name !== 'string' || name === '') {
    throw invalidOptionError('valkey.name', name, 'the name under which the sentinels know the primary')
  }
  return {
    // Otherwise ioredis would use `tls` for the sentinels alone, and connect to the primary without it.
    enableTLSForSentinelMode: Boolean(options.options?.tls),
    ...options.options,
    sentinels: sentinels.map((address) => ({ ...address })),
    name,
  }
}

/**
 * Options that bypass an unavailable cache instead of waiting for it: nothing is queued while disconnected, and nothing is
 * sent again after a reconnect, when it would run late. They override the options of the application's client, which
 * may queue, resend, read from replicas or get numbers as text; a cache must do none of that.
 */
function failFast(deadlineMs: number) {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    autoResendUnfulfilledCommands: false,
    // `ValkeyMessages` does so.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    readOnly: false,
    role: 'master',
    // Scripts reply with numbers, which are compared as such.
    stringNumbers: false,
    // Replaces a silent connection, because another server may have taken over its address.
    socketTimeout: Math.max(1_000, 10 * deadlineMs),
    // A hanging sentinel must not block the others.
    sentinelCommandTimeout: 1_000,
    // How long a socket that does not close keeps the process alive.
    disconnectTimeout: 200,
    retryStrategy: (attempt: number) =>
      Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + Math.random() / 2),
  } satisfies RedisOptions
}

type OwnOptions = ReturnType<typeof failFast> & { readonly connectionName: string }

function duplicateCluster(client: Cluster, own: OwnOptions, warn: (message: string) => void): Cluster {
  const { enableOfflineQueue, retryStrategy, readOnly: _, role: __, ...redisOptions } = own
  const cluster = client.duplicate([], {
    lazyConnect: true,
    shardedSubscribers: own.connectionName.endsWith('subscribe'),
    enableOfflineQueue,
    enableAutoPipelining: false,
    scaleReads: 'master',
    clusterRetryStrategy: retryStrategy,
    // A lost node is reconnected when a command goes there, and otherwise forgotten.
    clusterNodeRetryStrategy: null,
    // A failed command is not retried: it would run late, and the next one learns the slot's new node.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 1,
    maxRedirections: 5,
    // ioredis 5 does not add the client's own.
    redisOptions: { ...client.options.redisOptions, ...redisOptions },
  })
  connectEarly(cluster)
  cluster.on('+node', quietAsking)
  cluster.on('+node', (node: Redis) => prepared(node, warn))
  return cluster
}

/**
 * Connects to nodes before they are needed, because commands fail during the connection attempt; also to replicas, because any
 * of them may become a primary. Waits until the client is ready, which queries the nodes itself until then.
 */
function connectEarly(cluster: Cluster): void {
  const connect = (node: Redis): void => {
    if (node.status === 'wait' && cluster.status === 'ready') node.connect().catch(() => {})
  }
  cluster.on('ready', () => cluster.nodes().forEach(connect))
  // Later, so that ioredis itself connects and sends the command for which it found the node.
  cluster.on('+node', (node: Redis) => setImmediate(connect, node))
}

/**
 * Handles rejections of ASKING. ioredis sends it before a command that ASK redirects, and ignores its reply. If the connection
 * is lost then, the unhandled rejection would end the process.
 */
function quietAsking(node: Redis): void {
  const asking = node.asking.bind(node)
  node.asking = () => {
    const reply = asking()
    reply.catch(() => {})
    return reply
  }
}

/** Refusals of a password after which the connection works nevertheless; ioredis prints them. */
const needlessPassword =
  /no password is set|without any password configured|wrong number of arguments for 'auth' command/i

/** Makes a client report, instead of print, that its server needs no password but got one, and not use another database than its own. */
function prepared(client: Redis, warn: (message: string) => void): Redis {
  // ioredis ignores the refusal, and would read and write in database 0.
  client.on('error', (error: unknown) => {
    if (isRefusedDatabase(error)) client.disconnect(true)
  })
  for (const command of ['hello', 'auth'] as const) {
    const send = client[command].bind(client) as (...args: unknown[]) => Promise<unknown>
    const ignore = (error: unknown): void => {
      if (!(error instanceof Error && needlessPassword.test(error.message))) throw error
      warn('Valkey requires no password, but one is configured. Remove it, or set one on the server.')
    }
    const sendOrWarn = (...args: unknown[]): Promise<unknown> | void => {
      const callback = args.at(-1)
      if (typeof callback !== 'function') return send(...args).catch(ignore)
      // ioredis 5 passes a callback, and does not handle a rejection.
      callbackify(() => send(...args.slice(0, -1)).catch(ignore))(callback as () => void)
    }
    Object.assign(client, { [command]: sendOrWarn })
  }
  return client
}

function eachOnce(warn: (message: string) => void): (message: string) => void {
  const reported = new Set<string>()
  return (message) => {
    if (!reported.has(message)) warn(message)
    reported.add(message)
  }
}
