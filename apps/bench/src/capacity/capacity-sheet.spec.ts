import { capacitySheet, type ScaleResult } from './capacity-sheet.ts'

const point = { workload: {}, cpuSpread: 0, bytesPerRow: 1_700 }
const axis = (name: string, x: number, figures: object) => ({ name, points: [{ ...point, x, ...figures }] })
const scale = {
  server: 'Valkey 9',
  node: 'v26.0.0',
  cpu: 'some processor × 2',
  date: '2026-11-21T12:00:00.000Z',
  axes: [
    axis('concurrency', 100, { cpuUs: 12, serverCpuUs: 2, wireBytes: 1_750, memoryPerRow: 1 }),
    axis('rows', 1e6, { cpuUs: 7, serverCpuUs: 1, wireBytes: 1, memoryPerRow: 1_800 }),
  ],
} as unknown as ScaleResult

describe('the capacity sheet', () => {
  const sheet = capacitySheet(scale)

  it('says how to get what it is made of', () => {
    expect(capacitySheet(undefined)).toContain('`npm run bench -- scale`')
  })

  it('names what was measured, where and when', () => {
    expect(sheet).toContain('Node v26.0.0, Valkey 9, some processor × 2, 2026-11-21.')
    expect(sheet).toContain('| `read_us` | 12.0 µs |')
    expect(sheet).toContain(
      '| `row_bytes` | 1,800 B | of memory of Valkey for a row, with its key, among 1,000,000 rows |',
    )
  })

  it('shows each line of arithmetic with its numbers', () => {
    expect(sheet).toContain('100,000 × 12.0 ÷ 1,000,000 = 1.2 processors; ÷ 0.25 + 1 → 6 pods')
    expect(sheet).toContain('100,000 × 2.0 ÷ 1,000,000 = 0.2 processors; ÷ 0.5 → 1')
    expect(sheet).toContain('1,000,000 × 1,750 × 8 ÷ 1,000,000,000 = 14 Gbit/s; ÷ 5 → 3')
    expect(sheet).toContain('100,000,000 × 1,800 × 1.5 ÷ 1,000,000,000 = 270 GB; ÷ 16 → 17')
  })

  it('ends with the fleets, and what decides their size', () => {
    expect(sheet).toContain('| 10,000 | 1,000,000 | 2 | 1 | 2 | 2.7 GB | 0.14 Gbit/s | one is enough |')
    expect(sheet).toContain('| 1,000,000 | 1,000,000 | 49 | 4 | 8 | 2.7 GB | 14 Gbit/s | processor |')
    expect(sheet).toContain('| 1,000,000 | 100,000,000 | 49 | 17 | 34 | 270 GB | 14 Gbit/s | memory |')
  })
})
