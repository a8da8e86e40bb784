import { OURS, STORE_ONLY } from './variant.ts'
import { resultOf, summarise } from './measure.ts'
import type { State } from './page.ts'
import type { WaveResult } from './run-round.ts'

const wave = (state: State, cpuMs: number): WaveResult => ({
  state,
  cpuMs,
  loopMaxMs: 1,
  commands: 2,
  queries: 3,
})
const variant = (name: string, hit: number, turn: number, isPeer = true) => ({
  name,
  isPeer,
  hit: { cpuMs: hit },
  turn: { cpuMs: turn },
  miss: { cpuMs: 10 },
  half: { cpuMs: 5 },
})

describe('the result of a variant', () => {
  it('is the median of the waves of each state', () => {
    const states: readonly State[] = ['hit', 'turn', 'miss', 'half']
    const waves = states.flatMap((state, index) => [1, 9, 2].map((cpuMs) => wave(state, cpuMs + index)))
    const { name, isPeer, ...result } = resultOf({ name: 'a' }, waves)
    expect([name, isPeer]).toEqual(['a', false])
    expect(Object.values(result).map(({ cpuMs }) => cpuMs)).toEqual([2, 3, 4, 5])
    expect(result.hit).toMatchObject({ loopMaxMs: 1, commands: 2, queries: 3 })
  })
})

describe('summarise', () => {
  const variants = [
    variant('DataLoader', 8, 10),
    variant('a', 4, 9),
    variant('b', 3, 12),
    variant(OURS, 2, 3, false),
  ]
  const staleness = [
    { name: 'a', staleReads: 7, longestMs: 400 },
    { name: OURS, staleReads: 3, longestMs: 2 },
    { name: STORE_ONLY, staleReads: 0, longestMs: 0 },
  ]

  it('compares ours with DataLoader and with the best peer of each state', () => {
    expect(summarise(variants, staleness)).toEqual({
      bestPeer: 'a',
      cpuVsDataLoader: 0.3,
      bestPeerCpuVsUs: 3,
      hit: { bestPeer: 'b', cpuVsDataLoader: 0.25, bestPeerCpuVsUs: 1.5 },
      miss: { bestPeer: 'DataLoader', cpuVsDataLoader: 1, bestPeerCpuVsUs: 1 },
      half: { bestPeer: 'DataLoader', cpuVsDataLoader: 1, bestPeerCpuVsUs: 1 },
      staleReads: 0,
      memoryStaleReads: 3,
      memoryStaleMs: 2,
      peersStaleReads: { a: 7 },
    })
  })

  it('leaves out what was not measured', () => {
    const { cpuVsDataLoader, bestPeerCpuVsUs, staleReads } = summarise(variants.slice(0, 3), [])
    expect([cpuVsDataLoader, bestPeerCpuVsUs, staleReads]).toEqual([undefined, undefined, undefined])
  })
})
