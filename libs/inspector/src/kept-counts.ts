import type { CountGroup, Counts, RootCounts } from './counts.js'

/** How often counts are kept. */
export const keptEveryMs = 30_000

/** The times before now that figures are about, and how long they are. */
export const longWindows = { lastHour: 60 * 60_000, last5Minutes: 5 * 60_000 } as const
export type LongWindow = keyof typeof longWindows

/** Older ones than those of the last five minutes are kept once in this time. */
const sparseMs = 5 * 60_000
const maxAgeMs = longWindows.lastHour + sparseMs + 2 * keptEveryMs

/** The counts of a time, each at its place. Counts that began later have none, and were 0. */
interface Kept {
  readonly atMs: number
  readonly values: Float64Array
}

/** What has been counted since a time. */
export interface Growth {
  readonly seconds: number
  /** Returns the counts of a cache or a lookup, see {@link countsKey}, without groups in which nothing was counted. */
  ofCache(root: number, key: string, counts: Counts): Counts
  ofEventLoop(root: number, counts: Counts): Counts
}

/**
 * Keeps the counts of the last hour, one number each and some 25 times: 2.3 MB for 200 caches and lookups. Counters begin at 0 with the
 * process, so that of a young one all is counted.
 */
export class KeptCounts {
  readonly #places = new Map<string, Map<CountGroup, Map<string, number>>>()
  #size = 0
  /** The oldest first. */
  #kept: readonly Kept[] = []

  get length(): number {
    return this.#kept.length
  }

  add(atMs: number, roots: readonly RootCounts[]): void {
    const values: number[] = []
    for (const [key, counts] of partsOf(roots)) {
      for (const [group, named] of Object.entries(counts) as [CountGroup, Record<string, number>][]) {
        for (const [name, count] of Object.entries(named)) values[this.#placeOf(key, group, name)] = count
      }
    }
    this.#kept = [
      ...thinned(this.#kept, atMs),
      { atMs, values: Float64Array.from(values, (value) => value ?? 0) },
    ]
  }

  /**
   * What was counted in a time before now.
   *
   * @param upMs since when the process counts
   */
  since(windowMs: number, nowMs: number, upMs: number): Growth {
    const before = this.#kept.findLast(({ atMs }) => nowMs - atMs >= windowMs)
    const growthOf = (key: string, counts: Counts): Counts => this.#growthOf(before, key, counts)
    return {
      seconds: (before ? nowMs - before.atMs : upMs) / 1_000,
      ofCache: (root, key, counts) => growthOf(cacheKey(root, key), counts),
      ofEventLoop: (root, counts) => growthOf(eventLoopKey(root), counts),
    }
  }

  #growthOf(before: Kept | undefined, key: string, counts: Counts): Counts {
    const places = this.#places.get(key)
    const growth: Partial<Record<CountGroup, Record<string, number>>> = {}
    for (const [group, named] of Object.entries(counts) as [CountGroup, Record<string, number>][]) {
      const ofGroup = places?.get(group)
      const grown: Record<string, number> = {}
      let isGrown = false
      for (const [name, count] of Object.entries(named)) {
        const place = ofGroup?.get(name)
        const change = count - ((place !== undefined && before?.values[place]) || 0)
        grown[name] = change
        isGrown ||= change !== 0
      }
      if (isGrown) growth[group] = grown
    }
    return growth
  }

  #placeOf(key: string, group: CountGroup, name: string): number {
    const groups = entryOf(this.#places, key, () => new Map<CountGroup, Map<string, number>>())
    const names = entryOf(groups, group, () => new Map<string, number>())
    return entryOf(names, name, () => this.#size++)
  }
}

/** All of the last five minutes, and before that the first of each five. */
function thinned(kept: readonly Kept[], nowMs: number): readonly Kept[] {
  const seen = new Set<number>()
  return kept.filter(({ atMs }) => {
    const ageMs = nowMs - atMs
    if (ageMs > maxAgeMs) return false
    if (ageMs <= longWindows.last5Minutes + keptEveryMs) return true
    const slot = Math.floor(atMs / sparseMs)
    return !seen.has(slot) && seen.add(slot)
  })
}

function* partsOf(roots: readonly RootCounts[]): Iterable<[key: string, counts: Counts]> {
  for (const [i, { caches, eventLoop }] of roots.entries()) {
    for (const [key, counts] of caches) yield [cacheKey(i, key), counts]
    yield [eventLoopKey(i), eventLoop]
  }
}

const cacheKey = (root: number, key: string): string => `${root} ${key}`
const eventLoopKey = (root: number): string => String(root)

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = create()))
  return value
}
