import type { DesignName } from './designs/storm-design.js'
import type { STORM } from './storm-request.js'

/** What a storm did to this process. */
export interface StormResult {
  readonly design: DesignName
  readonly users: number
  readonly lots: number
  readonly waves: number
  /** For how long the event loop did not come round, at worst. */
  readonly longestBlockMs: number
  /** How long /livez took to answer another process, at worst. */
  readonly worstProbeMs: number
  /** Processor time of a wave. */
  readonly cpuMs: number
}

/** What the page shows of storms. */
export interface StormState {
  /** Since when it is so, in milliseconds since 1970. */
  readonly at: number
  /** Whether storms may be started: see STORMS. */
  readonly allowed: boolean
  readonly size: typeof STORM
  readonly running: DesignName | null
  /** The last storm of each design. */
  readonly last: { readonly [design in DesignName]?: StormResult }
}
