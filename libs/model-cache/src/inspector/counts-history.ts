import type { InspectedRoot } from '../nest/inspected-root.js'
import { type Counts, growthOf, readCounts, type RootCounts } from './counts.js'

/** Counts since the start of the process, and since somebody looked a moment ago. */
export interface CountsOverTime {
  readonly sinceStart: Counts
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
}

/** How long ago a look may be that recent counts begin at. */
const windowMs = 6_000
/** Looks within this time are one. */
const sameMs = 400

/** Reads the counts of roots whenever somebody looks, and remembers them for a moment: nobody looking costs nothing. */
export class CountsHistory {
  readonly #roots: readonly InspectedRoot[]
  /** Those that are recent as of the last one, the earliest first. */
  #looks: readonly Look[] = []
  #reading: Promise<void> | undefined

  constructor(roots: readonly InspectedRoot[]) {
    this.#roots = roots
  }

  async look(): Promise<CountsNow> {
    const last = this.#looks.at(-1)
    if (!last || performance.now() - last.atMs >= sameMs) await (this.#reading ??= this.#read())
    const now = this.#looks.at(-1)!
    const recent = this.#looks.slice(0, -1)
    const [before] = recent
    return {
      recentSeconds: before ? (now.atMs - before.atMs) / 1_000 : 0,
      roots: now.roots,
      before: before?.roots,
      previous: recent.at(-1)?.roots,
    }
  }

  async #read(): Promise<void> {
    try {
      const atMs = performance.now()
      const roots = await Promise.all(
        this.#roots.map(({ metrics: { prefix, registry }, name }) =>
          readCounts(registry, { prefix, root: name }),
        ),
      )
      this.#looks = [...this.#looks.filter((look) => atMs - look.atMs <= windowMs), { atMs, roots }]
    } finally {
      this.#reading = undefined
    }
  }
}

/** The counts of a cache or lookup over time; see {@link countsKey}. */
export function countsOverTime({ before, roots }: CountsNow, root: number, key: string): CountsOverTime {
  const sinceStart = roots[root]!.caches.get(key) ?? {}
  return { sinceStart, recent: before ? growthOf(before[root]!.caches.get(key), sinceStart) : null }
}
