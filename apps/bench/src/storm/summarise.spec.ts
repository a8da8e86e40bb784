import type { RoundResult, StormResult } from './run-round.ts'
import type { CaseResult, State, Workload } from './storm-measurements.ts'
import { resultsOf, summarise } from './summarise.ts'

describe('the results of a case', () => {
  const storm = (workload: Workload, state: State, figures: Partial<StormResult>): StormResult => ({
    workload,
    state,
    cpuMs: 1,
    wallMs: 1,
    loopMaxMs: 1,
    loopP99Ms: 1,
    storeCommands: 1,
    queries: 0,
    rows: 0,
    maxConcurrentQueries: 0,
    sharesRows: false,
    liveness: [1],
    ...figures,
  })
  const round = (figures: Partial<StormResult>, idleLiveness: number[]): RoundResult => ({
    storms: (['same', 'distinct'] as const).flatMap((workload) =>
      (['hit', 'miss', 'half'] as const).map((state) =>
        storm(workload, state, workload === 'distinct' && state === 'hit' ? figures : {}),
      ),
    ),
    idleLiveness,
    heapMb: 1,
  })

  it('are those of every workload and state, by name', () => {
    const results = resultsOf('a', [round({}, [1])])
    expect(results.map(({ workload, state }) => `${workload} ${state}`)).toEqual([
      'same hit',
      'same miss',
      'same half',
      'distinct hit',
      'distinct miss',
      'distinct half',
    ])
    expect(new Set(results.map(({ name }) => name))).toEqual(new Set(['a']))
  })

  it('are medians of the rounds, so that one round in which the machine was busy does not count', () => {
    const results = resultsOf('a', [
      round({ cpuMs: 10, loopMaxMs: 7, liveness: [1, 5] }, [1]),
      round({ cpuMs: 90, loopMaxMs: 5, liveness: [3, 40] }, [3]),
      round({ cpuMs: 20, loopMaxMs: 6, liveness: [4] }, [2]),
    ])
    expect(results.find(({ workload, state }) => workload === 'distinct' && state === 'hit')).toMatchObject({
      cpuMs: 20,
      loopMaxMs: 6,
      livenessMaxMs: 5,
      idleLivenessMaxMs: 2,
    })
  })
})

describe('summarise', () => {
  const result = (name: string, workload: Workload, cpuMs: number, loopMaxMs = 1) =>
    ({ name, workload, state: 'hit', cpuMs, loopMaxMs, sharesRows: false }) as CaseResult
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
    // A storm of misses takes no part.
    { ...result('a', 'distinct', 1), state: 'miss' } as CaseResult,
  ]

  it('says how many times less this library takes, and how many times as much as the floors', () => {
    expect(summarise(cases, ['a', 'b'])).toMatchObject({
      distinctCpuVsV1: 9,
      distinctCpuVsV2: 6,
      sameCpuVsV1: 40,
      distinctCpuVsRaw: 1.25,
      distinctCpuVsFloor: 1.111,
      distinctLoopMaxVsV1: 4.5,
    })
  })

  it('takes the best peer, in the workload that suits the peers better', () => {
    expect(summarise(cases, ['a', 'b'])).toMatchObject({
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
