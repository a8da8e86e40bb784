import {
  AtRest,
  type AtRestOptions,
  type ConsistencyOptions,
  consistencySettings,
  type FollowerReport,
  invalidOptionError,
  missingEvents,
  NamespaceCaches,
  shieldEvents,
  shieldLog,
  type Store,
} from 'model-cache/internal'
import type { Follow } from './follow-options.js'
import { FollowWatch } from './follow-watch.js'
import type { FollowObserver } from './follow-context.js'
import { Follower } from './follower.js'
import { messageOf } from './database-url.js'

export interface ModelCacheFollowerOptions {
  /** The store of the caches, connected. */
  readonly store: Store
  /** The namespace of the caches. @default 'mc' */
  readonly namespace?: string
  /** The result of `followPostgres` or `followMysql`. */
  readonly follow: Follow
  readonly consistency?: ConsistencyOptions
  /** The keys of caches that are encrypted. @default messages name rows in clear text, and changes empty caches whose ids are hashed */
  readonly atRest?: AtRestOptions
  /** Counts what it does. @default nothing is counted */
  readonly observer?: FollowObserver
  /** Receives warnings for operators. @default no log */
  readonly warn?: (message: string) => void
  /** Receives notices. @default no log */
  readonly info?: (message: string) => void
}

/**
 * Follows a database for the caches of other processes: it needs no definitions, because caches describe themselves in the store.
 *
 * @example
 * ```ts
 * const store = new ValkeyStore({ url: process.env.VALKEY_URL! })
 * await store.connect()
 * const follower = new ModelCacheFollower({ store, follow: followPostgres({ url: process.env.DATABASE_URL! }), warn: console.warn })
 * await follower.start()
 * ```
 */
export class ModelCacheFollower {
  readonly #follower: Follower
  readonly #watch: FollowWatch
  readonly #namespaceCaches: NamespaceCaches
  readonly #atRest: AtRest | undefined
  #isStopped = false

  /** @throws ConfigurationError */
  constructor(options: ModelCacheFollowerOptions) {
    const { follow, namespace = 'mc', observer = silent, store } = options
    const database = follow.openLog?.(namespace)
    if (!database)
      throw invalidOptionError(
        'follow',
        'followElsewhere()',
        'the result of `followPostgres` or `followMysql`',
      )
    verifyObserver(observer)
    const log = shieldLog(options)
    this.#atRest = options.atRest && AtRest.of(options.atRest)
    this.#namespaceCaches = new NamespaceCaches({
      store,
      namespace,
      consistency: consistencySettings(options.consistency),
      log,
      atRest: this.#atRest,
    })
    this.#watch = new FollowWatch({ namespace, messages: store.messages, maxLagMs: follow.maxLagMs })
    this.#follower = new Follower({
      database,
      namespace,
      store,
      namespaceCaches: this.#namespaceCaches,
      watch: this.#watch,
      observer: shieldEvents(observer, observedEvents, (error) =>
        log.warn(
          `ModelCache: the observer of the follower throws, so its counts are missing; it follows on: ${messageOf(error)}`,
        ),
      ),
      log,
    })
  }

  /** What the follower says, of this process or another one; undefined while nobody follows. */
  get report(): FollowerReport | undefined {
    return this.#watch.report
  }

  /**
   * Begins to follow as the leader, or waits as a stand-by while another process does.
   *
   * @throws ConfigurationError if the keys of `atRest` cannot be fetched
   */
  async start(): Promise<void> {
    if (this.#atRest) await this.#atRest.open()
    // Nothing would end what begins after the stop.
    if (this.#isStopped) return
    await this.#watch.start()
    this.#follower.start()
  }

  /** Stops. Another follower takes over at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#follower.stop()
    await this.#namespaceCaches.stop()
    await this.#watch.stop()
  }
}

const silent: FollowObserver = { events() {}, lagSeconds() {}, takeovers() {} }

const observedEvents = ['events', 'lagSeconds', 'takeovers'] as const

/** @throws ConfigurationError unless the observer has all events */
function verifyObserver(observer: FollowObserver): void {
  const missing = missingEvents(observer, observedEvents)
  if (missing.length > 0)
    throw invalidOptionError(
      'observer',
      observer,
      `an observer with all events of FollowObserver, and this one lacks ${missing.join(', ')}`,
    )
}
