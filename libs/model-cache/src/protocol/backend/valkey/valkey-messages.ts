import type { Cluster, Redis } from 'ioredis'
import type { Messages } from '../store.js'
import type { ValkeyClient } from './valkey-client.js'

/** Runs a command within its deadline. */
type Run = <T>(command: string, reply: Promise<T>) => Promise<T>

type Listener = (message: string) => void

/** Events after which messages may be lost. A cluster client resubscribes by itself after a lost connection or a moved slot or node. */
const losses = { single: ['close'], cluster: ['-node', '-subscriber', 'subscribersReady'] } as const

/**
 * Messages over pub/sub; in a cluster over sharded pub/sub, so that a message reaches only the nodes of its slot. The
 * receiving connection opens with the first subscription.
 */
export class ValkeyMessages implements Messages {
  readonly #writer: ValkeyClient
  readonly #open: () => ValkeyClient
  readonly #run: Run
  /** What is called when messages may have been lost, by channel and listener. */
  readonly #subscriptions = new Map<string, Map<Listener, () => void>>()
  #subscriber: ValkeyClient | undefined
  /** Until the connection has been opened, which refuses commands before. */
  #connecting: Promise<void> | undefined

  constructor(writer: ValkeyClient, open: () => ValkeyClient, run: Run) {
    this.#writer = writer
    this.#open = open
    this.#run = run
  }

  /** The receiving connection, if it was opened. */
  get subscriber(): ValkeyClient | undefined {
    return this.#subscriber
  }

  async publish(channel: string, message: string): Promise<void> {
    const writer = this.#writer
    const reply = writer.isCluster ? writer.spublish(channel, message) : writer.publish(channel, message)
    await this.#run('PUBLISH', reply)
  }

  async subscribe(channel: string, listener: Listener, onLost: () => void): Promise<void> {
    const listeners = this.#subscriptions.get(channel) ?? new Map<Listener, () => void>()
    this.#subscriptions.set(channel, listeners.set(listener, onLost))
    const client = (this.#subscriber ??= this.#connect())
    if (client.status === 'wait')
      this.#connecting = this.#run('CONNECT', client.connect()).finally(() => (this.#connecting = undefined))
    await this.#connecting
    // It has ended meanwhile.
    if (!this.#subscriptions.get(channel)?.has(listener)) return
    await this.#run('SUBSCRIBE', client.isCluster ? client.ssubscribe(channel) : client.subscribe(channel))
  }

  async unsubscribe(channel: string, listener?: Listener): Promise<void> {
    const listeners = this.#subscriptions.get(channel)
    if (listener) listeners?.delete(listener)
    if (listener && listeners && listeners.size > 0) return
    this.#subscriptions.delete(channel)
    const client = this.#subscriber
    if (client?.status !== 'ready') return
    await this.#run(
      'UNSUBSCRIBE',
      client.isCluster ? client.sunsubscribe(channel) : client.unsubscribe(channel),
    )
  }

  #connect(): ValkeyClient {
    const client = this.#open()
    const receive = (channel: string, message: string): void =>
      this.#subscriptions.get(channel)?.forEach((_, listener) => listener(message))
    if (client.isCluster) (client as Cluster).on('smessage', receive)
    else {
      ;(client as Redis).on('message', receive)
      client.once('ready', () => client.on('ready', this.#subscribeAgain))
    }
    const lose = (): void =>
      this.#subscriptions.forEach((listeners) => listeners.forEach((onLost) => onLost()))
    for (const event of losses[client.isCluster ? 'cluster' : 'single']) client.on(event, lose)
    // Without a listener ioredis prints each failed connection attempt. Subscribers notice missing heartbeats.
    client.on('error', () => {})
    return client
  }

  /**
   * After a reconnect to a single server. ioredis would do so by itself, and ignore the reply: if the connection is lost again before that, the
   * unhandled rejection would end the process, and the subscriptions would be forgotten.
   */
  readonly #subscribeAgain = (): void => {
    const channels = [...this.#subscriptions.keys()]
    if (channels.length > 0) (this.#subscriber as Redis).subscribe(...channels).catch(() => {})
  }
}
