import { jest } from '@jest/globals'
import { Histogram, Registry } from 'prom-client'
import { createCacheMetrics } from 'model-cache/advanced'
import type { InspectedRoot } from 'model-cache/internal'
import { maxSamples, RecentSamples } from './recent-samples.js'

function rootOf(registry: Registry, name?: string): InspectedRoot {
  return { name, metrics: { registry, prefix: 'shop_' } } as unknown as InspectedRoot
}

function open() {
  const registry = new Registry()
  const lag = new Histogram({
    name: 'shop_event_loop_lag_seconds',
    help: 'lag',
    buckets: [0.01, 0.1],
    registers: [registry],
  })
  const observerOf = (root?: string, model = 'Lot', lookup?: string) =>
    createCacheMetrics(registry, { prefix: 'shop_', root }).forModel(model, lookup)
  const samples = new RecentSamples([rootOf(registry), rootOf(registry, 'billing')])
  return { lag, observerOf, registry, samples }
}

describe('samples for the charts', () => {
  afterEach(() => jest.restoreAllMocks())

  it('have what happened to the rows of all caches since the sample before', async () => {
    const { lag, observerOf, samples } = open()
    const lots = observerOf()
    lots.reads('store', 'hit', 1_000)
    lag.observe(0.5)
    await samples.take()
    expect(samples.samples).toEqual([])
    lots.reads('store', 'hit', 3)
    lots.reads('store', 'miss', 50)
    lots.syncSeconds('decode', 0.25)
    lots.syncSeconds('copy', 9)
    lag.observe(0.05)
    observerOf('billing', 'User').reads('source', 'hit', 2)
    observerOf(undefined, 'Lot', 'open').reads('l1', 'hit', 70)
    await samples.take()
    expect(samples.samples).toEqual([
      {
        agoMs: expect.any(Number),
        seconds: expect.any(Number),
        lagMs: { p50: expect.closeTo(55, 6), p99: expect.closeTo(99.1, 6) },
        answered: { tick: 0, l1: 0, store: 3, source: 2 },
        decodeMs: { Lot: 250 },
      },
    ])
    await samples.take()
    expect(samples.samples[1]).toMatchObject({ answered: { store: 0, source: 0 } })
    expect(samples.samples[1]!.decodeMs).toEqual({})
  })

  it('are empty where there are no metrics', async () => {
    const samples = new RecentSamples([rootOf(new Registry())])
    await samples.take()
    await samples.take()
    expect(samples.samples).toMatchObject([
      { lagMs: null, answered: { tick: 0, l1: 0, store: 0, source: 0 }, decodeMs: {} },
    ])
  })

  it('have the lag of the event loop by the metrics of the unnamed root', async () => {
    const { lag, registry } = open()
    const samples = new RecentSamples([rootOf(new Registry(), 'billing'), rootOf(registry)])
    await samples.take()
    lag.observe(0.05)
    await samples.take()
    expect(samples.samples).toMatchObject([{ lagMs: { p50: expect.closeTo(55, 6) } }])
  })

  it('are taken every two seconds from the start to the stop, but for those that fail', async () => {
    jest.useFakeTimers()
    try {
      const { registry, samples } = open()
      samples.start()
      await jest.advanceTimersByTimeAsync(1_999)
      expect(samples.samples).toEqual([])
      await jest.advanceTimersByTimeAsync(1)
      expect(samples.samples).toMatchObject([{ seconds: 2 }])
      jest.spyOn(registry, 'getSingleMetric').mockImplementationOnce(() => {
        throw new Error('a metric of the application')
      })
      await jest.advanceTimersByTimeAsync(4_000)
      expect(samples.samples).toMatchObject([{ seconds: 2 }, { seconds: 4 }])
      samples.stop()
      await jest.advanceTimersByTimeAsync(60_000)
      expect(samples.samples).toHaveLength(2)
    } finally {
      jest.useRealTimers()
    }
  })

  it('are those of a minute, with their age, and name the caches that decode most', async () => {
    const { observerOf, samples } = open()
    let nowMs = 0
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
    for (let i = 0; i <= maxSamples + 5; i++) {
      nowMs = i * 2_000
      for (let model = 0; model < 20; model++) observerOf(undefined, `M${model}`).syncSeconds('decode', model)
      await samples.take()
    }
    expect(samples.samples).toHaveLength(maxSamples)
    expect(samples.samples.map(({ agoMs }) => agoMs).slice(-2)).toEqual([2_000, 0])
    expect(samples.samples[0]).toMatchObject({ agoMs: 58_000, seconds: 2 })
    expect(Object.keys(samples.samples[0]!.decodeMs)).toEqual(
      [19, 18, 17, 16, 15, 14, 13, 12].map((n) => `M${n}`),
    )
  })
})
