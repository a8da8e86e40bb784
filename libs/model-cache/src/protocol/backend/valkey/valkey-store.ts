import type { Cluster, Redis } from 'ioredis'
import { notify } from '@model-cache/event-loop/internal'
import { invalidOptionError } from '../../../configuration-errors.js'
import { StoreError } from '../../../errors.js'
import { AcknowledgedScripts } from './acknowledged-scripts.js'
import { chunksOf } from '../chunks.js'
import { answerWithin, withDeadline } from './deadline.js'
import type {
  Announcement,
  CatalogueAnswer,
  CatalogueCheck,
  CatalogueRequest,
  ChangedRegister,
  Fence,
  FenceRelease,
  Fill,
  GuardedKey,
  LeaseAnswer,
  LeaseRequest,
  Marker,
  RegisterChange,
  Store,
  StoreStateListener,
} from '../store.js'
import { mgetByTag, pingPrimaries } from './cluster-commands.js'
import { evictingPolicies, evictionAdvice, evictionCheck } from './eviction-policy.js'
import { noConnection, reasonOf, withAclAdvice, singleClientAdvice } from './error-reason.js'
import { PiggybackedRequests } from './piggybacked-requests.js'
import { multiGet } from './serialized-command.js'
import { namespacesIn } from './namespaces.js'
import { NodeCircuits, type Side } from './node-circuits.js'
import { createShardOf, inGroups, primariesOf } from './shards.js'
import type { ValkeyClient, ValkeyClients, ValkeyConnectionOptions } from './valkey-client.js'
import { tlsAdvice } from './tls-advice.js'
import { addressOf, createValkeyClients, isReplica, quit } from './valkey-client.js'
import { askCatalogue } from './valkey-catalogue.js'
import * as guards from './valkey-guards.js'
import { ValkeyMessages } from './valkey-messages.js'
import { ServerCheck } from './server-check.js'

export type ValkeyStoreOptions = ValkeyConnectionOptions & {
  /** The deadline of each command in milliseconds. @default 250 */
  readonly deadlineMs?: number
}

export interface ValkeyStoreListeners {
  /** Receives the number of keys that were replaced because they did not hold a string. @default no listener */
  readonly onForeignKeys?: (count: number) => void
  /** Receives the warnings of ioredis. @default no listener */
  readonly onWarning?: (message: string) => void
}

const nothing = (): void => {}

/** Maximum number of keys per command. More would block the server, and the client that reads the reply, for milliseconds. */
const maxKeysPerCommand = 512

/** How long a connection to a replica stays open before the client reconnects to look for a primary. */
const replicaRetryMs = 500

/**
 * A store in Valkey or Redis, through ioredis. Coalesces the reads of one event-loop turn into one `MGET` per 512 keys; a
 * cluster gets one `MGET` per hash tag. Writes have a separate connection.
 */
