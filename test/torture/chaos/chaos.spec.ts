import { neverIn } from './chaos.ts'

it('a phase of chaos names what never may happen in it, with its number', () => {
  const phase = {
    name: 'strict',
    staleReads: 3,
    staleOwnReads: 1,
    backInTime: 0,
    staleResidue: 4,
    lostWrites: 2,
  }
  expect(neverIn(phase)).toEqual({
    'stale reads in strict, 1 of them on the pod that wrote the row': 3,
    'reads in strict that went back in time': 0,
    'rows in strict that are stale at rest': 4,
    'writes in strict that the database has lost': 2,
  })
})
