import { Registry } from 'prom-client'
import { createWarmMetrics } from './cache-metrics.js'

describe('createWarmMetrics', () => {
  it('counts warmed ids by model and result', async () => {
    const registry = new Registry()
    const count = createWarmMetrics(registry, { prefix: 'shop_', root: undefined })
    count('Lot', 'stored', 3)
    count('Lot', 'stored', 2)
    count('Lot', 'not_found', 1)
    const text = await registry.metrics()
    expect(text).toContain('shop_model_cache_warmed_ids_total{model="Lot",result="stored"} 5')
    expect(text).toContain('shop_model_cache_warmed_ids_total{model="Lot",result="not_found"} 1')
  })

  it('has no prefix by default, and a label of the root where there is one', async () => {
    const registry = new Registry()
    createWarmMetrics(registry, { prefix: undefined, root: 'billing' })('Lot', 'skipped', 4)
    expect(await registry.metrics()).toContain(
      '\nmodel_cache_warmed_ids_total{model="Lot",result="skipped",root="billing"} 4',
    )
  })
})
