import { setTimeout as delay } from 'node:timers/promises'
import { FenceError } from '../errors.js'
import { Catalogue } from './catalogue.js'
import { createForeignCaches, type ForeignCacheParts } from './foreign-cache.js'
import type { WrittenCache } from './written-cache.js'

const firstRetryMs = 100
const lastRetryMs = 5_000

/** The caches of one namespace of a store, as writers see them: those of this process, and all others that the catalogue lists. */
export class KnownCaches {
  readonly catalogue: Catalogue
  readonly #parts: ForeignCacheParts
  readonly #own = new Set<WrittenCache>()
  readonly #foreign = new Map<string, readonly WrittenCache[]>()
  /** Derived from the catalogue's list and {@link #own}, until one of them changes. */
  #all: readonly WrittenCache[] = []
  #byModel = new Map<string, readonly WrittenCache[]>()
  #derivedFrom: unknown
  /** What writes knew that are over and could not ask. */
  #missed: ReadonlySet<WrittenCache> | undefined
  /** Whether one of them may still be committed. */
  #missedEnd: 'known' | 'unknown' = 'known'
  #catchingUp: Promise<void> | undefined
  readonly #stop = new AbortController()

  constructor(parts: Omit<ForeignCacheParts, 'catalogue'>) {
    this.catalogue = new Catalogue(parts.store, parts.namespace)
    this.#parts = { ...parts, catalogue: this.catalogue }
  }

  add(cache: WrittenCache): void {
    this.#own.add(cache)
    this.#derivedFrom = undefined
  }

  get all(): readonly WrittenCache[] {
    this.#derive()
    return this.#all
  }

  /** Those that writes to a model concern. */
  of(model: string): readonly WrittenCache[] {
    this.#derive()
    let caches = this.#byModel.get(model)
    if (!caches) {
      caches = this.#all.filter((cache) => cache.model === undefined || cache.model === model)
      this.#byModel.set(model, caches)
    }
    return caches
  }

  /**
   * Finds out whether there are others by now.
   *
   * @returns false in available mode, when the store does not answer: then {@link catchUp} has to follow when the write is over
   * @throws FenceError in strict mode, when the store does not answer
   */
  async ask(): Promise<boolean> {
    try {
      await this.catalogue.ask()
      return true
    } catch (error) {
      if (this.#parts.consistency.mode === 'strict') throw new FenceError(undefined, error)
      return false
    }
  }

  /** Empties, as soon as the store answers, the caches that a write which is over did not know: it may have written their rows. */
  catchUp(known: ReadonlySet<WrittenCache>, end: 'known' | 'unknown'): void {
    if (end === 'unknown') this.#missedEnd = end
    this.#missed = new Set([...known].filter((cache) => this.#missed?.has(cache) ?? true))
    this.#catchingUp ??= this.#catchUp()
  }

  /** For the end of the process: asks once more for what could not be asked. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#catchingUp
  }

  async #catchUp(): Promise<void> {
    const { info, namespace, warn } = this.#parts
    warn(
      `ModelCache: the catalogue of namespace "${namespace}" cannot be read, so this process does not know whether other processes cache what ` +
        'it writes. Caches that it does not know are emptied when the store answers; until then they may serve outdated rows.',
    )
    for (let waitMs = firstRetryMs; this.#missed; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      const isLast = this.#stop.signal.aborted
      await delay(isLast ? 0 : waitMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {})
      try {
        await this.#emptyMissed()
      } catch {
        if (!isLast) continue
        warn(
          `ModelCache: this process ends before it could read the catalogue of namespace "${namespace}"; caches of other processes may ` +
            'serve outdated rows until their ttl is over.',
        )
        return
      }
    }
    this.#catchingUp = undefined
    info(`ModelCache: the catalogue of namespace "${namespace}" has been read again.`)
  }

  async #emptyMissed(): Promise<void> {
    // Another write may be over while this asks, and miss others.
    const known = this.#missed!
    const end = this.#missedEnd
    await this.catalogue.ask()
    const missed = new Set(this.all.filter((cache) => !known.has(cache)).map(({ writes }) => writes))
    if (this.#missed === known) {
      this.#missed = undefined
      this.#missedEnd = 'known'
    }
    await Promise.all([...missed].map((writes) => writes.releaseAll('', 'all', end)))
  }

  #derive(): void {
    const { caches } = this.catalogue
    if (this.#derivedFrom === caches) return
    this.#derivedFrom = caches
    const layouts = new Set([...this.#own].map(({ layout }) => layout))
    const foreign = caches.filter(({ layout }) => !layouts.has(layout))
    for (const cache of foreign) {
      if (!this.#foreign.has(cache.layout)) {
        this.#foreign.set(cache.layout, createForeignCaches(cache, this.#parts))
      }
    }
    const listed = new Set(foreign.map(({ layout }) => layout))
    this.#all = [...this.#own, ...[...listed].flatMap((layout) => this.#foreign.get(layout)!)]
    this.#byModel = new Map()
  }
}
