import type { Chaos } from '../../../../test/torture/chaos/measure.ts'
import { pageTable, staleReads } from './readme-figures.ts'

describe('the table of the page', () => {
  const variants = ['floor', 'Prisma', 'model-cache reads', 'model-cache L1'].map((name, at) => ({
    name,
    queries: at,
    commands: 0,
    belowP50Ms: 10 / (at + 1),
    cpuMs: at,
  })) as never[]

  it('has three of its variants, by what their resolvers do', () => {
    expect(pageTable({ variants }).split('\n')).toEqual([
      '| resolvers | SQL statements | Valkey commands | median | CPU |',
      '| --- | --: | --: | --: | --: |',
      '| Prisma alone | 1 | 0 | 5.0 ms | 1.0 ms |',
      "| unchanged, reads: 'all', L1, two lists | 2 | 0 | 3.3 ms | 2.0 ms |",
      '| injected caches, L1 | 3 | 0 | 2.5 ms | 3.0 ms |',
    ])
  })

  it('needs all three', () => {
    expect(() => pageTable({ variants: variants.slice(0, 3) })).toThrow('needs the variant "model-cache L1"')
  })
})

it('the sentence on stale reads sums up the phases, and those in which writes are refused', () => {
  const phase = { reads: 1_000, staleReads: 0 }
  const available = { reads: 500, staleReads: 1 }
  const text = staleReads({ ...phase, restarts: phase, hot: phase, available } as Chaos)
  expect(text).toContain('**1 of 3,500** reads')
  expect(text).toContain('Of all reads, 3,000 ran in mode [`strict`]')
})
