import { problemsOf, summarise } from './follow.ts'

const phase = {
  name: '1000',
  seconds: 20,
  rowsPerSecond: 1_000,
  events: 20_000,
  commitP50Ms: 2,
  commitP99Ms: 9,
  lagP50Ms: 5,
  lagP99Ms: 40,
  cpuUsPerEvent: 90,
  reads: 100,
  bypassed: 0,
  stale: 0,
  longestBehindMs: 12,
  longestUnreportedMs: 0,
  queries: 50,
  failedReads: 0,
  takeovers: 0,
  caughtUpMs: 30,
  restQueries: 3,
  lostEvents: 0,
}
const killed = { ...phase, name: 'killed', stale: 2, lostEvents: 1, takeovers: 1, takeoverMs: 900 }
const idle = { seconds: 60, writtenWalBytes: 1_000, longestRetainedWalBytes: 300, retainedWalBytes: 100 }
const parts = { steady: [phase], temporary: [killed], durable: [{ ...killed, takeoverMs: 5_001 }], idle }

describe('summarise', () => {
  it('adds up stale reads, and has the slowest takeover', () => {
    expect(summarise(parts)).toMatchObject({
      reads: 300,
      stale: 4,
      lostEvents: 2,
      takeovers: 2,
      takeoverMs: 5_001,
      lagP99Ms: 40,
      lagVsCommit: 2.5,
      fastLagP99Ms: undefined,
      retainedWalBytes: 100,
    })
  })

  it('leaves out what was not measured', () => {
    const { lagVsCommit, retainedWalBytes, takeoverMs } = summarise({
      steady: [],
      temporary: [],
      durable: [],
      idle: undefined,
    })
    expect([lagVsCommit, retainedWalBytes, takeoverMs]).toEqual([undefined, undefined, undefined])
  })
})

describe('the problems of a run', () => {
  const bad = { ...summarise(parts), lagP99Ms: 100 }
  const wrong = [
    '4 reads were older than the lag that had been reported',
    '2 rows and lists are stale at rest',
  ]

  it('are stale reads, lost events and times that are not reached', () => {
    expect(problemsOf(bad, idle, true)).toEqual([
      ...wrong,
      'lagP99Ms is 100, of less than 100.',
      'takeoverMs is 5001, of at most 5000.',
    ])
  })

  it('of a quick run do not depend on times', () => {
    expect(problemsOf(bad, idle, false)).toEqual(wrong)
  })

  it('are a log that is retained although it concerns no cache', () => {
    const calm = summarise({ ...parts, temporary: [], durable: [] })
    expect(problemsOf(calm, idle, true)).toEqual([])
    expect(problemsOf(calm, { ...idle, retainedWalBytes: 101 }, true)).toEqual([
      'The slot retains 101 of 1000 bytes of the log that concern no cache.',
    ])
  })
})
