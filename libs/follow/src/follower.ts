import { setTimeout as delay } from 'node:timers/promises'
import { followError } from './errors.js'
import type { FollowProblem, Leadership } from './database-log.js'
import type { FollowContext } from './follow-context.js'
import { FollowSession } from './follow-session.js'
import { reportMs } from './follow-watch.js'
import { leaderKey } from './leader-key.js'

/** After this time a leader that gives no sign of life is deposed; */
const deposeMs = 3_000
/** and one that has resigned, because it lost a connection that PostgreSQL may still hold, after this time. */
const deposeResignedMs = 800
const firstRetryMs = 100
const lastRetryMs = 2_000

/**
 * Follows the log of a database, and invalidates what the caches of a namespace hold of written rows, whoever wrote them. Of all processes
 * with a follower one is the leader; the others are stand-bys.
 *
 * A position of the log is confirmed when the store has taken the invalidations of all changes before it, so that each is taken at
 * least once. Where changes may have been missed, all followed caches lose what they hold.
 */
export class Follower {
  readonly #context: FollowContext
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  /** Problems since somebody followed last, which are logged once. */
  readonly #problems = new Set<string>()
  readonly #warnedOf = new Set<string>()

  constructor(context: FollowContext) {
    this.#context = context
  }

  /** Begins to follow as the leader, or to wait as a stand-by. Never rejects: it tries again until {@link stop}. */
  start(): void {
    this.#running ??= this.#run()
  }

  /** Resigns, so that another process takes over at once. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { log } = this.#context
    let waitMs = firstRetryMs
    while (!this.#isStopped) {
      let leadership: Leadership | undefined
      try {
        const storeId = await this.#readStoreId()
        leadership = await this.#elect(storeId)
        if (!leadership) continue
        await new FollowSession(this.#context, leadership, storeId, this.#stop.signal, {
          onFollowing: () => {
            waitMs = firstRetryMs
            if (this.#problems.size > 0) log.info(`ModelCache: follows ${this.#context.database.name} again.`)
            this.#problems.clear()
          },
          onProblems: (problems) => this.#warn(problems),
        }).run()
      } catch (error) {
        if (this.#isStopped) return
        this.#report(error)
      } finally {
        await leadership?.resign().catch(() => {})
      }
      await delay(waitMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {})
      waitMs = Math.min(waitMs * 2, lastRetryMs)
    }
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  /**
   * Returns the epoch of the catalogue, by which followers of one store know each other. A store that has lost what it held gets another
   * one, and so does a copy that was started from its disk.
   *
   * @throws StoreError; ModelCacheError (`E_FOLLOW`) while the store has no catalogue
   */
  async #readStoreId(): Promise<string> {
    const { catalogue } = this.#context.namespaceCaches
    await catalogue.read()
    if (catalogue.epoch === null) throw followError('the store has just been replaced.')
    return catalogue.epoch
  }

  /**
   * Waits for leadership, and deposes a leader that gives no sign of life: its connection may stand although it does not. Followers of
   * different stores do not hear each other, and each store has a leader of its own.
   *
   * @returns undefined once the store is another one
   */
  async #elect(storeId: string): Promise<Leadership | undefined> {
    const { database, namespace } = this.#context
    const key = leaderKey(namespace, storeId)
    const over = new AbortController()
    const otherStore = new AbortController()
    const deposing = this.#deposeSilent(key, storeId, over.signal).then((isOther) => {
      if (isOther) otherStore.abort()
    })
    try {
      return await database.elect(key, AbortSignal.any([this.#stop.signal, otherStore.signal]))
    } catch (error) {
      if (otherStore.signal.aborted) return undefined
      throw error
    } finally {
      over.abort()
      await deposing
    }
  }

  /** @returns whether the store is another one, so that somebody else may follow for it */
  async #deposeSilent(key: string, storeId: string, over: AbortSignal): Promise<boolean> {
    const { watch } = this.#context
    // In which it could have been heard: not while this process was held up, nor while the store was away.
    let silentMs = 0
    for (;;) {
      const sinceMs = performance.now()
      await delay(reportMs, undefined, { signal: over, ref: false }).catch(() => {})
      if (over.aborted) return false
      const limitMs = watch.report?.state === 'resigned' ? deposeResignedMs : deposeMs
      const lookedForMs = Math.min(performance.now() - sinceMs, 2 * reportMs)
      silentMs = Math.min(silentMs + lookedForMs, watch.silentForMs)
      if (watch.silentForMs < limitMs) continue
      const id = await this.#readStoreId().catch(() => undefined)
      if (id !== undefined && id !== storeId) return true
      if (!(await watch.hears())) silentMs = 0
      if (over.aborted || silentMs < limitMs || watch.silentForMs < limitMs) continue
      await this.#depose(key, limitMs)
    }
  }

  async #depose(key: string, idleMs: number): Promise<void> {
    const { database, log, watch } = this.#context
    try {
      const leader = await database.depose(key, idleMs)
      if (leader === 'deposed')
        log.warn(
          `ModelCache: the follower of ${database.name} has given no sign of life for ${Math.round(watch.silentForMs)} ms; another one takes over.`,
        )
      if (leader === 'alive')
        throw followError(
          'the follower works, but its reports do not arrive here: it cannot reach this Valkey, or has another one that says it is this ' +
            'one. Give each Valkey a namespace of its own.',
        )
    } catch (error) {
      this.#report(error)
    }
  }

  /** Once per problem, until it is solved. */
  #report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    if (this.#problems.has(message)) return
    this.#problems.add(message)
    const { database, log } = this.#context
    const reason = message.replace(/^model-cache: /, '').replace(/\.?$/, '.')
    log.warn(
      `ModelCache: writes to ${database.name} outside this library are not followed by this process: ${reason} It tries again.`,
    )
  }

  #warn(problems: readonly FollowProblem[]): void {
    for (const { message } of problems) {
      if (this.#warnedOf.has(message)) continue
      this.#warnedOf.add(message)
      this.#context.log.warn(`ModelCache: ${message}`)
    }
  }
}
