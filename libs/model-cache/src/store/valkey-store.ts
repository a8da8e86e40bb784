import type { Cluster } from 'ioredis'
import { InvalidOptionError, StoreError } from '../errors.js'
import { withDeadline } from './deadline.js'
import type { Store, StoreEntry, StoreStateListener } from './store.js'
import type { ValkeyClient, ValkeyClients, ValkeyConnectionOptions } from './valkey-client.js'
import { createValkeyClients } from './valkey-client.js'

export type ValkeyStoreOptions = ValkeyConnectionOptions & {
  /** Milliseconds that each command may take before it is given up. @default 250 */
  readonly deadlineMs?: number
}

/**
 * A store in Valkey or Redis, through ioredis. Reads of one turn are one `MGET`; writes have a connection of their own.
 * In a cluster, keys are read one by one, each from its node.
 */
export class ValkeyStore implements Store {
  readonly name = 'valkey'
  readonly #clients: ValkeyClients
  readonly #deadlineMs: number
  readonly #onStateChange: StoreStateListener
  /** Reads and writes fail apart: a server that is full or read-only still answers reads. */
  readonly #failing: Record<Side, Set<string>> = { reads: new Set(), writes: new Set() }
  #batch: ReadBatch | undefined
  #closed = false

  /** @throws InvalidOptionError */
  constructor(options: ValkeyStoreOptions, onStateChange: StoreStateListener = () => {}) {
    const { deadlineMs = 250 } = options
    if (!(deadlineMs > 0 && deadlineMs <= 3_600_000)) {
      throw new InvalidOptionError(
        'valkey.deadlineMs',
        deadlineMs,
        'milliseconds, more than 0 and up to an hour',
      )
    }
    this.#deadlineMs = deadlineMs
    this.#onStateChange = onStateChange
    this.#clients = createValkeyClients(options)
    // Without a listener ioredis prints each failed connection attempt.
    for (const client of this.#clients.owned) {
      const side = client === this.#clients.reader ? 'reads' : 'writes'
      client.on('error', (error: unknown) => this.#hasFailed(side, 'CONNECT', reasonOf(error)))
    }
  }

  async connect(): Promise<void> {
    const attempts = this.#clients.owned.map(async (client) => {
      if (client.status === 'wait') await client.connect()
      // A cluster client connects to its nodes at their first command, which would then be the one that fails.
      if (client.isCluster) await Promise.all((client as Cluster).nodes('master').map((node) => node.ping()))
    })
    // A client that does not answer goes on trying by itself; the start of the application waits no longer for it.
    await withDeadline(Promise.all(attempts), this.name, 'CONNECT', this.#deadlineMs * 4).catch(() => {})
    await this.ping().catch(() => {})
  }

  getMany(keys: readonly string[]): Promise<(string | null)[]> {
    if (keys.length === 0) return Promise.resolve([])
    const { reader } = this.#clients
    // Apart: one node that does not answer must not fail what others are asked for.
    if (reader.isCluster) return this.#within('reads', 'GET', Promise.all(keys.map((key) => reader.get(key))))
    const batch = (this.#batch ??= this.#openBatch())
    const start = batch.keys.length
    for (const key of keys) batch.keys.push(key)
    return batch.replies.then((replies) => replies.slice(start, start + keys.length))
  }

  async setMany(entries: readonly StoreEntry[]): Promise<void> {
    if (entries.length === 0) return
    const { writer } = this.#clients
    // One flush for all of them: ioredis writes what one turn issued at its end.
    const replies = entries.map(({ key, value, ttlMs }) =>
      writer.set(key, value, 'PX', Math.max(1, Math.round(ttlMs))),
    )
    await this.#within('writes', 'SET', Promise.all(replies))
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    const { writer } = this.#clients
    const reply: Promise<unknown> = writer.isCluster
      ? Promise.all(keys.map((key) => writer.unlink(key)))
      : writer.unlink(...keys)
    await this.#within('writes', 'UNLINK', reply)
  }

  async set(key: string, value: string): Promise<void> {
    await this.#within('writes', 'SET', this.#clients.writer.set(key, value))
  }

  async setIfAbsent(key: string, value: string): Promise<string> {
    // SET with NX and GET together needs Redis 7; two commands on one connection serve every server.
    const { writer } = this.#clients
    const reply = Promise.all([writer.set(key, value, 'NX'), writer.get(key)])
    const [, held] = await this.#within('writes', 'SET', reply)
    return held ?? value
  }

  async ping(): Promise<void> {
    const { reader, writer } = this.#clients
    await Promise.all([
      this.#within('reads', 'PING', reader.ping()),
      this.#within('writes', 'PING', writer.ping()),
    ])
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all(this.#clients.owned.map((client) => this.#quit(client)))
  }

  /** Collects until the running turn has handed its reads in, then sends them as one command. */
  #openBatch(): ReadBatch {
    const keys: string[] = []
    const replies = Promise.resolve().then(() => {
      this.#batch = undefined
      return this.#read(keys)
    })
    return { keys, replies }
  }

  #read(keys: string[]): Promise<(string | null)[]> {
    return this.#within('reads', 'MGET', this.#clients.reader.mget(keys))
  }

  async #within<T>(side: Side, command: string, reply: Promise<T>): Promise<T> {
    try {
      const value = await withDeadline(reply, this.name, command, this.#deadlineMs)
      this.#hasAnswered(side, command)
      return value
    } catch (error) {
      const safe =
        error instanceof StoreError
          ? error
          : new StoreError(this.name, `${command} failed: ${reasonOf(error)}`)
      this.#hasFailed(side, command, safe.message)
      throw safe
    }
  }

  /** A side is up again when each command that failed has answered: a full server refuses SET and takes UNLINK. */
  #hasAnswered(side: Side, command: string): void {
    const failing = this.#failing[side]
    if (failing.size === 0 || this.#closed) return
    failing.delete(command)
    // Whatever has answered, there is a connection.
    failing.delete('CONNECT')
    if (failing.size === 0) this.#onStateChange(side, 'up', 'it answers')
  }

  #hasFailed(side: Side, command: string, reason: string): void {
    if (this.#closed) return
    const failing = this.#failing[side]
    const wasUp = failing.size === 0
    failing.add(command)
    if (wasUp) this.#onStateChange(side, 'down', reason)
  }

  async #quit(client: ValkeyClient): Promise<void> {
    // QUIT lets writes that are under way finish; a client that cannot is cut off.
    if (client.status === 'ready')
      await withDeadline(client.quit(), this.name, 'QUIT', this.#deadlineMs).catch(() => {})
    client.disconnect()
  }
}

type Side = Parameters<StoreStateListener>[0]

interface ReadBatch {
  readonly keys: string[]
  readonly replies: Promise<(string | null)[]>
}

/**
 * The reason in words. The original error is left behind on purpose: ioredis attaches the command with its
 * arguments, which for AUTH is the password and otherwise are keys and values.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code } = error as { code?: unknown }
  const text = error.message || (typeof code === 'string' ? code : error.name)
  // What ioredis says of a command that nothing was there to carry, in words of its options.
  if (text.includes('enableOfflineQueue')) return 'there is no connection'
  // A server that does not know a command repeats its arguments.
  return text
    .replace(/,? with args beginning with.*/is, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 200)
}
