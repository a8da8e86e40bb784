import type { ScaleMeasurements, ScalePoint } from '../scale/scale-measurements.ts'

/** What a read and a row cost, as measured. */
export interface Costs {
  /** Microseconds of processor time of a pod for a read. */
  readonly readUs: number
  /** The same of Valkey. */
  readonly serverUs: number
  /** Bytes to and from Valkey for a read. */
  readonly wireBytes: number
  /** Bytes of the memory of Valkey for a row. */
  readonly rowBytes: number
}

/** What an operator decides. */
export interface Choices {
  /** The part of one processor of a pod that reads of the cache may have; its application has the rest. */
  readonly podShare: number
  /** Pods that may be lost, or be restarting. */
  readonly sparePods: number
  /** The part of one processor that Valkey may be busy with reads; it runs commands in one thread. */
  readonly serverShare: number
  /** Gigabytes of memory of a Valkey node. */
  readonly nodeGb: number
  /** By how much more memory than the rows take there has to be: fragmentation, buffers, rows of two deploys side by side. */
  readonly headroom: number
  /** Gigabits a second of a node's network that reads may have. */
  readonly nodeGbit: number
  /** Of each primary. */
  readonly replicas: number
}

export const CHOICES: Choices = {
  podShare: 0.25,
  sparePods: 1,
  serverShare: 0.5,
  nodeGb: 16,
  headroom: 1.5,
  nodeGbit: 5,
  replicas: 1,
}

/** At how many reads a tick a read is taken to cost what it costs. */
export const READS_A_TICK = 100

/** @throws when the axes that they are taken from were not measured */
export function costsOf({ axes }: ScaleMeasurements): Costs {
  const pointsOf = (name: string): readonly ScalePoint[] => {
    const points = axes.find((axis) => axis.name === name)?.points
    if (points) return points
    throw new Error(`The capacity sheet needs the axis "${name}": npm run bench -- scale, without --only.`)
  }
  const read = pointsOf('concurrency').find(({ x }) => x === READS_A_TICK)
  if (!read) throw new Error(`The capacity sheet needs ${READS_A_TICK} reads a tick among those measured.`)
  return {
    readUs: read.cpuUs,
    serverUs: read.serverCpuUs,
    wireBytes: read.wireBytes,
    rowBytes: pointsOf('rows').at(-1)!.memoryPerRow,
  }
}

export interface Load {
  readonly readsPerSecond: number
  readonly rows: number
}

export interface Fleet {
  readonly podCores: number
  readonly pods: number
  readonly serverCores: number
  readonly gbit: number
  readonly memoryGb: number
  /** Primaries that each of these needs by itself. */
  readonly primariesFor: { readonly cpu: number; readonly network: number; readonly memory: number }
  readonly primaries: number
  /** With replicas. */
  readonly nodes: number
}

/** What a load takes: reads that Valkey answers, none from the memory of a pod. */
export function fleetFor({ readsPerSecond, rows }: Load, costs: Costs, choices: Choices): Fleet {
  const podCores = (readsPerSecond * costs.readUs) / 1e6
  const serverCores = (readsPerSecond * costs.serverUs) / 1e6
  const gbit = (readsPerSecond * costs.wireBytes * 8) / 1e9
  const memoryGb = (rows * costs.rowBytes * choices.headroom) / 1e9
  const primariesFor = {
    cpu: Math.ceil(serverCores / choices.serverShare),
    network: Math.ceil(gbit / choices.nodeGbit),
    memory: Math.ceil(memoryGb / choices.nodeGb),
  }
  const primaries = Math.max(1, ...Object.values(primariesFor))
  return {
    podCores,
    pods: Math.ceil(podCores / choices.podShare) + choices.sparePods,
    serverCores,
    gbit,
    memoryGb,
    primariesFor,
    primaries,
    nodes: primaries * (1 + choices.replicas),
  }
}
