/** What one way to read costs, in medians of the rounds. */
export interface ClusterCase {
  readonly name: string
  /** Of what a cache asks its store for; none for commands of single keys. */
  readonly buckets?: number
  /** Processor time of the client for one storm, and half the distance of its quartiles as a part of it. */
  readonly cpuMs: number
  readonly cpuSpread: number
  /** Until the last row is there. */
  readonly wallMs: number
  /** Processor time of all nodes together for one storm. */
  readonly serverCpuMs: number
  readonly commands: number
  /** The rows of the fullest node, as a part of all rows of a model: the mean and the worst of several models. */
  readonly fullest?: { readonly mean: number; readonly worst: number }
}

export interface ClusterMeasurements {
  readonly server: string
  readonly nodes: number
  readonly rows: number
  readonly models: number
  readonly rounds: number
  readonly cases: readonly ClusterCase[]
}
