import type { InspectedRoot, RootCache } from 'model-cache/internal'
import { CountsHistory, type CountsNow, type CountsOverTime, countsOverTime } from './counts-history.js'
import { type Counts, countsKey, growthOf } from './counts.js'
import type { Events } from './events.js'
import { quantilesOf } from './figures.js'
import { type HotIdsIn, type HotStatus, hotStatusOf } from './hot-status.js'
import { version } from './page.generated.js'
import type { Peer } from './peers.js'
import type { LongWindow } from './kept-counts.js'
import { textOfAny } from './recent-ids.js'
import type { BlockTotal, EventLoopReport, ProcessCache, ProcessReport } from './report.js'

/** What a process says of itself. Its counts become figures where the counts of all processes are added. */
export interface ProcessFacts extends ProcessReport<CountsOverTime> {
  /** How long each of its counts is about. */
  readonly seconds: Readonly<Record<LongWindow | 'sinceStart' | 'recent', number>>
  /** What it has listed in the catalogue of each root: its caches, and what keeps results of queries. */
  readonly listed: readonly { readonly root: string | null; readonly names: readonly string[] }[]
}

/** The event loop, as far as the metrics do not have it. */
export interface EventLoopState {
  readonly utilization: number
  readonly value: number
}

/** Holders whose blocks are reported, at most. */
export const maxHolders = 20

/** Describes this process. */
export class OwnFacts {
  readonly #self: Peer
  readonly #roots: readonly InspectedRoot[]
  readonly #pressure: EventLoopState
  readonly #events: Events
  readonly #environment: string | null
  readonly #history: CountsHistory

  constructor(
    self: Peer,
    roots: readonly InspectedRoot[],
    pressure: EventLoopState,
    events: Events,
    environment: string | null,
  ) {
    this.#self = self
    this.#environment = environment
    this.#roots = roots
    this.#pressure = pressure
    this.#events = events
    this.#history = new CountsHistory(roots)
  }

  /** Begins to count by the time. Does not keep the process alive. */
  start(): void {
    this.#history.start()
  }

  stop(): void {
    this.#history.stop()
  }

  async read(): Promise<ProcessFacts> {
    const counts = await this.#history.look()
    const sinceStart = process.uptime()
    const { last5Minutes, lastHour } = counts.growth
    return {
      ...this.#self,
      version,
      environment: this.#environment,
      startedAt: new Date(Date.now() - sinceStart * 1_000).toISOString(),
      seconds: {
        sinceStart,
        lastHour: lastHour.seconds,
        last5Minutes: last5Minutes.seconds,
        recent: counts.recentSeconds,
      },
      rssBytes: process.memoryUsage.rss(),
      eventLoop: this.#eventLoop(counts),
      stores: this.#roots.map(({ database, mode, name, namespace, store }, i) => ({
        root: name ?? null,
        kind: store.name,
        namespace,
        address: store.address?.() ?? null,
        database: database() ?? null,
        mode,
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
      listed: this.#roots.map(({ catalogue, name }) => ({ root: name ?? null, names: catalogue.own })),
    }
  }

  #eventLoop({ growth, previous, roots }: CountsNow): EventLoopReport {
    // All roots of an application share the event loop, which the unnamed one exports.
    const unnamed = this.#roots.findIndex(({ name }) => name === undefined)
    const now = roots[unnamed]!.eventLoop
    // Since the last look, so that a block shows when it happens.
    const recent = previous && growthOf(previous[unnamed]!.eventLoop, now)
    const totalsOf = (window: LongWindow) => blockTotalsOf(growth[window].ofEventLoop(unnamed, now))
    return {
      lagMs: quantilesOf(recent?.lagSeconds, 1_000),
      utilization: this.#pressure.utilization,
      pressure: this.#pressure.value,
      blocks: this.#events.blocks,
      blockTotals: { lastHour: totalsOf('lastHour'), last5Minutes: totalsOf('last5Minutes') },
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

function blockTotalsOf({ blocks = {}, blockSeconds = {} }: Counts): readonly BlockTotal[] {
  return Object.entries(blocks)
    .filter(([, count]) => count > 0)
    .map(([holder, count]) => ({ holder, blocks: count, ms: (blockSeconds[holder] ?? 0) * 1_000 }))
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, maxHolders)
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
    l1 = null,
    mayFill,
    mayFillInMs,
    pending,
    unproven = null,
  } = await inspected.status()
  const hotOf = (l1: HotIdsIn | undefined): HotStatus | null =>
    hotStatusOf(l1, (rowId) => textOfAny(inspected, rowId)) ?? null
  return {
    name,
    root: root ?? null,
    fingerprint,
    fingerprints,
    epoch,
    mayFill,
    mayFillInMs,
    pendingInvalidations: pending,
    unproven,
    l1,
    hot: hotOf(inspected.l1),
    isFollowed: follow ? follow.isFollowed(inspected.layout) : null,
    coverage: coverage() ?? null,
    figures: countsOf(countsKey(name)),
    lookups: inspected.lookups.all.map(({ bound, l1 }) => ({
      name: bound.name,
      hot: hotOf(l1),
      figures: countsOf(countsKey(name, bound.name)),
    })),
  }
}
