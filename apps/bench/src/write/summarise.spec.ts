import { summarise } from './summarise.ts'
import type { CostCase } from './write-measurements.ts'

const cost = (group: string, name: string, us: number): CostCase => ({
  group,
  name,
  wallUs: us,
  wallSpread: 0,
  cpuUs: 2 * us,
  cpuSpread: 0,
  serverCpuUs: us * us,
})

describe('summarise', () => {
  it('compares what is consistent with what is less so, in its own group', () => {
    const cases = [
      cost('write with SQL', 'bare', 10),
      cost('write with SQL', 'fenced', 30),
      cost('leases of 64 rows', 'one script', 1),
      cost('leases of 64 rows', '64 × SET NX GET PX', 4),
      cost('fills of 64 rows', 'one script', 1),
    ]
    expect(summarise(cases)).toEqual([
      { what: 'write with SQL: fenced / bare', wall: 3, cpu: 3, serverCpu: 9 },
      {
        what: 'leases of 64 rows: one script / 64 × SET NX GET PX',
        wall: 0.25,
        cpu: 0.25,
        serverCpu: 0.0625,
      },
    ])
  })
})
