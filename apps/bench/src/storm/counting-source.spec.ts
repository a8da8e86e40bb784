import type { AuctionItem } from '#prisma/client/client.js'
import { createCountingSource } from './counting-source.ts'

const lots = new Map(['a', 'b', 'c'].map((id) => [id, { id } as AuctionItem]))

describe('the source', () => {
  it('answers with the rows that there are, in the order asked for', async () => {
    expect(await createCountingSource(lots).load(['c', 'x', 'a'])).toEqual([{ id: 'c' }, { id: 'a' }])
  })

  it('counts queries, rows, and how many queries are under way at a time', async () => {
    const source = createCountingSource(lots)
    await Promise.all([source.load(['a', 'b']), source.loadOne('c')])
    await source.load(['a'])
    expect(source.takeCounts()).toEqual({ queries: 3, rows: 4, maxConcurrentQueries: 2 })
    expect(source.takeCounts()).toEqual({ queries: 0, rows: 0, maxConcurrentQueries: 0 })
  })
})
