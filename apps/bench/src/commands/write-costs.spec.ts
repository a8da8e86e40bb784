import { writeCosts } from './write-costs.ts'
import { readResult } from '../harness/result.ts'

const stored = readResult('write') as unknown as Parameters<typeof writeCosts>[0]

it('docs/consistency.md has ratios of time and of processor time, with what was measured on what', () => {
  const ratios = stored.ratios.map((ratio) => ({ ...ratio, wall: 2.04, cpu: 3 }))
  const [about, ...rows] = writeCosts({ ...stored, cpu: 'a processor', ratios }).split('\n')
  expect(about).toContain('`npm run bench -- write`: Node ')
  expect(about).toContain('a processor')
  expect(rows[1]).toBe('| one / the other | time | CPU of the client |')
  expect(rows[3]).toBe('| write with Prisma: fenced / bare | 2.0 | 3.0 |')
})

it('docs/consistency.md needs all of its comparisons', () => {
  expect(() => writeCosts({ ...stored, ratios: stored.ratios.slice(1) })).toThrow(
    'needs "write with Prisma: fenced / bare"',
  )
})
