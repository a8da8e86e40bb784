import { checkReads } from './check-reads.ts'
import { History } from './history.ts'

const calm = { fenceMs: 1_000, hearingMs: 0, losses: [], caughtUp: new Map<number, number[]>() }

/** Pod 1 writes revisions 1 and 2 of row 7; Valkey does not take the invalidation of the second. */
function history(
  reads: readonly (readonly [pod: number, revision: number, start: number, end: number])[],
): History {
  const found = new History()
  const write = { fencedAt: 90, committedAt: 95, releasedAt: 100, isReleased: true }
  found.add(1, { kind: 'wrote', write: { ...write, revisions: [[7, 1]] } })
  const late = { fencedAt: undefined, committedAt: 195, releasedAt: 200, isReleased: false }
  found.add(1, { kind: 'wrote', write: { ...late, revisions: [[7, 2]] } })
  for (const [pod, revision, start, end] of reads)
    found.add(pod, {
      kind: 'read',
      reads: Float64Array.of(0, 7, revision, start, end),
      answers: [],
      counts: {},
    })
  return found
}

const violationsOf = (of: History) =>
  checkReads(of, calm).violations.map(({ kind, pod, expected }) => ({ kind, pod, expected }))

describe('checkReads', () => {
  it('allows reads that began before a write returned', () => {
    expect(
      violationsOf(
        history([
          [1, 0, 99, 150],
          [2, 0, 100, 150],
          [2, 1, 101, 150],
        ]),
      ),
    ).toEqual([])
  })

  it('finds reads of any pod behind a fenced write that had returned', () => {
    expect(violationsOf(history([[2, 0, 101, 102]]))).toEqual([{ kind: 'all', pod: 2, expected: 1 }])
  })

  it('finds reads of the writer behind its unfenced write, and counts those of other pods', () => {
    const found = history([
      [1, 1, 201, 202],
      [2, 1, 230, 231],
    ])
    expect(violationsOf(found)).toEqual([{ kind: 'own', pod: 1, expected: 2 }])
    expect(checkReads(found, calm)).toMatchObject({ lateWrites: 1, behindLate: 1, longestBehindMs: 30 })
  })

  it('finds reads that go back in time on one pod, unless they overlap', () => {
    expect(
      violationsOf(
        history([
          [2, 1, 96, 97],
          [2, 0, 98, 99],
        ]),
      ),
    ).toEqual([{ kind: 'backInTime', pod: 2, expected: 1 }])
    expect(
      violationsOf(
        history([
          [2, 1, 96, 97],
          [3, 0, 98, 99],
        ]),
      ),
    ).toEqual([])
    expect(
      violationsOf(
        history([
          [2, 1, 96, 98],
          [2, 0, 97, 99],
        ]),
      ),
    ).toEqual([])
  })

  it('finds reads behind an unconfirmed revision that was sighted in the database', () => {
    const found = history([[2, 1, 151, 152]])
    const unconfirmed = { row: 7, revision: 2, at: 150 }
    const { writes } = found
    writes.splice(1)
    expect(violationsOf(found)).toEqual([])
    found.sightings.push(unconfirmed)
    expect(violationsOf(found)).toEqual([{ kind: 'all', pod: 2, expected: 2 }])
    expect(checkReads(found, { ...calm, hearingMs: 10 }).violations).toEqual([])
  })

  it('finds reads by another cache of the pod that has had time to hear of the write', () => {
    const found = history([[2, 1, 96, 97]])
    found.add(2, { kind: 'read', reads: Float64Array.of(1, 7, 0, 98, 99), answers: [], counts: {} })
    expect(violationsOf(found)).toEqual([{ kind: 'backInTime', pod: 2, expected: 1 }])
    expect(checkReads(found, { ...calm, hearingMs: 10 }).violations).toEqual([])
  })

  it('allows a pod to fall behind an unfenced write', () => {
    expect(
      violationsOf(
        history([
          [2, 2, 196, 197],
          [2, 1, 198, 199],
        ]),
      ),
    ).toEqual([])
    expect(
      violationsOf(
        history([
          [2, 2, 196, 197],
          [2, 0, 198, 199],
        ]),
      ),
    ).toEqual([
      { kind: 'all', pod: 2, expected: 1 },
      { kind: 'backInTime', pod: 2, expected: 1 },
    ])
  })
})
