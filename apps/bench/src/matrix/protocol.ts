/** What one process measures: one strategy in all scenarios. */
export interface MatrixTask {
  readonly strategy: string
  readonly scenarios: readonly string[]
  readonly hitRates: readonly number[]
  readonly effort: Effort
}

export interface Effort {
  /** Processes per strategy, one after another. */
  readonly rounds: number
  /** Processor time of storms that do not count, per scenario and process. */
  readonly warmUpMs: number
  /** Reads per cell and process, in as many storms as that takes, */
  readonly reads: number
  /** but no fewer and no more than so many. */
  readonly minStorms: number
  readonly maxStorms: number
}

/** One storm. */
export interface StormSample {
  readonly loopP99Ms: number
  readonly loopMaxMs: number
  /** By user: from the moment at which all ask until the user has all rows. */
  readonly wallMs: readonly number[]
  readonly parseMs: number
  readonly cpuMs: number
  readonly allocatedMb: number
  readonly memoryHits: number
}

/** The storms of one cell in one process. */
export interface CellSamples {
  readonly scenario: string
  /** What was asked for; undefined without a memory. */
  readonly hitRate?: number
  readonly storms: readonly StormSample[]
  readonly heapMb: number
}
