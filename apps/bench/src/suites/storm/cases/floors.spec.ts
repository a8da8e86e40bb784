import type { AuctionItem } from '#prisma/client/client.js'
import { median } from '../../../harness/statistics.ts'
import { buildLots } from '../../../harness/fixtures/lots.ts'
import { cutRow } from './floors.ts'

describe('cutRow', () => {
  const lots = [...buildLots().values()].slice(0, 128)
  const rows = lots.map((lot) => cutRow(JSON.stringify(lot)))

  it('has the fields of a lot, in order', () => {
    expect(Object.keys(rows[0]!)).toEqual(Object.keys(lots[0]!))
  })

  it('has the id of its lot, which verification checks', () => {
    expect(rows.map(({ id }) => id)).toEqual(lots.map(({ id }) => id))
  })

  it('has as many texts, dates and other objects as the usual lot', () => {
    const counts = countKinds(rows[0]!)
    for (const kind of ['texts', 'dates', 'others'] as const) {
      expect(Math.abs(counts[kind] - median(lots.map((lot) => countKinds(lot)[kind])))).toBeLessThanOrEqual(1)
    }
  })

  it('needs no more text than the shortest lot has', () => {
    const shortest = Math.min(...lots.map((lot) => JSON.stringify(lot).length))
    expect(JSON.stringify(cutRow('x'.repeat(shortest)))).toBe(JSON.stringify(cutRow('x'.repeat(10_000))))
  })
})

/** Of a row with all that is in it. */
function countKinds(row: AuctionItem) {
  const counts = { texts: 0, dates: 0, others: 0 }
  const visit = (value: unknown): void => {
    if (typeof value === 'string') counts.texts++
    else if (value instanceof Date) counts.dates++
    else if (typeof value === 'object' && value !== null) {
      counts.others++
      for (const inner of Object.values(value)) visit(inner)
    }
  }
  visit(row)
  return counts
}
