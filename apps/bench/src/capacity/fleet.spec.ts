import type { ScaleMeasurements } from '../scale/scale-measurements.ts'
import { costsOf, fleetFor, type Choices, type Costs } from './fleet.ts'

const costs: Costs = { readUs: 10, serverUs: 2, wireBytes: 2_500, rowBytes: 2_000 }
const choices: Choices = {
  podShare: 0.5,
  sparePods: 1,
  serverShare: 0.5,
  nodeGb: 10,
  headroom: 1.5,
  nodeGbit: 5,
  replicas: 2,
}

describe('the fleet for a load', () => {
  it('is a multiplication, rounded up', () => {
    const fleet = fleetFor({ readsPerSecond: 120_000, rows: 1e6 }, costs, choices)
    expect(fleet.podCores).toBeCloseTo(1.2)
    expect(fleet.pods).toBe(3 + 1)
    expect(fleet.serverCores).toBeCloseTo(0.24)
    expect(fleet.gbit).toBeCloseTo(2.4)
    expect(fleet.memoryGb).toBeCloseTo(3)
    expect(fleet).toMatchObject({ primaries: 1, nodes: 3 })
  })

  it.each([
    [{ readsPerSecond: 1_000_000, rows: 1 }, { cpu: 4, network: 4, memory: 1 }, 4],
    [{ readsPerSecond: 1, rows: 100e6 }, { cpu: 1, network: 1, memory: 30 }, 30],
  ])(
    'has as many primaries as the scarcest of processor, network and memory wants: %j',
    (load, each, primaries) => {
      expect(fleetFor(load, costs, choices)).toMatchObject({ primariesFor: each, primaries })
    },
  )
})

describe('the costs', () => {
  const point = { workload: {}, cpuSpread: 0, bytesPerRow: 1_700 }
  const axis = (name: string, x: number, figures: object) => ({ name, points: [{ ...point, x, ...figures }] })
  const scale = {
    axes: [
      axis('concurrency', 100, { cpuUs: 10, serverCpuUs: 2, wireBytes: 2_500, memoryPerRow: 1 }),
      axis('rows', 1e6, { cpuUs: 7, serverCpuUs: 1, wireBytes: 1, memoryPerRow: 2_000 }),
    ],
  } as unknown as ScaleMeasurements

  it('are those of 100 reads a tick, and of the most rows', () => {
    expect(costsOf(scale)).toEqual(costs)
  })

  it('are missed where they were not measured', () => {
    expect(() => costsOf({ ...scale, axes: scale.axes.slice(0, 1) })).toThrow('needs the axis "rows"')
    expect(() => costsOf({ ...scale, axes: scale.axes.slice(1) })).toThrow('needs the axis "concurrency"')
  })
})