export class ValkeyStore implements Store {
  readonly name = 'valkey'
  readonly #clients: ValkeyClients
  readonly #deadlineMs: number
  readonly #circuits: NodeCircuits
  readonly messages: ValkeyMessages
  #batch: ReadBatch | undefined
  #connecting: Promise<void> | undefined
  #hasConnected = false
  /** The last error of a connection, for people; undefined once there is one again. */
  #lastError: string | undefined
  /** Why there is none, where its errors do not say it. */
  #tlsAdvice: string | undefined
  #isClosed = false
  readonly mayEvictGuards: () => Promise<boolean>
  /** For a cluster: the node that holds a key, as far as it is known. */
  readonly shardOf: ((key: string) => string) | undefined
  /** The node that holds a key, as the writing client knows it. Each client learns of changes separately. */
  readonly #shardOfWrites: ((key: string) => string) | undefined
  readonly #scripts: guards.ScriptRunner
  readonly #acknowledged: AcknowledgedScripts
  readonly #serverCheck: ServerCheck
  readonly address = (): string => addressOf(this.#clients.writer)
  readonly namespaces = (): Promise<readonly string[]> => namespacesIn(this.#clients.writer)

  /** @throws ConfigurationError */
  constructor(
    options: ValkeyStoreOptions,
    onStateChange: StoreStateListener = () => {},
    { onForeignKeys = nothing, onWarning = nothing }: ValkeyStoreListeners = {},
  ) {
    const { deadlineMs = 250 } = options
    if (!(deadlineMs > 0 && deadlineMs <= 3_600_000)) {
      const expected = 'milliseconds, more than 0 and up to an hour'
      throw invalidOptionError('valkey.deadlineMs', deadlineMs, expected)
    }
    this.#deadlineMs = deadlineMs
    this.#circuits = new NodeCircuits(this.name, onStateChange)
    this.#clients = createValkeyClients(options, deadlineMs, (message) => notify([onWarning], message))
    const { reader, writer } = this.#clients
    if (reader.isCluster) this.shardOf = createShardOf(reader as Cluster)
    if (writer.isCluster) this.#shardOfWrites = createShardOf(writer as Cluster)
    const questions = new PiggybackedRequests(this.#clients.beforeSending)
    this.#scripts = {
      client: writer,
      questions,
      onForeignKeys: (count) => notify([onForeignKeys], count),
    }
    const { createSubscriber, createWaiting, leaveReplica } = this.#clients
    this.#acknowledged = new AcknowledgedScripts(() => this.#opened(createWaiting), deadlineMs / 2)
    this.mayEvictGuards = evictionCheck(() => this.#within('INFO', evictingPolicies(writer)))
    this.messages = new ValkeyMessages(
      writer,
      () => this.#opened(createSubscriber),
      (command, reply) => this.#within(command, reply),
    )
    this.#serverCheck = new ServerCheck(reader, deadlineMs, this.#acknowledged, leaveReplica)
    this.#watch('reads', reader)
    this.#watch('writes', writer)
  }

  connect(): Promise<void> {
    return (this.#connecting ??= this.#connect().then(() => {
      this.#hasConnected = true
    }))
  }

  async #connect(): Promise<void> {
    const attempts = this.#clients.owned.map(async (client) => {
      if (client.status === 'wait') await client.connect()
      // A cluster client connects to a node with the first command, which would fail then.
      if (client.isCluster) await pingPrimaries(client as Cluster)
    })
    // A client that does not connect retries by itself; the start of the application does not wait for it.
    await withDeadline(Promise.all(attempts), this.name, 'CONNECT', this.#deadlineMs * 4).catch(() => {})
    await this.ping()
      .then(() => this.#serverCheck.settled())
      .catch(() => {})
  }

  async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    return (await this.getManyBytes(keys)).map((bytes) => bytes && bytes.toString())
  }

  getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    if (keys.length === 0) return Promise.resolve([])
    const { reader } = this.#clients
    if (reader.isCluster) return this.#readSharded(reader as Cluster, keys)
    if (keys.length > maxKeysPerCommand) return this.#readInParts(keys)
    if (this.#batch && this.#batch.keys.length + keys.length > maxKeysPerCommand) this.#batch = undefined
    const batch = (this.#batch ??= this.#openBatch())
    if (keys.length > 1) return addedTo(batch, keys)
    // Mostly a register, which several caches read.
    const key = keys[0]!
    let value = batch.single.get(key)
    if (!value) batch.single.set(key, (value = addedTo(batch, keys)))
    return value
  }

  leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<LeaseAnswer[]> {
    return this.#write('LEASE', keys, guards.leaseMany, request)
  }

  fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    return this.#write('FILL', fills, guards.fillMany)
  }

  ensureMarkers(markers: readonly Marker[], untilMs?: number): Promise<(string | null)[]> {
    return this.#write('MARK', markers, guards.ensureMarkers, untilMs)
  }

  async releaseLeases(keys: readonly GuardedKey[], token: string): Promise<void> {
    await this.#write('RELEASE', keys, guards.releaseLeases, token)
  }

  // The commands of writes bypass the circuit: they are always worth an attempt.

  fenceMany(keys: readonly GuardedKey[], fence: Fence): Promise<boolean> {
    const runner = this.#runner(fence.replicas)
    return this.#within('FENCE', guards.fenceMany(runner, keys, fence, this.#publish))
  }

  releaseFences(keys: readonly GuardedKey[], release: FenceRelease): Promise<boolean> {
    const runner = this.#runner(release.replicas)
    return this.#within('RELEASE', guards.releaseFences(runner, keys, release, this.#publish))
  }

  async change(key: string, change: RegisterChange): Promise<ChangedRegister> {
    const run = (): Promise<ChangedRegister> =>
      this.#within('CHANGE', guards.change(this.#runner(change.replicas), key, change, this.#publish))
    // Listings are for storing rows; the other changes belong to writes.
    return change.kind === 'fence' || change.kind === 'release'
      ? run()
      : this.#circuits.of('writes', this.#shardOfWrites?.(key) ?? '').run(run)
  }

  askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    // A write asks this first. It may come before `forRoot` has connected the store, or in a context that is never initialised.
    if (request.isWriter && !this.#hasConnected)
      return this.connect().then(() => this.#askCatalogue(key, request))
    return this.#askCatalogue(key, request)
  }

  #askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    const run = (): Promise<CatalogueAnswer> =>
      this.#within('CATALOGUE', askCatalogue(this.#runner(request.replicas), key, request))
    return request.isWriter ? run() : this.#circuits.of('writes', this.#shardOfWrites?.(key) ?? '').run(run)
  }

  watchCatalogue(key: string, listener: (check: CatalogueCheck) => void, replicas: number): () => void {
    return this.#serverCheck.watch(key, listener, replicas)
  }

  async ping(): Promise<void> {
    const { reader, writer } = this.#clients
    const ping = (client: ValkeyClient): Promise<unknown> =>
      client.isCluster ? pingPrimaries(client as Cluster) : client.ping()
    await this.#within('PING', Promise.all([ping(reader), ping(writer)]))
  }

  async advice(): Promise<readonly string[]> {
    const { reader } = this.#clients
    const advice = Promise.all([singleClientAdvice(reader), evictionAdvice(reader)])
    return this.#within('INFO', advice).then(
      (all) => all.flat(),
      async (error: Error) => {
        const advice = await tlsAdvice(reader, error, this.#deadlineMs)
        ;[this.#tlsAdvice] = advice
        return advice
      },
    )
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#circuits.close()
    this.#serverCheck.stop()
    this.messages.subscriber?.disconnect()
    await Promise.all(this.#clients.owned.map((client) => quit(client, this.#deadlineMs)))
  }

  /** Opens a client, which {@link close} ends. @throws StoreError */
  #opened(create: () => ValkeyClient): ValkeyClient {
    if (this.#isClosed) throw new StoreError(this.name, 'the store is closed')
    return create()
  }

  /** Collects keys until the microtasks of the current reads have run, or there are enough; then sends one command. */
  #openBatch(): ReadBatch {
    const batch: ReadBatch = {
      keys: [],
      single: new Map(),
      replies: Promise.resolve().then(() => this.#read(batch)),
    }
    return batch
  }

  #read(batch: ReadBatch): Promise<(Buffer | null)[]> {
    if (this.#batch === batch) this.#batch = undefined
    // A read must not overtake the release of a write that has returned: its row would not be stored.
    this.#clients.sendNow()
    return this.#circuits
      .of('reads', '')
      .run(() => this.#within('MGET', multiGet(this.#clients.reader, batch.keys)))
  }

  async #readInParts(keys: readonly string[]): Promise<(Buffer | null)[]> {
    const parts = chunksOf(keys, maxKeysPerCommand).map((part) => this.getManyBytes(part))
    return (await Promise.all(parts)).flat()
  }

  #readSharded(cluster: Cluster, keys: readonly string[]): Promise<(Buffer | null)[]> {
    this.#clients.sendNow()
    return inGroups(keys, this.shardOf!, (ofShard, shard) =>
      this.#circuits.of('reads', shard).run(() => this.#within('MGET', mgetByTag(cluster, ofShard))),
    )
  }

  /** Runs a script for the rows of each shard, through its circuit. Returns the replies in the order of the rows. */
  #write<Key extends GuardedKey, Answer, Arguments extends unknown[]>(
    command: string,
    rows: readonly Key[],
    run: (scripts: guards.ScriptRunner, rows: readonly Key[], ...args: Arguments) => Promise<Answer[]>,
    ...args: Arguments
  ): Promise<Answer[]> {
    if (rows.length === 0) return Promise.resolve([])
    const write = (part: readonly Key[], shard: string): Promise<Answer[]> =>
      this.#circuits.of('writes', shard).run(() => this.#within(command, run(this.#scripts, part, ...args)))
    const shardOf = this.#shardOfWrites
    return shardOf ? inGroups(rows, ({ key }) => shardOf(key), write) : write(rows, '')
  }

  /** For scripts that this many replicas have to acknowledge. */
  #runner(replicas = 0): guards.ScriptRunner {
    if (replicas === 0) return this.#scripts
    return {
      ...this.#scripts,
      acknowledge: (script, keys, args) => this.#acknowledged.run(script, keys, args, replicas),
    }
  }

  readonly #publish = async ({ channel, message }: Announcement): Promise<boolean> => {
    try {
      await this.messages.publish(channel, message)
      return true
    } catch (error) {
      if ((error as { code?: unknown }).code === 'E_STORE_FORBIDDEN') return false
      throw error
    }
  }

  /** @throws StoreError */
  #within<T>(command: string, reply: Promise<T>): Promise<T> {
    return answerWithin(reply, this.name, command, this.#deadlineMs, this.#tlsAdvice ?? this.#lastError)
  }

  #watch(side: Side, client: ValkeyClient): void {
    let reason: string | undefined
    // Without a listener ioredis prints each failed connection attempt. What fails afterwards follows from the first error.
    client.on('error', (error: unknown) => {
      reason ??= withAclAdvice(reasonOf(error))
      if (reason !== noConnection) this.#lastError = `The last error: ${reason}`
    })
    if (client.isCluster) {
      client.on('ready', () => (reason = this.#lastError = undefined))
      // A cluster client stays open when it loses a node; the node's commands fail then.
      client.on('refresh', () => this.#circuits.retire(side, primariesOf(client as Cluster)))
      return
    }
    client.on('close', () => {
      this.#circuits.of(side, '').disconnected(reason ?? noConnection)
      reason = undefined
    })
    client.on('ready', () => {
      // If the connection is lost meanwhile, another one follows.
      this.#enter(side, client as Redis).catch(() => {})
    })
  }

  /** Uses a new connection, unless it leads to a replica, which lags behind its primary: then replaces it after a while. */
  async #enter(side: Side, client: Redis): Promise<void> {
    const isBehind = await isReplica(client)
    if (!isBehind) {
      this.#lastError = this.#tlsAdvice = undefined
      return this.#circuits.of(side, '').connected()
    }
    this.#circuits.of(side, '').disconnected('the server is a replica')
    const replacing = setTimeout(() => client.disconnect(true), replicaRetryMs).unref()
    client.once('close', () => clearTimeout(replacing))
  }
}

/** Has a batch read further keys, and returns their values. */
function addedTo(batch: ReadBatch, keys: readonly string[]): Promise<(Buffer | null)[]> {
  const start = batch.keys.length
  // `concat` allocates once; a growing list would reallocate.
  batch.keys = batch.keys.concat(keys)
  return batch.replies.then((replies) =>
    replies.length === keys.length ? replies : replies.slice(start, start + keys.length),
  )
}

interface ReadBatch {
  keys: string[]
  readonly replies: Promise<(Buffer | null)[]>
  /** The values of requests of one key, by that key. */
  readonly single: Map<string, Promise<(Buffer | null)[]>>
}
