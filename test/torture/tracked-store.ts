import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from 'model-cache'
import type { CacheObserver, ModelObserver } from 'model-cache/advanced'
import { withMembers } from './with-members.ts'

/** A piece of work, and whether the store has refused any of its commands. */
interface Work {
  isRefused: boolean
}

/**
 * Tracks whether the store took all commands of a piece of work, which fences do not report. It watches the commands
 * themselves, since nothing observes caches of other processes.
 */
export class TrackedStore {
  readonly #work = new AsyncLocalStorage<Work>()
  readonly #inProgress = new Set<Work>()
  readonly #onCaughtUp: () => void
  /** Pending retries: invalidations by cache, and the read of the catalogue. */
  #pending = 0
  readonly observer: CacheObserver

  /**
   * @param count called for reads, misses and fills, by kind; apart for models with lookups and for entries of these
   * @param onCaughtUp called when the store has taken everything that it had refused
   * @param lotModel the model with lookups
   */
  constructor(count: (name: string, times: number) => void, onCaughtUp: () => void, lotModel?: string) {
    this.#onCaughtUp = onCaughtUp
    const nothing = (): void => {}
    const forModel = (name: string, lookup?: string): ModelObserver => {
      const of = name !== lotModel ? '' : lookup ? 'entry ' : 'lot '
      const counting: Partial<ModelObserver> = {
        reads: (layer, outcome, times) => count(`${of}${layer} ${outcome}`, times),
        fills: (outcome, times) => count(`${of}fill ${outcome}`, times),
        misses: (reason, times) => count(`${of}miss ${reason}`, times),
        unopenedValues: (reason, times) => count(`unopened ${reason}`, times),
        hotIds: (change, times) => count(`${of}hot ${change}`, times),
        prismaReads: (outcome, times) => count(`Prisma ${outcome}`, times),
      }
      return new Proxy(counting, {
        get: (known, event: keyof ModelObserver) => known[event] ?? nothing,
      }) as ModelObserver
    }
    this.observer = { forModel, storeChanged: nothing }
  }

  /** Whether the store has taken everything that it had refused. */
  get isCaughtUp(): boolean {
    return this.#pending === 0
  }

  /** Log messages of caches and writes. */
  readonly warn = (message: string): void => {
    if (/an invalidation has not reached the store|the catalogue of .* cannot be read, so/.test(message)) {
      this.#pending++
    }
  }

  readonly info = (message: string): void => {
    if (!/all invalidations have reached the store|the catalogue of .* has been read again/.test(message))
      return
    this.#pending--
    if (this.isCaughtUp) this.#onCaughtUp()
  }

  /** The store for caches and writes. */
  watch(store: Store): Store {
    const refuse = (): void => {
      const work = this.#work.getStore()
      if (work) work.isRefused = true
    }
    const { messages } = store
    return withMembers(store, {
      fenceMany: (...args) => noticeRefusal(store.fenceMany(...args), refuse),
      releaseFences: (...args) => noticeRefusal(store.releaseFences(...args), refuse),
      change: (...args) => noticeRefusal(store.change(...args), refuse),
      askCatalogue: (key, request) => {
        const asked = store.askCatalogue(key, request)
        // Requests of one turn share the answer.
        return request.isWriter ? noticeRefusal(asked, () => this.#refuseAll()) : asked
      },
      messages:
        messages &&
        withMembers(messages, {
          publish: (...args) => noticeRefusal(messages.publish(...args), refuse),
        }),
    })
  }

  /** @returns whether the store took all of it */
  async takes(work: () => Promise<void>): Promise<boolean> {
    const tracked = { isRefused: false }
    this.#inProgress.add(tracked)
    try {
      await this.#work.run(tracked, work)
    } finally {
      this.#inProgress.delete(tracked)
    }
    return !tracked.isRefused
  }

  /**
   * As {@link takes}, for the end of a write: its invalidations may continue afterwards, in caches that its fence could not learn of.
   */
  async takesAll(work: () => Promise<void>): Promise<boolean> {
    return (await this.takes(work)) && this.isCaughtUp
  }

  #refuseAll(): void {
    for (const work of this.#inProgress) work.isRefused = true
  }
}

async function noticeRefusal<T>(command: Promise<T>, refuse: () => void): Promise<T> {
  try {
    return await command
  } catch (error) {
    refuse()
    throw error
  }
}
