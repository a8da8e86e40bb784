export interface SpecialiseMeasurements {
  /** That one request reads. */
  readonly rows: number
  readonly connections: number
  /** Of each decision, each with two new processes. */
  readonly rounds: number
  /** Each variant has two legs in a round, in the order A B B A. */
  readonly secondsPerLeg: number
  /** The same server twice. */
  readonly control: DecisionResult
  readonly decisions: readonly DecisionResult[]
}

export interface DecisionResult {
  readonly name: string
  readonly about: string
  readonly variants: readonly [VariantResult, VariantResult]
  /** By how much the first serves more requests than the second. */
  readonly gain: Gain
  /** By how much less processor time the first takes for a request. */
  readonly cpuGain: Gain
}

export interface VariantResult {
  readonly name: string
  readonly requestsPerSecond: number
  /** Microseconds of processor time of the server's process. */
  readonly cpuUsPerRequest: number
  /** Nanoseconds of one call of what is decided, without any server. */
  readonly aloneNs?: number
}

/** Parts of the second variant's figure, over the rounds: 0.02 is 2 %. */
export interface Gain {
  readonly median: number
  readonly min: number
  readonly max: number
}
