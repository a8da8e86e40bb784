/** What is read, and how. Each axis varies one of these dimensions. */
export interface Workload {
  /** Cached rows of all models together. */
  readonly rows: number
  readonly models: number
  /** Reads of one tick, each of another row. */
  readonly concurrency: number
  /** Bids of a row, each of about 0.1 kB; without them a row is a lot of 2 kB. */
  readonly bids?: number
  /** Primaries of a cluster; one stand-alone server when left out. */
  readonly nodes?: number
}

export const axes = [
  {
    name: 'rows',
    title: 'Rows cached',
    unit: 'rows of 2 kB in Valkey',
    full: [1_000, 10_000, 100_000, 1_000_000],
    quick: [1_000, 3_000, 10_000],
  },
  {
    name: 'models',
    title: 'Models',
    unit: 'models, which share the reads of a tick',
    full: [1, 3, 10, 30, 100],
    quick: [1, 3, 10],
  },
  {
    name: 'concurrency',
    title: 'Reads a tick',
    unit: 'reads a tick, each of another row',
    full: [1, 10, 100, 1_000, 10_000],
    quick: [1, 10, 100],
  },
  {
    name: 'payload',
    title: 'Payload',
    unit: 'bytes of a stored row',
    full: [1, 10, 100, 1_000],
    quick: [1, 10, 100],
  },
  {
    name: 'nodes',
    title: 'Cluster nodes',
    unit: 'primaries of a cluster',
    full: [1, 3, 5],
    quick: [1, 2, 3],
  },
] as const

export type Axis = (typeof axes)[number]

export const workloadAt = (axis: Axis['name'], value: number): Workload =>
  axis === 'payload'
    ? { rows: 500, models: 1, concurrency: 100, bids: value }
    : { rows: 10_000, models: 1, concurrency: 1_000, [axis]: value }
