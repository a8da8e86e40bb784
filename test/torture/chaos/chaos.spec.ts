import { problemsOf } from './chaos.ts'

const phase = {
  staleReads: 0,
  staleOwnReads: 0,
  backInTime: 0,
  staleResidue: 0,
  lostWrites: 0,
  rehearsals: [{ defect: 'stale entry', noticedAfter: 0.5 }],
} as const

describe('a phase of chaos', () => {
  it('passes if nothing is wrong, and its defects were noticed', () => {
    expect(problemsOf('strict', phase)).toEqual([])
  })

  it('fails if a defect was not noticed, whatever it finds', () => {
    const rehearsals = [...phase.rehearsals, { defect: 'fence left out', noticedAfter: undefined }] as const
    expect(problemsOf('strict', { ...phase, rehearsals })).toEqual([
      'strict: nothing notices the defect "fence left out", so it shows nothing',
    ])
  })

  it('fails if anything is stale or lost', () => {
    expect(problemsOf('strict', { ...phase, staleReads: 3, staleOwnReads: 1, lostWrites: 2 })).toEqual([
      'strict: 3 stale reads, 1 of them on the pod that wrote the row',
      'strict: 2 writes that the database has lost',
    ])
  })
})
