/** What one way to do something costs, in medians of the rounds, for one of `of`. */
export interface CostCase {
  readonly group: string
  readonly name: string
  /** Until it is done, with what follows from it; microseconds, as all times here. */
  readonly wallUs: number
  readonly wallSpread: number
  /** Processor time of the client. */
  readonly cpuUs: number
  readonly cpuSpread: number
  /** Processor time of Valkey. */
  readonly serverCpuUs: number
}

/** How many times as much something costs as its counterpart. */
export interface CostRatio {
  readonly what: string
  readonly wall: number
  readonly cpu: number
  readonly serverCpu: number
}

export interface WriteMeasurements {
  readonly server: string
  readonly database: string
  readonly rounds: number
  /** Of a row's text in Valkey. */
  readonly bytesPerRow: number
  readonly cases: readonly CostCase[]
  readonly summary: readonly CostRatio[]
}
