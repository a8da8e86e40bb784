/** Whether all users ask for the same lots, or each for lots of their own. */
export type Workload = 'same' | 'distinct'
/** What the store holds of the lots that are asked for: all, none, or every second one. */
export type State = 'hit' | 'miss' | 'half'

export const WORKLOADS: readonly Workload[] = ['same', 'distinct']
export const STATES: readonly State[] = ['hit', 'miss', 'half']

/** What one case did in one kind of storm: the medians of all storms of its rounds. */
export interface CaseResult {
  readonly name: string
  readonly workload: Workload
  readonly state: State
  /** Processor time of the serving process, all of its threads, until all callers have rows and all misses are stored. */
  readonly cpuMs: number
  /** Half the distance of the quartiles of `cpuMs`, as a part of the median. */
  readonly cpuSpread: number
  /** Until the last caller has its row. */
  readonly wallMs: number
  /** The longest time for which the event loop did not come round. */
  readonly loopMaxMs: number
  /** How long work would have had to wait for the event loop, by millisecond of its arrival: the 99th percentile. */
  readonly loopP99Ms: number
  /** Latencies of the probes that were due in the 250 ms from the storm's beginning on, or longer, until it was over. */
  readonly livenessP99Ms: number
  readonly livenessMaxMs: number
  /** The same while nothing was asked for. */
  readonly idleLivenessP99Ms: number
  readonly idleLivenessMaxMs: number
  /** What the serving process holds at the end of the round, of all kinds of storm, the lots of the source included. */
  readonly heapMb: number
  /** Commands that the server has run. */
  readonly storeCommands: number
  /** What the source was asked: queries, rows, and how many queries at a time. */
  readonly sourceQueries: number
  readonly sourceRows: number
  readonly maxConcurrentQueries: number
  /** Users who ask for the same lot are given one object between them. */
  readonly sharesRows: boolean
}

/** Ratios of `hit` storms; one of which a side was not measured is left out. */
export interface Summary {
  /** How many times as much processor time `v1` takes as `model-cache`; the next two accordingly. */
  readonly distinctCpuVsV1?: number
  readonly distinctCpuVsV2?: number
  readonly sameCpuVsV1?: number
  /** The other way round: how many times as much `model-cache` takes as `raw`, the floor. */
  readonly distinctCpuVsRaw?: number
  /** The same of `rows-floor`, which hands out rows that it need not decode. */
  readonly distinctCpuVsFloor?: number
  /** How many times as long the longest block of `v1` is as that of `model-cache`. */
  readonly distinctLoopMaxVsV1?: number
  /** How many times as much the best of the peers takes as `model-cache`, in the workload that suits the peers better. */
  readonly bestPeerCpuVsUs?: number
  /** Which peer that is, by workload. */
  readonly bestPeers?: Readonly<Partial<Record<Workload, PeerRatio>>>
}

export interface PeerRatio {
  readonly name: string
  readonly cpuVsUs: number
  readonly sharesRows: boolean
}

export interface StormMeasurements {
  /** For example `Valkey 9.1.2`. */
  readonly server: string
  readonly users: number
  readonly lotsPerUser: number
  /** Mean length of a lot as JSON. */
  readonly bytesPerLot: number
  readonly rounds: number
  /** Of each kind in a round. */
  readonly stormsPerRound: number
  /** Of the processes that serve. */
  readonly nodeOptions: readonly string[]
  readonly cases: readonly CaseResult[]
  readonly summary: Summary
  /** What to know of a case before comparing it, by its name. */
  readonly notes: Readonly<Record<string, string>>
}
