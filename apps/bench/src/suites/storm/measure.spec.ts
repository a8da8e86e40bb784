import { resultsOf, summarise, type RoundResult } from './measure.ts'

describe('the results of a case', () => {
  it('are medians of all rounds, for each workload and state', () => {
    const round = (cpuMs: number, idleLivenessMaxMs: number) =>
      ({
        bursts: ['same', 'distinct'].flatMap((workload) =>
          ['hit', 'miss', 'half'].map((state) => ({ workload, state, cpuMs, sharesRows: false })),
        ),
        idle: { idleLivenessMaxMs },
      }) as unknown as RoundResult
    const results = resultsOf('a', [round(10, 1), round(90, 3), round(20, 2)])
    expect(results).toHaveLength(6)
    expect(results[3]).toMatchObject({
      name: 'a',
      workload: 'distinct',
      state: 'hit',
      cpuMs: 20,
      idleLivenessMaxMs: 2,
    })
  })
})

describe('summarise', () => {
  const result = (name: string, workload: 'same' | 'distinct', cpuMs: number, loopMaxMs = 1) =>
    ({ name, workload, state: 'hit', cpuMs, loopMaxMs, sharesRows: false }) as const
  const cases = [
    result('model-cache', 'distinct', 20, 4),
    result('model-cache', 'same', 5),
    result('v1', 'distinct', 180, 18),
    result('v1', 'same', 200),
    result('v2', 'distinct', 120),
    result('raw', 'distinct', 16),
    result('rows-floor', 'distinct', 18),
    result('a', 'distinct', 150),
    { ...result('a', 'same', 6), sharesRows: true },
    result('b', 'distinct', 100),
    result('b', 'same', 60),
    // Bursts of misses do not count.
    { ...result('a', 'distinct', 1), state: 'miss' as const },
  ]

  it('compares hits with earlier designs, floors, and the best peer in the workload that suits the peers', () => {
    expect(summarise(cases, ['a', 'b'])).toEqual({
      distinctCpuVsV1: 9,
      distinctCpuVsV2: 6,
      sameCpuVsV1: 40,
      distinctCpuVsRaw: 1.25,
      distinctCpuVsFloor: 1.111,
      distinctLoopMaxVsV1: 4.5,
      bestPeerCpuVsUs: 1.2,
      bestPeers: {
        distinct: { name: 'b', cpuVsUs: 5, sharesRows: false },
        same: { name: 'a', cpuVsUs: 1.2, sharesRows: true },
      },
    })
  })

  it('leaves out what was not measured', () => {
    expect(summarise([result('raw', 'distinct', 16), result('a', 'distinct', 150)], ['a'])).toEqual({})
  })
})
