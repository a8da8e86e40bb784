import { Registry, register } from 'prom-client'
import { counterIn } from './pre-aggregated.js'
import { registryOf } from './registry.js'

describe('the registry of metrics', () => {
  it('is that of the option, or by default that of prom-client', async () => {
    const own = new Registry()
    expect(await registryOf(own)).toBe(own)
    expect(await registryOf(undefined)).toBe(register)
  })

  it('keeps metrics that are not exported, for the inspector', async () => {
    const registry = await registryOf(false)
    expect(registry).not.toBe(register)
    const about = { name: 'spec_reads_total', help: 'Reads' }
    expect(registry.getSingleMetric(about.name)).toBeUndefined()
    const metric = counterIn(registry, about)
    expect(registry.getSingleMetric(about.name)).toBe(metric)
    expect(counterIn(await registryOf(false), about)).toBe(metric)
    expect(register.getSingleMetric(about.name)).toBeUndefined()
  })
})
