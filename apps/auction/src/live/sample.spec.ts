import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { takeSnapshot } from './metrics-snapshot.js'
import { sampleOf } from './sample.js'

/** Registers the metrics as the library does, with fewer buckets. */
function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const lag = new Histogram({
    name: 'event_loop_lag_seconds',
    help: 'lag',
    buckets: [0.001, 0.1, 1],
    registers,
  })
  const reads = new Counter({
    name: 'model_cache_reads_total',
    help: 'reads',
    labelNames: ['model', 'lookup', 'layer', 'outcome'],
    registers,
  })
  const sync = new Histogram({
    name: 'model_cache_sync_seconds',
    help: 'sync',
    labelNames: ['model', 'lookup', 'op'],
    registers,
  })
  const read = (at: number) => takeSnapshot(registry).then((snapshot) => ({ ...snapshot, at }))
  return { registers, lag, reads, sync, read }
}

describe('sampleOf', () => {
  it('ignores everything before the first snapshot', async () => {
    const { lag, reads, sync, read } = createMetrics()
    lag.observe(0.5)
    reads.inc({ model: 'Lot', layer: 'store', outcome: 'hit' }, 7)
    reads.inc({ model: 'Lot', lookup: 'open', layer: 'store', outcome: 'hit' }, 7)
    sync.observe({ model: 'Lot', op: 'decode' }, 3)
    expect(sampleOf([await read(1_000), await read(2_000)])).toEqual({
      at: 2_000,
      lag: null,
      answered: null,
      lookups: { 'Lot.open': null },
      decoding: { Lot: 0 },
      follow: null,
    })
  })

  it('interpolates quantiles of the lag within a bucket, in milliseconds', async () => {
    const { lag, read } = createMetrics()
    const before = await read(1_000)
    for (let i = 0; i < 90; i++) lag.observe(0.0005)
    for (let i = 0; i < 10; i++) lag.observe(0.3)
    const { p50, p99 } = sampleOf([before, await read(2_000)]).lag!
    expect(p50).toBeCloseTo((50 / 90) * 1, 6)
    expect(p99).toBeCloseTo(100 + (9 / 10) * 900, 6)
  })

  it('returns the lower bound of the last bucket', async () => {
    const { lag, read } = createMetrics()
    const before = await read(1_000)
    lag.observe(20)
    expect(sampleOf([before, await read(2_000)]).lag).toEqual({ p50: 1_000, p99: 1_000 })
  })

  it('returns the share of reads that each layer answered, over all snapshots', async () => {
    const { reads, read } = createMetrics()
    const before = await read(1_000)
    reads.inc({ model: 'Lot', layer: 'tick', outcome: 'coalesced' }, 6)
    const between = await read(2_000)
    reads.inc({ model: 'Lot', layer: 'l1', outcome: 'hit' }, 1)
    reads.inc({ model: 'Lot', layer: 'l1', outcome: 'miss' }, 3)
    reads.inc({ model: 'Bid', layer: 'store', outcome: 'hit' }, 1)
    reads.inc({ model: 'Bid', layer: 'store', outcome: 'miss' }, 2)
    reads.inc({ model: 'Bid', layer: 'source', outcome: 'not_found' }, 1)
    reads.inc({ model: 'Bid', layer: 'source', outcome: 'hit' }, 1)
    expect(sampleOf([before, between, await read(3_000)]).answered).toEqual({
      tick: 0.6,
      l1: 0.1,
      store: 0.1,
      source: 0.2,
    })
  })

  it('returns the shares of each lookup apart from those of rows', async () => {
    const { reads, read } = createMetrics()
    reads.inc({ model: 'Lot', lookup: 'open', layer: 'store', outcome: 'hit' }, 7)
    const before = await read(1_000)
    reads.inc({ model: 'Lot', layer: 'store', outcome: 'hit' }, 10)
    reads.inc({ model: 'Lot', lookup: 'open', layer: 'tick', outcome: 'coalesced' }, 1)
    reads.inc({ model: 'Lot', lookup: 'open', layer: 'store', outcome: 'hit' }, 2)
    reads.inc({ model: 'Lot', lookup: 'open', layer: 'store', outcome: 'miss' }, 1)
    reads.inc({ model: 'Lot', lookup: 'open', layer: 'source', outcome: 'hit' }, 1)
    // Its first reads are after the first snapshot.
    reads.inc({ model: 'Bid', lookup: 'open', layer: 'source', outcome: 'not_found' }, 1)
    const { answered, lookups } = sampleOf([before, await read(2_000)])
    expect(answered).toEqual({ tick: 0, l1: 0, store: 1, source: 0 })
    expect(lookups).toEqual({
      'Lot.open': { tick: 0.25, l1: 0, store: 0.5, source: 0.25 },
      'Bid.open': { tick: 0, l1: 0, store: 0, source: 1 },
    })
  })

  it('returns the milliseconds per second spent on decoding, by model', async () => {
    const { sync, read } = createMetrics()
    const before = await read(1_000)
    sync.observe({ model: 'Lot', op: 'decode' }, 0.004)
    sync.observe({ model: 'Lot', op: 'copy' }, 0.5)
    sync.observe({ model: 'Bid', op: 'decode' }, 0.001)
    expect(sampleOf([before, await read(3_000)]).decoding).toEqual({ Lot: 2, Bid: 0.5 })
  })

  it('returns how far the database is followed, as of the last snapshot', async () => {
    const { registers, read } = createMetrics()
    const named = (name: string, ...labelNames: string[]) => ({
      name: `model_cache_follow_${name}`,
      help: name,
      labelNames,
      registers,
    })
    const connected = new Gauge(named('connected'))
    const lagSeconds = new Gauge(named('lag_seconds'))
    // Without a value while nobody follows.
    const lagBytes = new Gauge(named('lag_bytes', 'root'))
    const events = new Counter(named('events_total', 'kind'))
    const takeovers = new Counter(named('takeovers_total'))
    const before = await read(1_000)
    connected.set(1)
    lagSeconds.set(0.25)
    events.inc({ kind: 'insert' }, 3)
    takeovers.inc()
    const after = await read(2_000)
    expect(sampleOf([before, after]).follow).toEqual({
      isConnected: true,
      lagSeconds: 0.25,
      lagBytes: undefined,
      events: { insert: 3 },
      takeovers: 1,
    })
    lagBytes.set(4096)
    connected.set(0)
    expect(sampleOf([after, await read(3_000)]).follow).toMatchObject({ isConnected: false, lagBytes: 4096 })
  })
})
