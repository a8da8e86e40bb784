import type { PhaseMeasurements } from './chaos-measurements.ts'
import { problemsOf } from './problems-of.ts'

const fine = { staleReads: 0, staleOwnReads: 0, backInTime: 0, staleResidue: 0, lostWrites: 0 }

describe('problemsOf', () => {
  it('finds none where nothing is stale or lost', () => {
    expect(problemsOf('strict', fine as PhaseMeasurements)).toEqual([])
  })

  it('names what is', () => {
    const bad = { staleReads: 3, staleOwnReads: 1, backInTime: 2, staleResidue: 4, lostWrites: 5 }
    expect(problemsOf('strict', bad as PhaseMeasurements)).toEqual([
      'strict: 3 stale reads, 1 of them where the row was written',
      'strict: 2 reads that went back in time',
      'strict: 4 rows that are stale when all is over',
      'strict: 5 writes that the database has lost',
    ])
  })
})
