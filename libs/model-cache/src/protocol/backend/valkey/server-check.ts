import type { Cluster, Command, Redis } from 'ioredis'
import { StoreError } from '../../../errors.js'
import type { AcknowledgedScripts } from './acknowledged-scripts.js'
import { answerWithin } from './deadline.js'
import { epochSeed } from '../../format/token.js'
import { nodeOf, primariesOf } from './shards.js'
import type { CatalogueCheck, CatalogueFinding } from '../store.js'
import { catalogueKeysOf } from './valkey-catalogue.js'
import type { ValkeyClient } from './valkey-client.js'
import { runScript } from './valkey-scripts.js'

/** How often the server of the catalogue is checked again: a proxy may have another one behind an open connection. */
const checkMs = 2_000

/** After so many checks come the other nodes of a cluster. What shows that they are live is renewed once a minute. */
const checksPerRound = 30

/** Commands whose answers depend on what the server holds, and the one that has to stay right before them. */
const reads: ReadonlySet<string> = new Set(['mget', 'get', 'asking'])

type Listener = (check: CatalogueCheck) => void

interface Watched {
  readonly listeners: Set<Listener>
  readonly replicas: number
  /** The run of the server that answered last, and the latest time of the server check; `''` before that. */
  run: string
  time: string
}

/**
 * Checks that servers hold what was last written, because a server that starts holds what its disk has. Each connection is checked
 * before its first read, and reads are answered after the check. If the server may be old, the catalogue gets a new epoch, under which
 * nothing counts that was stored before. lua/server-check.lua has what is compared.
 */
export class ServerCheck {
  readonly #acknowledged: AcknowledgedScripts
  readonly #client: ValkeyClient
  readonly #deadlineMs: number
  readonly #onDemoted: () => void
  readonly #catalogues = new Map<string, Watched>()
  readonly #connections = new WeakMap<Redis, CheckedConnection>()
  /** How many catalogues have been watched so far. */
  #added = 0
  #timer: NodeJS.Timeout | undefined
  #isChecking = false
  #checks = 0

  /**
   * @param client reads with it are answered after the check of their connection
   * @param onDemoted called when a server has become a replica to which this process has a checked connection: what it holds may lag
   *   behind, and without a write nothing else would show it
   */
  constructor(
    client: ValkeyClient,
    deadlineMs: number,
    acknowledged: AcknowledgedScripts,
    onDemoted: () => void,
  ) {
    this.#acknowledged = acknowledged
    this.#client = client
    this.#deadlineMs = deadlineMs
    this.#onDemoted = onDemoted
    if (client.isCluster) (client as Cluster).on('+node', this.#join)
    else this.#join(client as Redis)
  }

  /**
   * @param key of a catalogue, which must not count any more if a server is old
   * @param replicas how many must have a new epoch before a node of a cluster counts as checked
   * @returns a function that ends this: the listener is not called any more, and a catalogue without one is not checked again
   */
  watch(key: string, listener: Listener, replicas: number): () => void {
    const watched = this.#catalogues.get(key) ?? this.#add(key, replicas)
    watched.listeners.add(listener)
    this.#timer ??= setInterval(() => void this.#checkAgain(), checkMs).unref()
    // The first read would have it checked as well, but this process learns sooner how old the data is that it may meet later.
    this.settled().catch(nothing)
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size === 0 && this.#catalogues.get(key) === watched) this.#forget(key)
    }
  }

