export interface ObserveMeasurements {
  /** For example `Valkey 9.1.2`. */
  readonly server: string
  /** Lots of a page, each with another lot as a field of its own. */
  readonly lots: number
  readonly processes: number
  /** Of each process and request. */
  readonly rounds: number
  readonly requestsPerRound: number
  readonly requests: readonly RequestMeasurements[]
  /**
   * Milliseconds of processor time per second that an application takes for being observed while nobody asks: sampler, watch and what
   * Node does for them.
   */
  readonly standingMsPerSecond: number
  /** Of the whole page. */
  readonly summary: Overhead
}

/** What observing adds to the processor time of a request. */
export interface Overhead {
  /** The median of the processes. */
  readonly overheadPercent: number
  /** The same in microseconds. */
  readonly overheadMicroseconds: number
  /** Half the distance between the quartiles of the processes, in percent of the request. */
  readonly spreadPercent: number
}

export interface RequestMeasurements extends Overhead {
  readonly name: string
  /** The medians of the processes, of which each has the medians of its rounds. */
  readonly cases: readonly ObserveCase[]
}

/** Milliseconds per request. */
export interface ObserveCase {
  readonly name: ServedAs
  readonly cpuMs: number
  readonly wallMs: number
}

/** With interceptor and metrics, or with none of them. */
export type ServedAs = 'observed' | 'bare'
