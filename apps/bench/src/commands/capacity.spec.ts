import { costsOf, fleetFor } from './capacity.ts'

const costs = { readUs: 10, serverUs: 2, wireBytes: 2_500, rowBytes: 2_000 }

describe('the fleet for a load', () => {
  it('is a multiplication, rounded up', () => {
    expect(fleetFor({ reads: 120_000, rows: 1e6 }, costs)).toMatchObject({
      pods: 5 + 1,
      primaries: 1,
      nodes: 2,
      memoryGb: 3,
      gbit: 2.4,
      decidedBy: 'one is enough',
    })
  })

  it.each([
    [{ reads: 1_000_000, rows: 1 }, 4, 'processor, network'],
    [{ reads: 1, rows: 100e6 }, 19, 'memory'],
  ])('has as many primaries as the scarcest resource needs: %j', (load, primaries, decidedBy) => {
    expect(fleetFor(load, costs)).toMatchObject({ primaries, decidedBy })
  })
})

describe('the costs', () => {
  const point = (x: number, figures: object) => ({ x, ...figures })
  const axes = [
    { name: 'concurrency', points: [point(100, { cpuUs: 10, serverCpuUs: 2, wireBytes: 2_500 })] },
    { name: 'rows', points: [point(1e6, { memoryPerRow: 2_000 })] },
  ] as never[]

  it('are those of 100 reads a tick, and of the most rows', () => {
    expect(costsOf({ axes })).toEqual(costs)
    expect(() => costsOf({ axes: axes.slice(0, 1) })).toThrow('needs the axis "rows"')
  })
})
