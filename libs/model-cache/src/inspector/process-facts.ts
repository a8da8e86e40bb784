import type { InspectedRoot, RootCache } from '../nest/inspected-root.js'
import { CountsHistory, type CountsNow, type CountsOverTime, countsOverTime } from './counts-history.js'
import { countsKey, growthOf } from './counts.js'
import type { Events } from './events.js'
import { quantilesOf } from './figures.js'
import { version } from './page.generated.js'
import type { Peer } from './peers.js'
import type { EventLoopReport, ProcessCache, ProcessReport } from './report.js'

/** What a process says of itself. Its counts become figures where the counts of all processes are added. */
export interface ProcessFacts extends ProcessReport<CountsOverTime> {
  /** How long it has counted. */
  readonly seconds: number
  readonly recentSeconds: number
}

/** The event loop, as far as the metrics do not have it. */
export interface EventLoopState {
  readonly utilization: number
  readonly value: number
}

/** Describes this process. */
export class OwnFacts {
  readonly #self: Peer
  readonly #roots: readonly InspectedRoot[]
  readonly #pressure: EventLoopState
  readonly #events: Events
  readonly #history: CountsHistory

  constructor(self: Peer, roots: readonly InspectedRoot[], pressure: EventLoopState, events: Events) {
    this.#self = self
    this.#roots = roots
    this.#pressure = pressure
    this.#events = events
    this.#history = new CountsHistory(roots)
  }

  async read(): Promise<ProcessFacts> {
    const counts = await this.#history.look()
    const seconds = process.uptime()
    return {
      ...this.#self,
      version,
      startedAt: new Date(Date.now() - seconds * 1_000).toISOString(),
      seconds,
      recentSeconds: counts.recentSeconds,
      rssBytes: process.memoryUsage.rss(),
      eventLoop: this.#eventLoop(counts),
      stores: this.#roots.map(({ name, store }, i) => ({
        root: name ?? null,
        kind: store.name,
        openCircuits: counts.roots[i]!.openCircuits,
      })),
      storeChanges: this.#events.storeChanges,
      follow: this.#roots.flatMap(({ follow, name }, i) => {
        if (!follow) return []
        const {
          isStandby = false,
          lagBytes = null,
          lagMs = null,
          standbyLagMs = null,
          state = 'nobody' as const,
        } = follow.report ?? {}
        const { follow: counted } = counts.roots[i]!
        return [{ root: name ?? null, state, lagMs, lagBytes, isStandby, standbyLagMs, ...counted }]
      }),
      warnings: this.#roots.flatMap(({ warnings }) => warnings()),
      caches: await this.#caches(counts),
    }
  }

  #eventLoop({ previous, roots }: CountsNow): EventLoopReport {
    // All roots of an application share the event loop, which the unnamed one exports.
    const unnamed = this.#roots.findIndex(({ name }) => name === undefined)
    const now = roots[unnamed]!.eventLoop
    // Since the last look, so that a block shows when it happens.
    const growth = previous && growthOf(previous[unnamed]!.eventLoop, now)
    return {
      lagMs: quantilesOf(growth?.lagSeconds, 1_000),
      utilization: this.#pressure.utilization,
      pressure: this.#pressure.value,
      blocks: this.#events.blocks,
      shed: now.shed ?? {},
    }
  }

  #caches(counts: CountsNow): Promise<ProcessCache<CountsOverTime>[]> {
    return Promise.all(
      this.#roots.flatMap((root, i) =>
        [...root.caches()].map(([name, cache]) =>
          cacheFacts(root, { name, ...cache }, (key) => countsOverTime(counts, i, key)),
        ),
      ),
    )
  }
}

async function cacheFacts(
  { follow, name: root }: InspectedRoot,
  { coverage, inspected, name }: RootCache & { readonly name: string },
  countsOf: (key: string) => CountsOverTime,
): Promise<ProcessCache<CountsOverTime>> {
  const {
    epoch,
    fingerprint,
    fingerprints,
    hot = null,
    l1 = null,
    mayFill,
    mayFillInMs,
    pending,
  } = await inspected.status()
  return {
    name,
    root: root ?? null,
    fingerprint,
    fingerprints,
    epoch,
    mayFill,
    mayFillInMs,
    pendingInvalidations: pending,
    l1,
    hot,
    isFollowed: follow ? follow.isFollowed(inspected.layout) : null,
    coverage: coverage() ?? null,
    figures: countsOf(countsKey(name)),
    lookups: inspected.lookups.map(({ lookup }) => ({
      name: lookup.name,
      hot: lookup.hot ?? null,
      figures: countsOf(countsKey(name, lookup.name)),
    })),
  }
}
