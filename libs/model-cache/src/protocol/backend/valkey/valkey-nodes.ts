import slotOf from 'cluster-key-slot'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { StoreError } from '../../../errors.js'
import { answerWithin } from './deadline.js'
import { hashTagOf } from './shards.js'
import { tlsProblem } from './tls-advice.js'
import { redisOptionsOf, type ServerOptions, type ValkeyConnectionOptions } from './valkey-client.js'
import { parseValkeyUrl } from './valkey-url.js'

/** How a command line names a server: its URL, with Sentinels that know the primary if there are any. */
export interface ValkeyAddress {
  /** A `valkey://` URL of the server, of any node of a cluster, or, with Sentinels, of the user and database of the primary. */
  readonly url: string
  /** `host:port` of each. */
  readonly sentinels?: readonly string[]
  /** The name of the primary, as the Sentinels know it. */
  readonly primaryName?: string
}

/** One server, for commands of any kind. */
export interface ValkeyNode {
  /** `host:port` */
  readonly name: string
  /** @throws StoreError, whose message has the reason of the server and no argument */
  call(command: string, ...args: readonly string[]): Promise<unknown>
  /** Returns the bytes of a key. @throws StoreError */
  get(key: string): Promise<Buffer | null>
  /** Subscribes to a channel on a connection of its own, and ends it. @throws StoreError */
  listen(channel: string, isSharded: boolean): Promise<void>
}

/** The slots from `first` to `last`, with their primary and its replicas as `host:port`. */
export interface SlotRange {
  readonly first: number
  readonly last: number
  readonly nodes: readonly string[]
  /** Nodes that do not announce their address. Clients such as ioredis leave them out. */
  readonly unannounced: readonly string[]
}

/** The servers at an address, as they are, whatever their state. */
export interface ValkeyNodes {
  readonly isCluster: boolean
  /** Empty without a cluster. */
  readonly slots: readonly SlotRange[]
  /** The server itself, or the primaries of a cluster. */
  readonly primaries: readonly ValkeyNode[]
  /** The replicas of a cluster; only the server itself knows those of a single server. */
  readonly replicas: readonly ValkeyNode[]
  /** The ACL user of the connections. */
  readonly user: string
  /** Whether the address has a password, and the server accepts connections without one. */
  readonly needsNoPassword: boolean
  /** The options of a store of these servers. */
  readonly connection: ValkeyConnectionOptions
  /** The server that has a key. @throws StoreError if no server has it */
  nodeOf(key: string): ValkeyNode
  close(): void
}

/**
 * Connects to the servers at an address. Recognizes a cluster by itself.
 *
 * @param deadlineMs of each command
 * @throws StoreError if they cannot be reached; ConfigurationError, which never contains the URL
 */
export async function connectNodes(address: ValkeyAddress, deadlineMs: number): Promise<ValkeyNodes> {
  const connection = connectionOf(address)
  const options = redisOptionsOf(connection)
  const opened: Redis[] = []
  const open = (changed: RedisOptions): Redis => {
    const client = new Redis({ ...options, ...quiet, connectTimeout: deadlineMs, ...changed })
    opened.push(client)
    return client
  }
  const close = (): void => opened.splice(0).forEach((client) => client.disconnect())
  const nodeAt = (name: string, changed: RedisOptions = {}): Promise<ValkeyNode> =>
    connectNode(name, () => open(changed), deadlineMs)
  try {
    const first = await nodeAt(nameOf(address, options))
    const slots = await slotsOf(first)
    const needsNoPassword =
      options.password !== undefined &&
      (await nodeAt(first.name, anonymous)
        .then((node) => node.call('PING'))
        .then(
          () => true,
          () => false,
        ))
    const common = { user: options.username ?? 'default', needsNoPassword, close }
    if (!slots) return { ...common, ...alone, connection, primaries: [first], nodeOf: () => first }
    const nodes = new Map<string, ValkeyNode>()
    const namesOf = (from: number, to?: number): string[] => [
      ...new Set(slots.flatMap((range) => range.nodes.slice(from, to))),
    ]
    // At once: where nodes announce addresses that lead nowhere from here, each takes until its deadline.
    const connecting = namesOf(0).map(async (address) => {
      const node = await nodeAt(address, addressOf(address)).catch(() => undefined)
      if (node) nodes.set(address, node)
    })
    await Promise.all(connecting)
    const reached = (names: readonly string[]): ValkeyNode[] => names.flatMap((name) => nodes.get(name) ?? [])
    const startup =
      slots.length > 0
        ? namesOf(0).map((name) => addressOf(name))
        : [options as { host: string; port: number }]
    return {
      ...common,
      isCluster: true,
      slots,
      primaries: slots.length > 0 ? reached(namesOf(0, 1)) : [first],
      replicas: reached(namesOf(1)),
      connection: { client: new Cluster(startup, { lazyConnect: true, redisOptions: options }) },
      nodeOf(key) {
        const slot = slotOf(hashTagOf(key))
        const range = slots.find(({ first: from, last: to }) => slot >= from && slot <= to)
        const node = range && nodes.get(range.nodes[0]!)
        if (!node) throw new StoreError('valkey', `no node of the cluster has slot ${slot}`)
        return node
      },
    }
  } catch (error) {
    close()
    const problem = await tlsProblem(options, error as Error, deadlineMs)
    throw problem === undefined ? error : new StoreError('valkey', problem)
  }
}

