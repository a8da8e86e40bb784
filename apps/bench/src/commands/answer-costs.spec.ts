import type { Measured } from '../suites/pays/measure.ts'
import { readCosts, writtenCosts } from './answer-costs.ts'

const cell = (endpoint: string, size: number, atOnce: number, isWritten: boolean, ratio: number) => {
  const of = Object.fromEntries(
    ['rows', 'results', 'l1', 'whole'].map((name, i) => [name, { ratio: ratio + i }]),
  )
  return { endpoint, size, atOnce, isWritten, of } as unknown as Measured
}

const stored = {
  node: 'v26',
  database: 'PostgreSQL',
  server: 'Valkey',
  cpu: 'a processor',
  date: '2026-11-30T00:00:00.000Z',
  cells: [
    cell('count', 50, 1, false, 90),
    cell('count', 500, 1, false, 0.1),
    cell('count', 500, 8, false, 0.2),
    cell('session', 50, 1, false, 0.3),
    cell('session', 50, 8, false, 0.4),
    cell('count', 500, 1, true, 0.5),
    cell('count', 500, 8, true, 90),
  ],
} as unknown as Parameters<typeof readCosts>[0]

const rowsOf = (page: string): string[] => page.split('\n').slice(4)

it('docs/transparent-reads.md has each request once, alone and eight in a tick', () => {
  expect(rowsOf(readCosts(stored))).toEqual([
    '| the number of purchases | 0.10 | 1.10 | 2.10 | 1.20 |',
    '| a customer by email | 0.30 | 1.30 | 2.30 | 1.40 |',
  ])
})

it('docs/capacity.md has requests whose results are ended by writes', () => {
  expect(rowsOf(writtenCosts(stored))).toEqual(['| the number of purchases | 0.50 | 1.50 | 2.50 | 3.50 |'])
})
