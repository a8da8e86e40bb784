import { setTimeout as delay } from 'node:timers/promises'
import type { ReadThroughCache } from '../cache/read-through-cache.js'
import type { Hint } from './hints.js'
import { Pace, untilAborted } from './pace.js'
import { addWarmCounts, type WarmCounts, warmCountsOf, type WarmResult, warmResults } from './warm-counts.js'

/** What of a cache is needed to warm it up. */
export type WarmedCache = Pick<ReadThroughCache<unknown, unknown>, 'getManySettled' | 'inspected' | 'settled'>

export interface WarmerOptions {
  /** The caches of this process by name. */
  readonly caches: () => ReadonlyMap<string, WarmedCache>
  /** Hints of one second, at most, from all that call. */
  readonly perSecond: number
  readonly observe: (cache: string, result: WarmResult, count: number) => void
  /** Ends it. */
  readonly signal: AbortSignal
}

/** How long a batch waits until its rows may be stored: for writers that may not know the cache, or for a follower. */
const patienceMs = 60_000
const retryMs = 250

/**
 * Replays hints in this process: reads the rows of ids that the store lacks as any caller does, so that leases, fences and the bounds of
 * loads hold. One batch at a time, and loads nothing that could not be stored.
 */
export class Warmer {
  readonly #options: WarmerOptions
  readonly #pace: Pace
  #replaying: Promise<unknown> = Promise.resolve()

  constructor(options: WarmerOptions) {
    this.#options = options
    this.#pace = new Pace(options.perSecond)
  }

  /** The names of the caches of this process. Those of a worker that shares the options of an application are none, or others. */
  get caches(): readonly string[] {
    return [...this.#options.caches().keys()]
  }

  get perSecond(): number {
    return this.#options.perSecond
  }

  /** Resolves when the rows are stored; with undefined if the process ends before. Never rejects. */
  replay(hints: readonly Hint[]): Promise<WarmCounts | undefined> {
    const replaying = this.#replaying.then(() => this.#replay(hints))
    const replayed = untilAborted(replaying, this.#options.signal).catch(() => undefined)
    this.#replaying = replayed
    return replayed
  }

  async #replay(hints: readonly Hint[]): Promise<WarmCounts> {
    const { perSecond, signal } = this.#options
    let counts = warmCountsOf()
    for (let start = 0; start < hints.length; start += perSecond) {
      const next = hints.slice(start, start + perSecond)
      await this.#pace.next(next.length, signal)
      signal.throwIfAborted()
      counts = addWarmCounts(counts, await this.#warmAll(next))
    }
    return counts
  }

  async #warmAll(hints: readonly Hint[]): Promise<WarmCounts> {
    const caches = this.#options.caches()
    let counts = warmCountsOf()
    for (const [name, ofCache] of Map.groupBy(hints, ({ cache }) => cache)) {
      const cache = caches.get(name)
      const texts = [...new Set(ofCache.map(({ id }) => id))]
      const found = cache ? await this.#warm(cache, texts) : warmCountsOf({ skipped: texts.length })
      for (const result of warmResults)
        if (cache && found[result] > 0) this.#options.observe(name, result, found[result])
      counts = addWarmCounts(counts, found)
    }
    return counts
  }

  async #warm(cache: WarmedCache, texts: readonly string[]): Promise<WarmCounts> {
    const { inspected } = cache
    const known = texts.filter((text) => inspected.isId(text))
    const skipped = texts.length - known.length
    if (known.length === 0) return warmCountsOf({ skipped })
    if (!(await this.#isStorable(cache))) return warmCountsOf({ skipped, refused: known.length })
    try {
      const stored = await inspected.storedOf(known)
      const missing = known.filter((_, i) => !stored[i]!.isHit)
      const counts = await load(cache, missing)
      return addWarmCounts(counts, warmCountsOf({ skipped, present: known.length - missing.length }))
    } catch {
      // Without the store, rows would be loaded for nothing.
      return warmCountsOf({ skipped, failed: known.length })
    }
  }

  /** Whether rows may be stored, at once or soon. */
  async #isStorable({ inspected }: WarmedCache): Promise<boolean> {
    const { signal } = this.#options
    for (const untilMs = performance.now() + patienceMs; ; await delay(retryMs, undefined, { signal })) {
      const { epoch, mayFill } = await inspected.status()
      if (mayFill && epoch !== null) return true
      if (performance.now() >= untilMs) return false
    }
  }
}

/** @throws StoreError */
async function load(cache: WarmedCache, texts: readonly string[]): Promise<WarmCounts> {
  if (texts.length === 0) return warmCountsOf()
  const { inspected } = cache
  const rows = await cache.getManySettled(texts.map((text) => inspected.idOf(text)))
  await cache.settled()
  const stored = await inspected.storedOf(texts)
  const results = rows.map((row, i): WarmResult => {
    if (row.status === 'rejected') return 'failed'
    if (row.value === null) return 'not_found'
    return stored[i]!.isHit ? 'stored' : 'refused'
  })
  const byResult = Object.groupBy(results, (result) => result)
  return warmCountsOf(
    Object.fromEntries(Object.entries(byResult).map(([result, those]) => [result, those.length])),
  )
}
