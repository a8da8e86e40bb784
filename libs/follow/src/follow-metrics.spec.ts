import { Registry } from 'prom-client'
import type { FollowerReport } from 'model-cache/internal'
import { createFollowMetrics } from './follow-metrics.js'

const following: FollowerReport = {
  follower: 'a',
  state: 'following',
  atMs: 0,
  lagMs: 250,
  lagBytes: 4_096,
  isStandby: true,
  standbyLagMs: 1_500,
  caches: [],
}

/** The values by series, without `model_cache_follow_` and without buckets. */
async function scrape(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'))
  return Object.fromEntries(
    lines
      .filter((line) => !line.includes('_bucket'))
      .map((line) => line.replace('model_cache_follow_', '').split(/ (?=\S+$)/))
      .map(([series, value]) => [series, Number(value)]),
  )
}

describe('createFollowMetrics', () => {
  it('exports what the follower last said', async () => {
    const registry = new Registry()
    createFollowMetrics(registry, { prefix: undefined, root: undefined, watch: { report: following } })
    expect(await scrape(registry)).toMatchObject({ connected: 1, lag_seconds: 0.25, lag_bytes: 4_096 })
    expect(await scrape(registry)).toMatchObject({ standby_lag_seconds: 1.5 })
  })

  it('says nothing of a standby where none is followed', async () => {
    const registry = new Registry()
    const watch = { report: { ...following, isStandby: false, standbyLagMs: null } }
    createFollowMetrics(registry, { prefix: undefined, root: undefined, watch })
    expect(await scrape(registry)).not.toHaveProperty('standby_lag_seconds')
  })

  it('is not connected while the follower opens the log', async () => {
    const registry = new Registry()
    const watch = { report: { ...following, state: 'opening', lagMs: 0 } as const }
    createFollowMetrics(registry, { prefix: undefined, root: undefined, watch })
    expect(await scrape(registry)).toMatchObject({ connected: 0, lag_seconds: 0 })
  })

  it('is not connected and has no lag without a report, also after one', async () => {
    const registry = new Registry()
    const watch: { report: FollowerReport | undefined } = { report: undefined }
    createFollowMetrics(registry, { prefix: undefined, root: undefined, watch })
    const unfollowed = { connected: 0, takeovers_total: 0, seconds_sum: 0, seconds_count: 0 }
    expect(await scrape(registry)).toEqual(unfollowed)
    watch.report = following
    expect(Object.keys(await scrape(registry))).toEqual(expect.arrayContaining(['lag_seconds', 'lag_bytes']))
    watch.report = undefined
    expect(await scrape(registry)).toEqual(unfollowed)
  })

  it('exports what an application hears after another one on the registry has ended', async () => {
    const registry = new Registry()
    createFollowMetrics(registry, { prefix: undefined, root: undefined, watch: { report: following } })
    const other = { report: undefined }
    const ended = createFollowMetrics(registry, { prefix: undefined, root: undefined, watch: other })
    expect(await scrape(registry)).toMatchObject({ connected: 1, lag_bytes: 4_096 })
    ended.stop()
    expect(await scrape(registry)).toMatchObject({ connected: 1, lag_bytes: 4_096 })
  })

  it('counts changes by kind, takeovers, and the time until changes are taken', async () => {
    const registry = new Registry()
    const watch = { report: undefined }
    const observer = createFollowMetrics(registry, { prefix: undefined, root: undefined, watch })
    observer.events('insert', 2)
    observer.events('insert', 1)
    observer.events('truncate', 1)
    observer.takeovers(1)
    observer.lagSeconds(0.03)
    expect(await scrape(registry)).toMatchObject({
      'events_total{kind="insert"}': 3,
      'events_total{kind="truncate"}': 1,
      takeovers_total: 1,
      seconds_count: 1,
      seconds_sum: 0.03,
    })
    const text = await registry.metrics()
    expect(text).toContain('model_cache_follow_seconds_bucket{le="0.025"} 0')
    expect(text).toContain('model_cache_follow_seconds_bucket{le="0.05"} 1')
  })

  it('keeps two roots apart in one registry', async () => {
    const registry = new Registry()
    const watchOf = (report: FollowerReport | undefined) => ({ report })
    const orders = createFollowMetrics(registry, {
      prefix: 'shop_',
      root: 'orders',
      watch: watchOf({ ...following, lagMs: 2_000 }),
    })
    createFollowMetrics(registry, { prefix: 'shop_', root: 'stock', watch: watchOf(undefined) })
    orders.events('delete', 1)
    const series = await scrape(registry)
    expect(series).toMatchObject({
      'shop_connected{root="orders"}': 1,
      'shop_connected{root="stock"}': 0,
      'shop_lag_seconds{root="orders"}': 2,
      'shop_takeovers_total{root="orders"}': 0,
      'shop_takeovers_total{root="stock"}': 0,
      'shop_seconds_count{root="orders"}': 0,
      'shop_seconds_count{root="stock"}': 0,
    })
    const named = Object.keys(series)
    expect(named).not.toContain('shop_lag_seconds{root="stock"}')
    expect(named.filter((name) => name.startsWith('shop_events_total'))).toEqual([
      expect.stringContaining('root="orders"'),
    ])
  })
})
