import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { Registry } from 'prom-client'
import { manualClock } from '../../../../test/support/manual-clock.ts'
import { type Block, BlockWatch } from '../block-watch.js'
import { LagSampler } from '../lag-sampler.js'
import { EventLoopPressure } from '../pressure.js'
import { createEventLoopMetrics, type EventLoopMetrics } from './event-loop-metrics.js'

/** Returns the values by series, parsed from the exposition format as a scraper does. */
async function scrape(registry: Registry): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

/** The increase between two scrapes. */
function growthOf(series: string, before: Map<string, number>, after: Map<string, number>): number {
  return (after.get(series) ?? 0) - (before.get(series) ?? 0)
}

describe('createEventLoopMetrics', () => {
  let registry: Registry
  let sampler: LagSampler
  let pressure: EventLoopPressure
  let watch: BlockWatch
  let metrics: EventLoopMetrics
  let pass: (ms: number) => void
  let rest: (ms: number) => void
  /** Ends other applications on the registry. */
  const others: (() => void)[] = []
  beforeEach(() => {
    ;({ pass, rest } = manualClock())
    registry = new Registry()
    sampler = new LagSampler()
    pressure = new EventLoopPressure(sampler)
    watch = new BlockWatch(sampler)
    metrics = createEventLoopMetrics(registry, { sampler, pressure, watch })
    metrics.start()
    sampler.start()
    pressure.start()
  })
  afterEach(() => {
    jest.restoreAllMocks()
    metrics.stop()
    sampler.stop()
    pressure.stop()
    for (const end of others.splice(0)) end()
  })

  it('shows a block of one second as the fifty samples that it prevented, at any scrape interval', async () => {
    const before = await scrape(registry)
    pass(1_000)
    // In the turn of the block.
    const at = await scrape(registry)
    for (let samples = 0; samples < 10; samples++) {
      pass(20)
      sampler.catchUp()
    }
    const later = await scrape(registry)
    for (const after of [at, later]) {
      const above = (le: string) =>
        growthOf('event_loop_lag_seconds_count', before, after) -
        growthOf(`event_loop_lag_seconds_bucket{le="${le}"}`, before, after)
      // One sample per 20 ms, counting down from 0.98 s.
      expect([above('0.25'), above('0.5')]).toEqual([37, 24])
    }
    expect(later.get('event_loop_lag_seconds_bucket{le="0.5"}')).toBeGreaterThan(
      at.get('event_loop_lag_seconds_bucket{le="0.5"}')!,
    )
  })

  it('counts the samples of an idle time, in which none are taken, at the scrape after it', async () => {
    const before = await scrape(registry)
    let samples = 0
    const end = sampler.onSample(() => samples++)
    await new Promise<void>((resolve) => sampler.onPause(resolve))
    end()
    rest(60_000)
    const after = await scrape(registry)
    expect(growthOf('event_loop_lag_seconds_bucket{le="0.0001"}', before, after)).toBe(samples + 60_000 / 20)
    expect(growthOf('event_loop_lag_seconds_sum', before, after)).toBe(0)
  })

  it('reports the utilisation of about the last second, however often it is read', async () => {
    const read = async (): Promise<number> => (await scrape(registry)).get('event_loop_utilization_ratio')!
    // Nothing here waits, so the loop is fully utilised; the first second counts for 63 %.
    for (let passedMs = 0; passedMs < 1_000; passedMs += 5) {
      pass(5)
      await read()
    }
    expect(await read()).toBeCloseTo(1 - Math.exp(-1), 1)
  })

  it('has the busy and the idle seconds of the process as totals', async () => {
    await scrape(registry)
    pass(1_500)
    rest(60_000)
    await scrape(registry)
    const after = await scrape(registry)
    expect(after.get('event_loop_active_seconds_total')).toBeCloseTo(1.5, 9)
    expect(after.get('event_loop_idle_seconds_total')).toBeCloseTo(60, 9)
  })

  it('counts what handlers report', async () => {
    metrics.observeHandlerLag('GET /posts', 0.3)
    metrics.countShed('GET /posts')
    const after = await scrape(registry)
    expect(after.get('handler_event_loop_lag_seconds_sum{handler="GET /posts"}')).toBe(0.3)
    expect(after.get('event_loop_shed_requests_total{handler="GET /posts"}')).toBe(1)
  })

  it('counts blocks by holder, also one that ends when it is read', async () => {
    watch.start()
    await new Promise<void>((resolve) => sampler.onPause(resolve))
    pass(1_000)
    const text = await registry.getSingleMetricAsString('event_loop_block_seconds')
    expect(text).toContain('event_loop_block_seconds_count{holder="none"} 1')
    await watch.stop()
  })

  it('shows the pressure', async () => {
    pass(10_000)
    const after = await scrape(registry)
    expect(after.get('event_loop_pressure_ratio')).toBeGreaterThan(0)
    expect(after.get('event_loop_pressure_ratio')).toBe(pressure.value)
  })

  /** Starts another application on the registry, whose blocks the test tells. */
  const startOther = () => {
    const ofOther = new LagSampler()
    let listener: ((block: Block) => void) | undefined
    const watch = { onBlock: (given: (block: Block) => void) => void (listener = given) }
    const other = createEventLoopMetrics(registry, {
      sampler: ofOther,
      pressure: new EventLoopPressure(ofOther),
      watch: watch as unknown as BlockWatch,
    })
    other.start()
    ofOther.start()
    others.push(() => (other.stop(), ofOther.stop()))
    return { sampler: ofOther, tell: (block: Block) => listener!(block) }
  }

  it('counts a lag once for all applications on the registry, also when the first one has ended', async () => {
    startOther()
    const lagged = async (): Promise<number> => {
      const before = await scrape(registry)
      pass(1_000)
      const after = await scrape(registry)
      return (
        growthOf('event_loop_lag_seconds_count', before, after) -
        growthOf('event_loop_lag_seconds_bucket{le="0.5"}', before, after)
      )
    }
    expect(await lagged()).toBe(24)
    metrics.stop()
    expect(await lagged()).toBe(24)
  })

  it('counts a block once for all applications on the registry, by the name that one has for it', async () => {
    const [first, second] = [startOther(), startOther()]
    const block = (holder: string): Block => ({ holder, seconds: 0.3, at: '', stack: [] })
    const counted = async (): Promise<number[]> => {
      const now = await scrape(registry)
      return ['Lots.all', 'none'].map(
        (holder) => now.get(`event_loop_block_seconds_count{holder="${holder}"}`) ?? 0,
      )
    }
    second.tell(block('Lots.all'))
    first.tell(block('none'))
    expect(await counted()).toEqual([1, 0])
    // The one that has a name has yet to take the sample after the block.
    pass(1_000)
    const end = second.sampler.onSample(() => second.tell(block('Lots.all')))
    first.tell(block('none'))
    end()
    expect(await counted()).toEqual([2, 0])
    pass(1_000)
    first.tell(block('none'))
    second.tell(block('none'))
    expect(await counted()).toEqual([2, 1])
  })

  it('counts a block once that several applications on the registry have the same name for', async () => {
    const [first, second] = [startOther(), startOther()]
    const block = (holder: string): Block => ({ holder, seconds: 0.3, at: '', stack: [] })
    const counted = async (): Promise<unknown[]> => {
      const now = await scrape(registry)
      return ['Lots.all', 'Bids.all'].map((holder) =>
        now.get(`event_loop_block_seconds_count{holder="${holder}"}`),
      )
    }
    first.tell(block('Lots.all'))
    second.tell(block('Bids.all'))
    second.tell(block('Lots.all'))
    expect(await counted()).toEqual([1, 1])
    pass(1_000)
    second.tell(block('Lots.all'))
    first.tell(block('Lots.all'))
    expect(await counted()).toEqual([2, 1])
  })

  it('shows the pressure after another application on the registry has ended', async () => {
    const other = new LagSampler()
    const ended = createEventLoopMetrics(registry, {
      sampler: other,
      pressure: new EventLoopPressure(other),
      watch: new BlockWatch(other),
    })
    ended.start()
    ended.stop()
    pass(10_000)
    const after = await scrape(registry)
    expect(pressure.value).toBeGreaterThan(0)
    expect(after.get('event_loop_pressure_ratio')).toBe(pressure.value)
  })

  /** @returns the number of collections, and the seconds that they took */
  const collected = async () => {
    let kept: unknown
    for (let i = 0; i < 3_000_000; i++) kept = { i, kept: undefined }
    expect(kept).toBeDefined()
    await delay(50)
    const after = await scrape(registry)
    return {
      count: after.get('gc_pause_seconds_count{kind="minor"}') ?? 0,
      seconds: after.get('gc_pause_seconds_sum{kind="minor"}') ?? 0,
    }
  }

  it('observes garbage collections by kind, until it is stopped', async () => {
    const startedAt = Date.now()
    const { count, seconds } = await collected()
    expect(count).toBeGreaterThan(0)
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan((Date.now() - startedAt) / 1_000)
    metrics.stop()
    const stopped = await collected()
    expect(await collected()).toEqual(stopped)
  })

  it('observes a collection once for all applications on the registry, also when one of them has ended', async () => {
    let pauses = 0
    const observer = new PerformanceObserver((list) => (pauses += list.getEntries().length))
    observer.observe({ entryTypes: ['gc'] })
    const other = new LagSampler()
    const sources = { sampler: other, pressure: new EventLoopPressure(other), watch: new BlockWatch(other) }
    const second = createEventLoopMetrics(registry, sources)
    second.start()
    /** How many the metric has counted that the process has not had. */
    const surplus = async (): Promise<number> => {
      await collected()
      const counts = [...(await scrape(registry))].filter(([name]) =>
        name.startsWith('gc_pause_seconds_count'),
      )
      return counts.reduce((sum, [, count]) => sum + count, -pauses)
    }
    const before = await surplus()
    expect(await surplus()).toBe(before)
    metrics.stop()
    expect(await surplus()).toBe(before)
    second.stop()
    observer.disconnect()
  })
})
