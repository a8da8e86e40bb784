import { jest } from '@jest/globals'
import type { BurstState } from '../burst/burst-state.js'
import { LiveHistory } from './live-history.js'

describe('the history of the live feed', () => {
  let now = 100_000
  beforeEach(() => {
    now = 100_000
    jest.spyOn(Date, 'now').mockImplementation(() => now)
  })
  afterEach(() => jest.restoreAllMocks())

  const stateOf = (at: number, running: BurstState['running']): BurstState => ({
    at,
    running,
    allowed: true,
    last: {},
  })

  it('has the samples of the inspector as the charts take them', () => {
    const [sample] = new LiveHistory().read([
      {
        agoMs: 2_000,
        seconds: 2,
        lagMs: { p50: 1, p99: 3 },
        answered: { tick: 1, l1: 0, store: 2, source: 1 },
        decodeMs: { Lot: 5 },
      },
    ]).samples
    expect(sample).toEqual({
      at: 98_000,
      lag: { p50: 1, p99: 3 },
      answered: { tick: 0.25, l1: 0, store: 0.5, source: 0.25 },
      decoding: { Lot: 2.5 },
    })
  })

  it('has the bursts that have ended in the last minute', () => {
    const history = new LiveHistory()
    for (const [at, running] of [
      [40_000, 'v1'],
      [40_500, 'v1'],
      [45_000, null],
      [45_100, null],
      [90_000, 'v2'],
    ] as const)
      history.addBurst(stateOf(at, running))
    expect(history.read([]).bursts).toEqual([{ design: 'v1', from: 40_000, to: 45_000 }])
    now = 106_000
    expect(history.read([]).bursts).toEqual([])
    history.addBurst(stateOf(95_000, null))
    expect(history.read([]).bursts).toEqual([{ design: 'v2', from: 90_000, to: 95_000 }])
  })

  it('has the probes of the last 15 seconds', () => {
    const history = new LiveHistory()
    const probe = (dueAt: number) => ({ dueAt, latencyMs: 1, ok: true })
    history.addProbes([probe(80_000), probe(90_000)])
    history.addProbes([probe(99_000)])
    expect(history.read([]).probes.map(({ dueAt }) => dueAt)).toEqual([90_000, 99_000])
    now = 110_000
    expect(history.read([]).probes.map(({ dueAt }) => dueAt)).toEqual([99_000])
  })
})
