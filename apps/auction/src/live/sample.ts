import type { Figures, FollowReport, ProcessReport } from '@model-cache/inspector'

type Answered = Figures['answered']

/** What the charts show of a moment. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Event-loop lag in milliseconds since the last sample. */
  readonly lag: ProcessReport['eventLoop']['lagMs']
  /** Share of the reads of rows that each layer answered. `null` if there were no reads in the last seconds. */
  readonly answered: Answered | null
  /** The same for the entries of each lookup, by names such as `Lot.open`. */
  readonly lookups: Readonly<Record<string, Answered | null>>
  /** Milliseconds per second spent on decoding, by model. */
  readonly decoding: Readonly<Record<string, number>>
  /** `null` if the process does not follow the database. */
  readonly follow: FollowReport | null
}

/** Returns what the charts show of a report of the inspector. */
export function sampleOf({ caches, eventLoop, follow }: ProcessReport): Sample {
  const recent = caches.flatMap(({ figures, name }) =>
    figures.recent ? [{ name, figures: figures.recent }] : [],
  )
  const lookups = caches.flatMap(({ lookups, name }) =>
    lookups.map(
      ({ figures, name: lookup }) =>
        [`${name}.${lookup}`, sharesOf(figures.recent ? [figures.recent.answered] : [])] as const,
    ),
  )
  return {
    at: Date.now(),
    lag: eventLoop.lagMs,
    answered: sharesOf(recent.map(({ figures }) => figures.answered)),
    lookups: Object.fromEntries(lookups),
    decoding: Object.fromEntries(
      recent
        .filter(({ figures }) => figures.decodeMs > 0)
        .map(({ figures: { decodeMs, seconds }, name }) => [name, decodeMs / seconds]),
    ),
    follow: follow[0] ?? null,
  }
}

/** The share of all reads that each layer answered; null without reads. */
export function sharesOf(all: readonly Answered[]): Answered | null {
  const sum = (layer: keyof Answered) => all.reduce((total, answered) => total + answered[layer], 0)
  const reads = sum('tick') + sum('l1') + sum('store') + sum('source')
  if (reads === 0) return null
  const share = (layer: keyof Answered) => sum(layer) / reads
  return { tick: share('tick'), l1: share('l1'), store: share('store'), source: share('source') }
}
