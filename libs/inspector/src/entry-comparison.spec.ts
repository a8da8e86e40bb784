import type { ComparedMember, EntryComparison } from './compare-entry.js'
import { entryComparisonOf, maxEntryRows } from './entry-comparison.js'

const value = { isHit: false, reason: 'not_cached' } as const
const member = (rowId: number, storedAt: number, sourceAt: number, belongs = true): ComparedMember => ({
  rowId,
  storedAt,
  sourceAt,
  value,
  belongs,
})

const write = { at: '2026-01-01T00:00:00.000Z', by: 'log', process: 'p1' }

/** @param asked the ids whose last writes were asked for */
function report(comparison: Partial<EntryComparison>, asked: string[] = []) {
  return entryComparisonOf(
    async () => ({ outcome: 'different', stored: [], source: [], rows: [], ...comparison }),
    (rowId) => `#${rowId}`,
    async (ids) => {
      asked.push(...ids)
      return new Map([['#2', write]])
    },
  )
}

describe('the comparison of an entry', () => {
  it('has the rows that differ first, with their places and last writes', async () => {
    const asked: string[] = []
    const rows = [
      member(1, 0, 0),
      member(2, -1, 1),
      member(3, 2, 2, false),
      member(4, 3, 3),
      member(5, 4, -1),
    ]
    expect(await report({ stored: [1, 3, 4, 5], source: [1, 2, 3], rows }, asked)).toEqual({
      outcome: 'different',
      error: null,
      storedRows: 4,
      sourceRows: 3,
      rows: [
        { id: '#2', storedPlace: null, sourcePlace: 2, stored: value, belongs: true, lastWrite: write },
        { id: '#3', storedPlace: 3, sourcePlace: 3, stored: value, belongs: false, lastWrite: null },
        { id: '#5', storedPlace: 5, sourcePlace: null, stored: value, belongs: true, lastWrite: null },
        { id: '#1', storedPlace: 1, sourcePlace: 1, stored: value, belongs: true, lastWrite: null },
        { id: '#4', storedPlace: 4, sourcePlace: 4, stored: value, belongs: true, lastWrite: null },
      ],
    })
    expect(asked).toEqual(['#2', '#3', '#5', '#1', '#4'])
  })

  it('keeps the order of the source if no entry is stored', async () => {
    const rows = [member(1, -1, 0), member(2, -1, 1, false), member(3, -1, 2)]
    const { rows: shown, storedRows } = await report({ stored: null, source: [1, 2, 3], rows })
    expect(storedRows).toBeNull()
    expect(shown.map(({ id }) => id)).toEqual(['#1', '#2', '#3'])
  })

  it('has at most 100 rows, and asks for no more last writes', async () => {
    const asked: string[] = []
    const rows = Array.from({ length: maxEntryRows + 1 }, (_, i) => member(i, i, i))
    expect((await report({ rows }, asked)).rows).toHaveLength(100)
    expect(asked).toHaveLength(100)
  })
})
