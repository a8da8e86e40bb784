import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { BlockWatch } from '../event-loop/block-watch.js'
import { LagSampler } from '../event-loop/lag-sampler.js'
import { EventLoopPressure } from '../event-loop/pressure.js'
import { createEventLoopMetrics, type EventLoopMetrics } from './event-loop-metrics.js'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** What a scraper reads: values by series, from the text. */
async function scrape(registry: Registry): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

/** Between two scrapes. */
function growthOf(series: string, before: Map<string, number>, after: Map<string, number>): number {
  return (after.get(series) ?? 0) - (before.get(series) ?? 0)
}

describe('the metrics of the event loop', () => {
  let registry: Registry
  let sampler: LagSampler
  let pressure: EventLoopPressure
  let metrics: EventLoopMetrics
  beforeEach(async () => {
    registry = new Registry()
    sampler = new LagSampler()
    pressure = new EventLoopPressure(sampler)
    metrics = createEventLoopMetrics(registry, { sampler, pressure, watch: new BlockWatch(sampler) })
    metrics.start()
    sampler.start()
    pressure.start()
    await delay(50)
  })
  afterEach(() => {
    metrics.stop()
    sampler.stop()
    pressure.stop()
  })

  it('show a block of one second to a scrape of any interval, as the fifty samples that it kept from being taken', async () => {
    const before = await scrape(registry)
    block(1_000)
    // In the very turn of the block.
    const at = await scrape(registry)
    await delay(300)
    const later = await scrape(registry)
    for (const after of [at, later]) {
      const above = (le: string) =>
        growthOf('event_loop_lag_seconds_count', before, after) -
        growthOf(`event_loop_lag_seconds_bucket{le="${le}"}`, before, after)
      // Of samples each 20 ms, counting down from a second; 10 % for what else the machine does.
      expect(above('0.5')).toBeGreaterThanOrEqual(22)
      expect(above('0.25') / above('0.5')).toBeGreaterThan(1.35)
      expect(above('0.25') / above('0.5')).toBeLessThan(1.65)
    }
    expect(later.get('event_loop_lag_seconds_bucket{le="0.5"}')).toBeGreaterThan(
      at.get('event_loop_lag_seconds_bucket{le="0.5"}')!,
    )
  })

  it('tell scrapers at different intervals the same', async () => {
    const first = await scrape(registry)
    const busyAndIdle = async () => {
      for (let i = 0; i < 10; i++) {
        block(40)
        await delay(40)
      }
    }
    const over = new AbortController()
    const often = (async () => {
      let last = first
      const sums = { active: 0, idle: 0, lags: 0 }
      while (!over.signal.aborted) {
        await delay(20)
        const now = await scrape(registry)
        sums.active += growthOf('event_loop_active_seconds_total', last, now)
        sums.idle += growthOf('event_loop_idle_seconds_total', last, now)
        sums.lags += growthOf('event_loop_lag_seconds_count', last, now)
        last = now
      }
      return { sums, last }
    })()
    await busyAndIdle()
    over.abort()
    const { sums, last } = await often
    expect(sums.active).toBeCloseTo(growthOf('event_loop_active_seconds_total', first, last), 9)
    expect(sums.idle).toBeCloseTo(growthOf('event_loop_idle_seconds_total', first, last), 9)
    expect(sums.lags).toBe(growthOf('event_loop_lag_seconds_count', first, last))
    expect(sums.active / (sums.active + sums.idle)).toBeGreaterThan(0.4)
    expect(sums.active / (sums.active + sums.idle)).toBeLessThan(0.95)
  })

  it('tell the utilisation of about the last second, however often they are read', async () => {
    const over = new AbortController()
    const read = (async () => {
      while (!over.signal.aborted) {
        await scrape(registry)
        await delay(5)
      }
    })()
    for (let i = 0; i < 60; i++) {
      block(30)
      await delay(1)
    }
    const ratio = (await scrape(registry)).get('event_loop_utilization_ratio')
    over.abort()
    await read
    expect(ratio).toBeGreaterThan(0.7)
    expect(ratio).toBeLessThanOrEqual(1)
  })

  it('tell collections of garbage by kind', async () => {
    let kept: unknown
    for (let i = 0; i < 3_000_000; i++) kept = { i, kept: undefined }
    expect(kept).toBeDefined()
    await delay(50)
    const after = await scrape(registry)
    expect(after.get('gc_pause_seconds_count{kind="minor"}')).toBeGreaterThan(0)
  })
})
