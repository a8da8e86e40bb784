import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../store/store.js'

/** Above this many keys the whole model is invalidated instead. */
const maxKeys = 10_000
const firstRetryMs = 100
const lastRetryMs = 5_000

/**
 * Invalidations that have not reached the store. While one is unsettled this process passes the store by for its rows,
 * and tries until the store has taken it.
 */
export class Unsettled {
  readonly #store: Store
  readonly #invalidateModel: () => Promise<void>
  #keys = new Set<string>()
  /** Handed to the store just now. Apart, since a key may be invalidated again before the store has answered. */
  #settling: ReadonlySet<string> = new Set()
  #all = false
  /** Counts invalidations of the whole model, of which there may be another while one is settled. */
  #allCount = 0
  #retrying: Promise<void> | undefined
  readonly #stop = new AbortController()

  constructor(store: Store, invalidateModel: () => Promise<void>) {
    this.#store = store
    this.#invalidateModel = invalidateModel
  }

  get isEmpty(): boolean {
    return !this.#all && this.#keys.size === 0 && this.#settling.size === 0
  }

  has(key: string): boolean {
    return this.#all || this.#keys.has(key) || this.#settling.has(key)
  }

  add(keys: readonly string[]): void {
    for (const key of keys) this.#keys.add(key)
    if (this.#keys.size > maxKeys) this.addAll()
    else this.#start()
  }

  addAll(): void {
    this.#all = true
    this.#allCount++
    this.#keys.clear()
    this.#start()
  }

  /** Gives up what is unsettled; for the end of the process. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#retrying
  }

  #start(): void {
    this.#retrying ??= this.#retry().finally(() => {
      this.#retrying = undefined
      // Something may have come in after the last look.
      if (!this.isEmpty && !this.#stop.signal.aborted) this.#start()
    })
  }

  async #retry(): Promise<void> {
    for (let waitMs = firstRetryMs; !this.isEmpty; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      try {
        await delay(waitMs, undefined, { signal: this.#stop.signal, ref: false })
        await this.#settle()
      } catch {
        if (this.#stop.signal.aborted) return
      }
    }
  }

  async #settle(): Promise<void> {
    if (this.#all) {
      const count = this.#allCount
      await this.#invalidateModel()
      if (this.#allCount === count) this.#all = false
    }
    this.#settling = this.#keys
    this.#keys = new Set()
    try {
      await this.#store.deleteMany([...this.#settling])
    } catch (error) {
      for (const key of this.#settling) this.#keys.add(key)
      throw error
    } finally {
      this.#settling = new Set()
    }
  }
}
