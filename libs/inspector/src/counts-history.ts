import { setImmediate } from 'node:timers/promises'
import type { InspectedRoot } from 'model-cache/internal'
import { type Counts, growthOf, readCounts, type RootCounts } from './counts.js'
import { type Growth, keptEveryMs, KeptCounts, type LongWindow, longWindows } from './kept-counts.js'

/** The counts of each time that figures are about; `recent` is since somebody looked a moment ago, null if nobody did. */
export type CountsOverTime = Readonly<Record<LongWindow | 'sinceStart', Counts>> & {
  readonly recent: Counts | null
}

/** The counts of all roots at one time. */
interface Look {
  readonly atMs: number
  readonly roots: readonly RootCounts[]
}

/** What has been counted, as of one look. */
export interface CountsNow {
  /** Seconds that recent counts cover. */
  readonly recentSeconds: number
  /** In the order of the roots. */
  readonly roots: readonly RootCounts[]
  /** The counts at the earliest look that is recent; undefined if nobody looked. */
  readonly before: readonly RootCounts[] | undefined
  /** The counts at the last look before this one. */
  readonly previous: readonly RootCounts[] | undefined
  readonly growth: Readonly<Record<LongWindow, Growth>>
}

/** How long ago a look may be that recent counts begin at. */
const windowMs = 6_000
/** Looks within this time are one. */
const sameMs = 400

/**
 * Reads the counts of roots whenever somebody looks, and remembers them for a moment; keeps those of the last hour, so that what somebody
 * sees who looks in an incident has a before.
 */
export class CountsHistory {
  readonly #roots: readonly InspectedRoot[]
  readonly #kept = new KeptCounts()
  /** The looks that are recent as of the last one, the earliest first. */
  #looks: readonly Look[] = []
  #reading: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(roots: readonly InspectedRoot[]) {
    this.#roots = roots
  }

  /** Begins to keep counts. Does not keep the process alive. */
  start(): void {
    // A metric of the application that fails is counts that are not kept, and nothing else.
    this.#timer = setInterval(() => void this.keep().catch(() => {}), keptEveryMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async keep(): Promise<void> {
    const { atMs, roots } = await this.#look(() => setImmediate())
    this.#kept.add(atMs, roots)
  }

  async look(): Promise<CountsNow> {
    const last = this.#looks.at(-1)
    if (!last || performance.now() - last.atMs >= sameMs) await (this.#reading ??= this.#read())
    const now = this.#looks.at(-1)!
    const recent = this.#looks.slice(0, -1)
    const [before] = recent
    const since = (ms: number): Growth => this.#kept.since(ms, now.atMs, process.uptime() * 1_000)
    return {
      recentSeconds: before ? (now.atMs - before.atMs) / 1_000 : 0,
      roots: now.roots,
      before: before?.roots,
      previous: recent.at(-1)?.roots,
      growth: { lastHour: since(longWindows.lastHour), last5Minutes: since(longWindows.last5Minutes) },
    }
  }

  async #read(): Promise<void> {
    try {
      const look = await this.#look()
      this.#looks = [...this.#looks.filter(({ atMs }) => look.atMs - atMs <= windowMs), look]
    } finally {
      this.#reading = undefined
    }
  }

  async #look(pause?: () => Promise<unknown>): Promise<Look> {
    const atMs = performance.now()
    const roots = await Promise.all(
      this.#roots.map(({ metrics: { prefix, registry }, name }) =>
        readCounts(registry, { prefix, root: name }, pause),
      ),
    )
    return { atMs, roots }
  }
}

/** The counts of a cache or lookup over time; see {@link countsKey}. */
export function countsOverTime(
  { before, growth, roots }: CountsNow,
  root: number,
  key: string,
): CountsOverTime {
  const sinceStart = roots[root]!.caches.get(key) ?? {}
  return {
    sinceStart,
    lastHour: growth.lastHour.ofCache(root, key, sinceStart),
    last5Minutes: growth.last5Minutes.ofCache(root, key, sinceStart),
    recent: before ? growthOf(before[root]!.caches.get(key), sinceStart) : null,
  }
}
