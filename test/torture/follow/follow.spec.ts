import { problemsOf, summarise } from './follow.ts'

const phase = {
  name: '1000',
  writes: 5_000,
  regionWrites: 0,
  rowsPerSecond: 1_000,
  busyPercent: 80,
  commitP50Ms: 2,
  commitP99Ms: 9,
  lagP50Ms: 5,
  lagP99Ms: 40,
  cpuUsPerEvent: 90,
  reads: 100,
  bypassed: 0,
  ofOwn: 0,
  excused: 0,
  stale: 0,
  broken: 0,
  longestBehindMs: 12,
  primaryQueries: 0,
  takeovers: 0,
  caughtUpMs: 30,
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

it('a log that is retained although it concerns no cache is a problem', () => {
  expect(problemsOf(idle)).toEqual([])
  expect(problemsOf({ ...idle, retainedWalBytes: 101 })).toEqual([
    'The slot retains 101 of 1000 bytes of the log that concern no cache.',
  ])
})
