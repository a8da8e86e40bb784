import { Registry } from 'prom-client'
import { counterIn } from '@model-cache/event-loop/internal'
import { createCacheMetrics } from 'model-cache/advanced'
import { readCounts } from './counts.js'

describe('the counts of a root', () => {
  it('are none where there are no metrics', async () => {
    expect(await readCounts(new Registry(), { prefix: '', root: undefined })).toEqual({
      caches: new Map(),
      eventLoop: { blocks: {}, blockSeconds: {}, lagSeconds: {}, shed: {} },
      follow: { events: {}, takeovers: 0 },
      openCircuits: { reads: 0, writes: 0 },
    })
  })

  it('are its own where roots share a registry', async () => {
    const registry = new Registry()
    const roots = [undefined, 'billing']
    const [own, billing] = roots.map((root) => createCacheMetrics(registry, { root }))
    billing!.storeChanged('reads', 'down', 'timeout')
    own!.storeChanged('writes', 'down', 'timeout')
    const counter = (name: string, ...labelNames: string[]) =>
      counterIn(registry, { name: `model_cache_follow_${name}`, help: name, labelNames })
    const events = counter('events_total', 'kind', 'root')
    events.series('update', undefined).add(1)
    events.series('update', 'billing').add(2)
    counter('takeovers_total', 'root').series('billing').add(3)
    const [ofOwn, ofBilling] = await Promise.all(
      roots.map((root) => readCounts(registry, { prefix: '', root })),
    )
    expect(ofOwn).toMatchObject({
      follow: { events: { update: 1 }, takeovers: 0 },
      openCircuits: { reads: 0, writes: 1 },
    })
    expect(ofBilling).toMatchObject({
      follow: { events: { update: 2 }, takeovers: 3 },
      openCircuits: { reads: 1, writes: 0 },
    })
  })

  it('have no groups for what does not end a read', async () => {
    const registry = new Registry()
    const lots = createCacheMetrics(registry).forModel('Lot')
    lots.reads('store', 'miss', 2)
    lots.syncSeconds('copy', 1)
    const { caches } = await readCounts(registry, { prefix: '', root: undefined })
    expect(caches.get('Lot')).toEqual({ answered: { store: 0 }, payloadBytes: expect.anything() })
  })
})
