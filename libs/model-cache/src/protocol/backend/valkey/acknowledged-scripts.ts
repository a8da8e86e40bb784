import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster, Redis } from 'ioredis'
import { createShardOf, nodeOf } from './shards.js'
import type { ValkeyClient } from './valkey-client.js'
import { digestOf, type Script, type ScriptReply, textOf } from './valkey-scripts.js'

/** How long to wait for a connection before the next attempt. */
const retryMs = 10

/**
 * Runs scripts that count only when replicas have acknowledged them. Has connections of its own, because `WAIT` blocks a connection until
 * then; they open with the first script.
 */
export class AcknowledgedScripts {
  readonly #open: () => ValkeyClient
  readonly #timeoutMs: number
  readonly #waits = new WeakMap<Redis, Waits>()
  #client: ValkeyClient | undefined
  #connecting: Promise<unknown> | undefined
  #shardOf: ((key: string) => string) | undefined

  /** @param timeoutMs how long a replica may take to acknowledge a script, and how long a script follows its slot to a node */
  constructor(open: () => ValkeyClient, timeoutMs: number) {
    this.#open = open
    // `WAIT` takes whole milliseconds only, and 0 for ever.
    this.#timeoutMs = Math.ceil(timeoutMs)
  }

  /**
   * A script may run several times, as scripts are written for.
   *
   * @param replicas how many have to acknowledge it
   * @throws if fewer do; the script may have run nevertheless
   */
  async run(
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
    replicas: number,
  ): Promise<ScriptReply> {
    const untilMs = performance.now() + this.#timeoutMs
    const client = await this.#connected()
    /** The node that a slot is moving to. */
    let asked: Redis | undefined
    let isLoaded = true
    for (;;) {
      const node = asked ?? this.#nodeOf(client, keys[0]!)
      try {
        if (node?.status !== 'ready') throw new Error('there is no connection to the server')
        return await this.#runOn(node, script, keys, args, replicas, { isAsking: node === asked, isLoaded })
      } catch (error) {
        const { message } = error as Error
        if (message.startsWith('NOSCRIPT') && isLoaded) isLoaded = false
        else if (!client.isCluster || performance.now() > untilMs) throw error
        else asked = await this.#redirected(client as Cluster, node, error as Error)
      }
    }
  }

  /** Where to send a command after its error. @throws that error if another attempt would not help */
  async #redirected(cluster: Cluster, node: Redis | undefined, error: Error): Promise<Redis | undefined> {
    const [kind, , address = ''] = error.message.split(' ')
    const found = kind === 'ASK' ? nodeOf(cluster, reachable(cluster, address)) : undefined
    if (found) return found
    // The slots are read again for a node as well that the client has forgotten, because it lost its connection.
    if (kind === 'ASK' || kind === 'MOVED')
      await new Promise<unknown>((resolve) => cluster.refreshSlotsCache(resolve))
    else {
      // The slots of the node may have moved by now; nothing else would notice that.
      cluster.refreshSlotsCache()
      if (kind === 'TRYAGAIN' || node?.status === 'ready') throw error
      if (node?.status === 'wait') node.connect().catch(nothing)
      await delay(retryMs)
    }
    return undefined
  }

  async #runOn(
    node: Redis,
    script: Script,
    keys: readonly string[],
    args: readonly (string | Buffer)[],
    replicas: number,
    { isAsking, isLoaded }: { readonly isAsking: boolean; readonly isLoaded: boolean },
  ): Promise<ScriptReply> {
    if (isAsking) node.asking().catch(nothing)
    const words = [keys.length, ...keys, ...args] as const
    const reply = isLoaded ? node.evalsha(digestOf(script), ...words) : node.eval(textOf(script), ...words)
    let waits = this.#waits.get(node)
    if (!waits) this.#waits.set(node, (waits = new Waits(node, this.#timeoutMs)))
    const acknowledged = waits.add(replicas)
    acknowledged.catch(nothing)
    const result = (await reply) as ScriptReply
    const count = await acknowledged
    if (count < replicas) throw new Error(`${count} of ${replicas} replicas have acknowledged it in time`)
    return result
  }

  async #connected(): Promise<ValkeyClient> {
    if (!this.#client) {
      this.#client = this.#open()
      // Without a listener ioredis prints each failed connection attempt.
      this.#client.on('error', nothing)
      // It retries by itself; what it cannot send meanwhile fails.
      const limit = delay(this.#timeoutMs, undefined, { ref: false })
      this.#connecting = Promise.race([this.#client.connect().catch(nothing), limit])
      if (this.#client.isCluster) this.#shardOf = createShardOf(this.#client as Cluster)
    }
    await this.#connecting
    return this.#client
  }

  #nodeOf(client: ValkeyClient, key: string): Redis | undefined {
    return this.#shardOf ? nodeOf(client as Cluster, this.#shardOf(key)) : (client as Redis)
  }
}

const nothing = (): void => {}

/** An address that a node announces, as this client reaches it. */
function reachable({ options: { natMap } }: Cluster, address: string): string {
  const found = typeof natMap === 'function' ? natMap(address) : natMap?.[address]
  return found ? `${found.host}:${found.port}` : address
}

/** One `WAIT` of a connection, for all commands that were sent before it. */
interface Wait {
  readonly stream: unknown
  replicas: number
  readonly acknowledged: Promise<number>
}

/**
 * The `WAIT`s of one node. A connection executes nothing while one runs, so commands that are sent meanwhile share the next: otherwise
 * each would wait for all before it.
 */
class Waits {
  readonly #node: Redis
  readonly #timeoutMs: number
  #running: Promise<void> = Promise.resolve()
  #next: Wait | undefined

  constructor(node: Redis, timeoutMs: number) {
    this.#node = node
    this.#timeoutMs = timeoutMs
  }

  /**
   * Resolves with how many replicas have all that was sent until now. Call it in the turn of the command.
   *
   * @param replicas how many are needed
   */
  add(replicas: number): Promise<number> {
    const { stream } = this.#node
    if (this.#next?.stream !== stream) {
      const wait: Wait = {
        stream,
        replicas: 0,
        acknowledged: this.#running.then(() => this.#send(wait)),
      }
      this.#next = wait
    }
    this.#next!.replicas = Math.max(this.#next!.replicas, replicas)
    return this.#next!.acknowledged
  }

  async #send(wait: Wait): Promise<number> {
    if (this.#next === wait) this.#next = undefined
    // A new connection knows nothing of the commands of the last one, so its answer would say nothing about them.
    if (this.#node.stream !== wait.stream) throw new Error('the connection was lost')
    const reply = this.#node.wait(wait.replicas, this.#timeoutMs)
    this.#running = reply.then(nothing, nothing)
    return reply
  }
}
