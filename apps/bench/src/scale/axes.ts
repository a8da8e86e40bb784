import { BASE, type Workload } from './workload.ts'

export type AxisName = 'rows' | 'models' | 'concurrency' | 'payload' | 'nodes'

export interface Axis {
  readonly name: AxisName
  readonly title: string
  /** What x counts. */
  readonly unit: string
  readonly workloads: readonly Workload[]
  /** Those of a quick run. */
  readonly quick: readonly Workload[]
}

const along = (values: readonly number[], workload: (value: number) => Partial<Workload>): Workload[] =>
  values.map((value) => ({ ...BASE, ...workload(value) }))

const rows = (values: readonly number[]) => along(values, (rows) => ({ rows }))
const models = (values: readonly number[]) => along(values, (models) => ({ models }))
const concurrency = (values: readonly number[]) => along(values, (concurrency) => ({ concurrency }))
const payload = (values: readonly number[]) =>
  along(values, (bids) => ({ bids, rows: 500, concurrency: 100 }))
const nodes = (values: readonly number[]) => along(values, (nodes) => ({ nodes }))

export const axes: readonly Axis[] = [
  {
    name: 'rows',
    title: 'Rows cached',
    unit: 'rows of 2 kB in Valkey',
    workloads: rows([1_000, 10_000, 100_000, 1_000_000]),
    quick: rows([1_000, 3_000, 10_000]),
  },
  {
    name: 'models',
    title: 'Models',
    unit: 'models, which share the reads of a tick',
    workloads: models([1, 3, 10, 30, 100]),
    quick: models([1, 3, 10]),
  },
  {
    name: 'concurrency',
    title: 'Reads a tick',
    unit: 'reads a tick, each of another row',
    workloads: concurrency([1, 10, 100, 1_000, 10_000]),
    quick: concurrency([1, 10, 100]),
  },
  {
    name: 'payload',
    title: 'Payload',
    unit: 'bytes of a stored row',
    workloads: payload([1, 10, 100, 1_000]),
    quick: payload([1, 10, 100]),
  },
  {
    name: 'nodes',
    title: 'Cluster nodes',
    unit: 'primaries of a cluster',
    workloads: nodes([1, 3, 5]),
    quick: nodes([1, 2, 3]),
  },
]
