import type { ChartSample } from '@model-cache/inspector'
import type { BurstState } from '../burst/burst-state.js'
import type { DesignName } from '../burst/designs/burst-design.js'
import type { Probe } from '../liveness/probe.js'
import { sharesOf } from './sample.js'
import type { Sample } from './sample.js'

/** What the charts of the page show of the time before it was opened. */
export interface History {
  readonly samples: readonly Pick<Sample, 'at' | 'lag' | 'answered' | 'decoding'>[]
  readonly probes: readonly Probe[]
  readonly bursts: readonly BurstPeriod[]
}

/** Times are milliseconds since 1970. */
export interface BurstPeriod {
  readonly design: DesignName
  readonly from: number
  readonly to: number
}

/** As long as the chart of probes. */
const PROBES_MS = 15_000
/** As long as the other charts. */
const BURSTS_MS = 60_000

/** Remembers what happened while somebody watched, so that a page that is loaded again shows it. */
export class LiveHistory {
  #probes: readonly Probe[] = []
  #bursts: readonly BurstPeriod[] = []
  #running: { readonly design: DesignName; readonly from: number } | undefined

  addProbes(probes: readonly Probe[]): void {
    this.#probes = recent([...this.#probes, ...probes], ({ dueAt }) => dueAt, PROBES_MS)
  }

  addBurst({ at, running }: BurstState): void {
    if (this.#running && running === null) {
      this.#bursts = recent([...this.#bursts, { ...this.#running, to: at }], ({ to }) => to, BURSTS_MS)
    }
    if (running === null) this.#running = undefined
    else this.#running ??= { design: running, from: at }
  }

  /** @param samples of the inspector, which takes them whether or not somebody watches */
  read(samples: readonly ChartSample[]): History {
    const now = Date.now()
    return {
      samples: samples.map(({ agoMs, answered, decodeMs, lagMs, seconds }) => ({
        at: now - agoMs,
        lag: lagMs,
        answered: sharesOf([answered]),
        decoding: Object.fromEntries(Object.entries(decodeMs).map(([name, ms]) => [name, ms / seconds])),
      })),
      probes: recent(this.#probes, ({ dueAt }) => dueAt, PROBES_MS),
      bursts: recent(this.#bursts, ({ to }) => to, BURSTS_MS),
    }
  }
}

function recent<Event>(
  events: readonly Event[],
  timeOf: (event: Event) => number,
  ms: number,
): readonly Event[] {
  const oldest = Date.now() - ms
  return events.filter((event) => timeOf(event) >= oldest)
}
