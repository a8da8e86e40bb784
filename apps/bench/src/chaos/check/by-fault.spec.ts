import { countByFault } from './by-fault.ts'

const read = { pod: 1, cache: 0, row: 1, revision: 1 }
const fault = { kind: 'cut', losesKeys: false }

describe('countByFault', () => {
  it('counts a read once for each kind that was there meanwhile, or shortly before', () => {
    const reads = [
      { ...read, start: 9, end: 12 },
      { ...read, start: 13, end: 14 },
      { ...read, start: 40, end: 41 },
    ]
    const faults = [
      { ...fault, from: 10, to: 11 },
      { ...fault, from: 10, to: 12 },
      { ...fault, kind: 'flush', from: 30, to: 39 },
    ]
    expect(countByFault(reads, [reads[2]!], faults, 2)).toEqual({
      cut: { reads: 2, staleReads: 0 },
      flush: { reads: 1, staleReads: 1 },
    })
  })
})
