import { AsyncLocalStorage } from 'node:async_hooks'
import type { Store } from 'model-cache'
import type { CacheObserver, ModelObserver } from 'model-cache/advanced'

/** Whether the store has refused anything that a piece of work had to say to it. */
interface Told {
  isRefused: boolean
}

/**
 * Tells whether the store took what a piece of work had to say to it: fences and settles are never refused aloud. It looks at the
 * commands themselves, as nothing observes caches of other processes.
 */
export class ToldStore {
  readonly #work = new AsyncLocalStorage<Told>()
  readonly #underWay = new Set<Told>()
  readonly #onCaughtUp: () => void
  /** How many are being tried again: invalidations by cache, and the question for caches. */
  #pending = 0
  readonly observer: CacheObserver

  /**
   * @param count told of reads and fills, by a word for each kind
   * @param onCaughtUp told when the store has taken all that it had refused
   */
  constructor(count: (name: string, times: number) => void, onCaughtUp: () => void) {
    this.#onCaughtUp = onCaughtUp
    const told: Partial<ModelObserver> = {
      reads: (layer, outcome, times) => count(`${layer} ${outcome}`, times),
      fills: (outcome, times) => count(`fill ${outcome}`, times),
    }
    const nothing = (): void => {}
    const model = new Proxy(told, { get: (known, name: keyof ModelObserver) => known[name] ?? nothing })
    this.observer = { forModel: () => model as ModelObserver, storeChanged: nothing }
  }

  /** Whether the store has taken all that it had refused. */
  get isCaughtUp(): boolean {
    return this.#pending === 0
  }

  /** What a cache and writes have to say to an operator. */
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

  /** The store as caches and writes are to have it. */
  watch(store: Store): Store {
    const refuse = (): void => {
      const work = this.#work.getStore()
      if (work) work.isRefused = true
    }
    const watched: Partial<Store> = {
      fenceMany: (...args) => tellRefusal(store.fenceMany(...args), refuse),
      releaseFences: (...args) => tellRefusal(store.releaseFences(...args), refuse),
      change: (...args) => tellRefusal(store.change(...args), refuse),
      askCatalogue: (key, request) => {
        const asked = store.askCatalogue(key, request)
        // All who ask in one turn are answered together.
        return request.isWriter ? tellRefusal(asked, () => this.#refuseAll()) : asked
      },
      messages: store.messages && {
        publish: (...args) => tellRefusal(store.messages!.publish(...args), refuse),
        subscribe: (...args) => store.messages!.subscribe(...args),
        unsubscribe: (...args) => store.messages!.unsubscribe(...args),
      },
    }
    return new Proxy(store, {
      get(target, name) {
        if (name in watched) return watched[name as keyof Store]
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? (member.bind(target) as unknown) : member
      },
    })
  }

  /** @returns whether the store took all of it */
  async takes(work: () => Promise<void>): Promise<boolean> {
    const told = { isRefused: false }
    this.#underWay.add(told)
    try {
      await this.#work.run(told, work)
    } finally {
      this.#underWay.delete(told)
    }
    return !told.isRefused
  }

  #refuseAll(): void {
    for (const told of this.#underWay) told.isRefused = true
  }
}

async function tellRefusal<T>(command: Promise<T>, refuse: () => void): Promise<T> {
  try {
    return await command
  } catch (error) {
    refuse()
    throw error
  }
}
