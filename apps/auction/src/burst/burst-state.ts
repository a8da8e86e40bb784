import type { DesignName } from './designs/burst-design.js'

/** How a burst affected this process. */
export interface BurstResult {
  readonly design: DesignName
  readonly users: number
  readonly lots: number
  readonly waves: number
  /** The longest time for which the event loop was blocked. */
  readonly longestBlockMs: number
  /** The slowest response of /livez to another process. */
  readonly worstProbeMs: number
  /** CPU time per wave. */
  readonly cpuMs: number
}

/** State of the bursts, as the page shows it. */
export interface BurstState {
  /** When the state changed, in milliseconds since 1970. */
  readonly at: number
  /** Whether bursts may be started. Set by BURSTS. */
  readonly allowed: boolean
  readonly running: DesignName | null
  /** The last burst of each design. */
  readonly last: { readonly [design in DesignName]?: BurstResult }
}