  #add(key: string, replicas: number): Watched {
    const watched: Watched = { listeners: new Set(), replicas, run: '', time: '' }
    this.#catalogues.set(key, watched)
    this.#added++
    return watched
  }

  #forget(key: string): void {
    this.#catalogues.delete(key)
    if (this.#catalogues.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Resolves once each open connection to a primary has been checked. Rejects if one has not been. */
  async settled(): Promise<void> {
    await Promise.all(this.#primaries().map((node) => this.#connections.get(node)?.check()))
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  readonly #join = (node: Redis): void => {
    // Not how many there are: one that takes the place of another was not checked.
    const needed = (): number => this.#added
    this.#connections.set(node, new CheckedConnection(node, needed, () => this.#checkNode(node)))
  }

  /** The primaries that are connected. */
  #primaries(): readonly Redis[] {
    const client = this.#client
    const nodes = client.isCluster
      ? [...primariesOf(client as Cluster)].flatMap((name) => nodeOf(client as Cluster, name) ?? [])
      : [client as Redis]
    return nodes.filter(({ status }) => status === 'ready')
  }

  readonly #checkAgain = async (): Promise<void> => {
    // A command would open a connection that nobody has asked for.
    if (this.#isChecking || this.#primaries().length === 0) return
    this.#isChecking = true
    const isRound = this.#client.isCluster && ++this.#checks % checksPerRound === 0
    try {
      if (isRound) await Promise.all(this.#primaries().map((node) => this.#checkNode(node)))
      else await this.#checkCatalogues(this.#client, [])
    } catch {
      // It is tried again soon, and before that with a new connection.
    }
    this.#isChecking = false
  }

  /** In a cluster the catalogue may be at another node, which is told what this one says of itself. */
  async #checkNode(node: Redis): Promise<void> {
    if (!this.#client.isCluster) return this.#checkCatalogues(node, [])
    const facts = await this.#run(node, [], [])
    if (facts[0] === 'unknown') for (const watched of this.#catalogues.values()) report(watched, unknown)
    else if (facts[0] !== 'master') throw new StoreError('valkey', 'the server is a replica')
    else await this.#checkCatalogues(this.#client, facts)
  }

  async #checkCatalogues(client: ValkeyClient, facts: readonly string[]): Promise<void> {
    await Promise.all(
      Array.from(this.#catalogues, ([key, watched]) => this.#checkCatalogue(client, key, watched, facts)),
    )
  }

  async #checkCatalogue(
    client: ValkeyClient,
    key: string,
    watched: Watched,
    facts: readonly string[],
  ): Promise<void> {
    const keys = catalogueKeysOf(key)
    const argsWith = (acknowledged: string): string[] => {
      return [epochSeed(), watched.run, watched.time, acknowledged, ...facts]
    }
    const reply = await this.#run(client, keys, argsWith(''))
    if (reply[0] === 'slave') {
      if (this.#connections.get(client as Redis)?.isChecked) this.#onDemoted()
      throw new StoreError('valkey', 'the server is a replica')
    }
    if (reply[0] === 'unknown') return report(watched, unknown)
    const [finding, epoch, time, run, isPending] = reply as [CatalogueFinding, string, string, string, string]
    watched.run = run
    if (Number(time) > Number(watched.time)) watched.time = time
    report(watched, { finding, epoch: epoch === '' ? null : epoch })
    if (isPending !== '1' || facts.length === 0 || watched.replicas === 0) return
    // Otherwise a replica of the catalogue could take its place with the epoch that rows of the other node have.
    await this.#acknowledged.run('serverCheck', keys, argsWith(''), watched.replicas)
    await this.#run(client, keys, argsWith(epoch))
  }

  async #run(
    client: ValkeyClient,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<readonly string[]> {
    const reply = runScript(client, 'serverCheck', keys, args)
    return (await answerWithin(reply, 'valkey', 'CHECK', this.#deadlineMs))[1] as readonly string[]
  }
}

/** What tells a connection from the ones before. */
interface Connection {
  readonly stream: unknown
  /** Whether its server answers reads as a replica: a cluster client has it do so once its slots belong to another node. */
  readonly readOnly: boolean | undefined
}

/** Has a connection checked before its first read, whatever reads it. */
class CheckedConnection {
  readonly #node: Redis
  readonly #needed: () => number
  readonly #run: () => Promise<void>
  /** The one that was checked. */
  #connection: Connection = { stream: undefined, readOnly: undefined }
  /** How many catalogues had been watched when it was checked. */
  #checked = 0
  #checking: { readonly needed: number; readonly done: Promise<void> } | undefined

  /** @param needed how many catalogues have been watched so far */
  constructor(node: Redis, needed: () => number, run: () => Promise<void>) {
    this.#node = node
    this.#needed = needed
    this.#run = run
    const send = node.sendCommand.bind(node)
    node.sendCommand = (command, pipeline) => {
      const isChecked = this.#isSame && this.#checked === needed()
      if (!isChecked && node.status === 'ready' && reads.has(command.name)) this.#hold(command)
      return send(command, pipeline)
    }
    // A process that reads from memory alone has to learn of it as well.
    node.on('ready', () => void this.check().catch(nothing))
  }

  /** Whether the server of this connection was found live, for some catalogues at least. */
  get isChecked(): boolean {
    return this.#isSame && this.#checked > 0
  }

  get #isSame(): boolean {
    const { readOnly, stream } = this.#connection
    return stream === this.#node.stream && readOnly === this.#node.options.readOnly
  }

  /** Rejects if the connection has not been checked; the next call tries again. */
  check(): Promise<void> {
    const needed = this.#needed()
    if (!this.#isSame) {
      this.#connection = { stream: this.#node.stream, readOnly: this.#node.options.readOnly }
      this.#checked = 0
      this.#checking = undefined
    }
    if (this.#checked === needed) return Promise.resolve()
    if (this.#checking?.needed !== needed) this.#checking = { needed, done: this.#start(needed) }
    return this.#checking.done
  }

  #start(needed: number): Promise<void> {
    const connection = this.#connection
    const end = (checked: number): void => {
      if (this.#connection !== connection) return
      this.#checking = undefined
      this.#checked = checked
    }
    const done = this.#run().then(
      () => end(needed),
      (error: unknown) => {
        end(0)
        throw error
      },
    )
    done.catch(nothing)
    return done
  }

  #hold(command: Command): void {
    const done = this.check()
    if (command.name === 'asking') return
    const { resolve } = command
    command.resolve = (value: unknown): void => {
      done.then(
        () => resolve(value),
        (error: Error) => command.reject(error),
      )
    }
  }
}

const unknown: CatalogueCheck = { finding: 'unknown', epoch: undefined }

function report({ listeners }: Watched, check: CatalogueCheck): void {
  for (const listener of listeners) listener(check)
}

const nothing = (): void => {}
