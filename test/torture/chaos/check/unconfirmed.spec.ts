import { History, type UnknownEndOfPod, type WriteOfPod } from './history.ts'
import { unconfirmedRevisions } from './unconfirmed.ts'

const calm = { fenceMs: 1_000, hearingMs: 0, losses: [], caughtUp: new Map<number, number[]>() }
const unknownEnd: Omit<UnknownEndOfPod, 'pod'> = {
  rows: [7],
  fencedAt: 5_100,
  committedAt: 5_150,
  releasedAt: 5_160,
  isReleased: true,
}

/** Row 7 has the revisions 1 and 3 of confirmed writes; revision 2, in between, has been read. */
function history(...unknownEnds: readonly Omit<UnknownEndOfPod, 'pod'>[]): History {
  const found = new History()
  const write: Omit<WriteOfPod, 'pod' | 'revisions'> = {
    fencedAt: 5_000,
    committedAt: 5_010,
    releasedAt: 5_020,
    isReleased: true,
  }
  found.add(1, { kind: 'wrote', write: { ...write, revisions: [[7, 1]] } })
  found.add(1, {
    kind: 'wrote',
    write: { ...write, fencedAt: 6_000, committedAt: 6_010, revisions: [[7, 3]] },
  })
  for (const write of unknownEnds) found.add(1, { kind: 'unknownEnd', write })
  found.add(2, {
    kind: 'read',
    reads: Float64Array.of(0, 7, 2, 5_900, 5_901, 0, 7, 3, 6_020, 6_021),
    answers: [],
    counts: {},
  })
  return found
}

const lossAt = (from: number) => ({
  ...calm,
  losses: [{ kind: 'flush', losesKeys: true, from, to: from + 1 }],
})

describe('unconfirmedRevisions', () => {
  it('finds revisions that were read but not confirmed, also of a killed pod', () => {
    expect([...unconfirmedRevisions(history(unknownEnd), calm)]).toEqual([[7, 2]])
    expect([...unconfirmedRevisions(history(), calm)]).toEqual([[7, 2]])
  })

  it.each([
    ['without a fence', { fencedAt: undefined }],
    ['whose fence may have expired before its end', { releasedAt: 6_200 }],
    ['whose end the store did not take', { isReleased: false }],
  ])('leaves out a revision that may be of a write of unknown end %s', (_, change) => {
    expect([...unconfirmedRevisions(history(unknownEnd, { ...unknownEnd, ...change }), calm)]).toEqual([])
  })

  it('ignores an unfenced write of unknown end that ended before, or began later', () => {
    const unfenced = { ...unknownEnd, fencedAt: undefined }
    const earlier = { ...unfenced, committedAt: 3_000, releasedAt: 3_010 }
    const later = { ...unfenced, committedAt: 9_000, releasedAt: 9_010 }
    expect([...unconfirmedRevisions(history(earlier, later), calm)]).toEqual([[7, 2]])
  })

  it('leaves out revisions whose fence Valkey may have lost before the commit', () => {
    expect([...unconfirmedRevisions(history(), lossAt(4_500))]).toEqual([])
    expect([...unconfirmedRevisions(history(), lossAt(5_900))]).toEqual([])
    expect([...unconfirmedRevisions(history(), lossAt(3_900))]).toEqual([[7, 2]])
    expect([...unconfirmedRevisions(history(), lossAt(5_902))]).toEqual([[7, 2]])
  })
})
