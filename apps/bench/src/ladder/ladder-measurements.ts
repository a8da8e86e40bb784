export interface LadderMeasurements {
  /** For example `PostgreSQL 18.4`. */
  readonly database: string
  /** For example `Valkey 9.1.2`. */
  readonly server: string
  readonly reports: number
  readonly lotsPerReport: number
  readonly bids: number
  /** Of an answer, the mean. */
  readonly bytes: number
  readonly connections: number
  /** Of each step, each in a new process. */
  readonly rounds: number
  /** Under the load of all connections, in each round. */
  readonly seconds: number
  /** At the steady rate. */
  readonly steadyPerSecond: number
  readonly steps: readonly StepResult[]
}

/** Medians of the rounds, but for the longest of anything, which is the longest of all rounds. */
export interface StepResult extends StepFigures {
  readonly name: string
  readonly change: string
  /** Of the requests per second: half the distance between the quartiles, as a part of the median. */
  readonly spread: number
}

export interface StepFigures {
  /** With every connection asking again as soon as it is answered. */
  readonly requestsPerSecond: number
  /** Latencies in milliseconds, from when a request was sent. */
  readonly averageMs: number
  readonly p99Ms: number
  readonly longestGcMs: number
  /** The part of all processors' time that nobody used, from 0 to 1. */
  readonly cpuIdle: number
  /** The part of its time for which the server's event loop waited, from 0 to 1. */
  readonly loopIdle: number
  readonly loopMaxMs: number
  /** Processor time of the server's process per request. */
  readonly cpuMsPerRequest: number
  /** Latencies at the steady rate, from when a request was due. */
  readonly steadyP50Ms: number
  readonly steadyP99Ms: number
  readonly steadyCpuIdle: number
}
