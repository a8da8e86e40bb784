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

const BASE: Workload = { rows: 10_000, models: 1, concurrency: 1_000 }

export interface Axis {
  readonly name: 'rows' | 'models' | 'concurrency' | 'payload' | 'nodes'
  readonly title: string
  /** Unit of x. */
  readonly unit: string
  readonly full: readonly Workload[]
  readonly quick: readonly Workload[]
}

const axis = (
  name: Axis['name'],
  title: string,
  unit: string,
  full: readonly number[],
  quick: readonly number[],
  vary: (value: number) => Partial<Workload> = (value) => ({ [name]: value }),
): Axis => {
  const along = (values: readonly number[]) => values.map((value): Workload => ({ ...BASE, ...vary(value) }))
  return { name, title, unit, full: along(full), quick: along(quick) }
}

export const axes: readonly Axis[] = [
  axis(
    'rows',
    'Rows cached',
    'rows of 2 kB in Valkey',
    [1_000, 10_000, 100_000, 1_000_000],
    [1_000, 3_000, 10_000],
  ),
  axis('models', 'Models', 'models, which share the reads of a tick', [1, 3, 10, 30, 100], [1, 3, 10]),
  axis(
    'concurrency',
    'Reads a tick',
    'reads a tick, each of another row',
    [1, 10, 100, 1_000, 10_000],
    [1, 10, 100],
  ),
  axis('payload', 'Payload', 'bytes of a stored row', [1, 10, 100, 1_000], [1, 10, 100], (bids) => ({
    bids,
    rows: 500,
    concurrency: 100,
  })),
  axis('nodes', 'Cluster nodes', 'primaries of a cluster', [1, 3, 5], [1, 2, 3]),
]
