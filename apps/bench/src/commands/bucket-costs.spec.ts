import { readResult } from '../harness/result.ts'
import { bucketCosts } from './bucket-costs.ts'

it('docs/cluster.md has what a burst costs by number of buckets, and by a command for each row', () => {
  const stored = readResult('cluster') as unknown as Parameters<typeof bucketCosts>[0]
  const [one, ...others] = stored.cases
  const cases = [{ ...one!, cpuMs: 8.02, serverCpuMs: 10.08, commands: 24 }, ...others]
  const [about, ...rows] = bucketCosts({ ...stored, cases }).split('\n')
  expect(about).toContain('`npm run bench -- cluster`: Node ')
  expect(about).toContain('. 5,350 different rows')
  expect(rows[3]).toBe('| 1 bucket | 8.0 | 10.1 | 24 | 100 % |')
  expect(rows.at(-1)).toMatch(/^\| GET per key, auto-pipelined \| .* \| 5,350 \| – \|$/)
})
