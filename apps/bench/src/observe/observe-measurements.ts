export interface ObserveMeasurements {
  /** For example `Valkey 9.1.2`. */
  readonly server: string
  /** Lots of a page, each with another lot as a field of its own. */
  readonly lots: number
  /** Of processes, each pair started anew. */
  readonly pairs: number
  /** Of each pair. */
  readonly rounds: number
  readonly requestsPerRound: number
  /** Milliseconds of processor time per request: the medians of the pairs, of which each has the lower quartile of its rounds. */
  readonly cases: readonly ObserveCase[]
  readonly summary: {
    /** Of the observed server over the bare one: the median of the pairs. */
    readonly overheadPercent: number
    /** The same in microseconds of processor time per request. */
    readonly overheadMicroseconds: number
    /** Half the distance between the quartiles of the pairs, in percent. */
    readonly spreadPercent: number
  }
}

export interface ObserveCase {
  readonly name: ServedAs
  readonly cpuMs: number
  readonly wallMs: number
}

/** With interceptor and metrics, or with none of them. */
export type ServedAs = 'observed' | 'bare'