/** The topology of a server without a cluster. */
const alone = { isCluster: false, slots: [], replicas: [] }

/** Without what the address says of a user. Types of ioredis have no undefined options, and it takes them. */
const anonymous: RedisOptions = { username: undefined as never, password: undefined as never }

/** Options of connections that serve a command line: nothing is repeated, and nothing is printed. */
const quiet = {
  lazyConnect: true,
  // It would print that INFO is forbidden.
  enableReadyCheck: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  sentinelRetryStrategy: () => null,
  disconnectTimeout: 200,
  connectionName: 'model-cache:cli',
} satisfies RedisOptions

async function connectNode(name: string, open: () => Redis, deadlineMs: number): Promise<ValkeyNode> {
  const within: Within = (command, reply) => answerWithin(reply, 'valkey', command, deadlineMs)
  const client = await connected(open, within)
  return {
    name,
    call: (command, ...args) => within(command, client.call(command, ...args)),
    get: (key) => within('GET', client.getBuffer(key)),
    async listen(channel, isSharded) {
      const subscriber = await connected(open, within)
      try {
        const [command, reply] = isSharded
          ? ['SSUBSCRIBE', subscriber.ssubscribe(channel)]
          : ['SUBSCRIBE', subscriber.subscribe(channel)]
        await within(command as string, reply as Promise<unknown>)
      } finally {
        subscriber.disconnect()
      }
    },
  }
}

type Within = <T>(command: string, reply: Promise<T>) => Promise<T>

async function connected(open: () => Redis, within: Within): Promise<Redis> {
  const client = open()
  // The rejection of `connect` says that the connection was closed, not why. Without a listener ioredis prints each failed attempt.
  let reason: unknown
  client.on('error', (error: unknown) => (reason ??= error))
  const connecting = client.connect().then(
    () => {
      // That the server refuses the database; the connection would use another one.
      if (reason !== undefined) throw reason
    },
    (error: unknown) => {
      throw reason ?? error
    },
  )
  await within('CONNECT', connecting)
  return client
}

/** Returns the slots of a cluster; undefined without one. */
async function slotsOf(node: ValkeyNode): Promise<SlotRange[] | undefined> {
  const reply = await node.call('CLUSTER', 'SLOTS').catch(async (error: Error) => {
    if (/cluster support disabled|unknown command/i.test(error.message)) return undefined
    // The user of a single server needs no right to commands of clusters.
    if ((error as { code?: unknown }).code === 'E_STORE_FORBIDDEN' && !(await isOfCluster(node)))
      return undefined
    throw error
  })
  if (!Array.isArray(reply)) return undefined
  // A node that does not know its own address means the one that was asked.
  const nameIn = ([host, port]: [string, number]): string =>
    `${host || node.name.slice(0, node.name.lastIndexOf(':'))}:${port}`
  return (reply as [number, number, ...[string, number][]][]).map(([first, last, ...nodes]) => ({
    first,
    last,
    nodes: nodes.map(nameIn),
    unannounced: nodes.filter(([host]) => !host).map(nameIn),
  }))
}

async function isOfCluster(node: ValkeyNode): Promise<boolean> {
  const info = await node.call('INFO', 'cluster').catch(() => '')
  return /^cluster_enabled:1/m.test(String(info))
}

function connectionOf({ url, sentinels, primaryName }: ValkeyAddress): ServerOptions {
  const options = { enableReadyCheck: false }
  if (!sentinels) return { url, options }
  const { host: _, port: __, ...own } = parseValkeyUrl(url)
  const addresses = sentinels.map((name) => addressOf(name, 26_379))
  return { sentinels: addresses, name: primaryName!, options: { ...own, ...options } }
}

function nameOf({ sentinels, primaryName }: ValkeyAddress, { host, port }: RedisOptions): string {
  return sentinels ? `${primaryName} of ${sentinels.join(', ')}` : `${host}:${port}`
}

function addressOf(name: string, standardPort: number = 6_379): { host: string; port: number } {
  const [, host = name, port] = /^(.*?)(?::(\d+))?$/.exec(name) ?? []
  return { host, port: port === undefined ? standardPort : Number(port) }
}
