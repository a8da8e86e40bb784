import { type } from 'arktype'
import { Redis } from 'ioredis'
import { ModelCacheModule, type ModelCacheModuleOptions, modelCaches, ModelCacheWrites } from 'model-cache'
import { ModelCacheHealthModule, SchemaHealthIndicator } from 'model-cache/terminus'
import { Registry } from 'prom-client'
import { eventually } from '../../support/eventually.js'
import { valkeyUrl } from '../../support/servers.js'
import { ownOptions, start, untilStored } from './application.js'

const { defineModelCache } = modelCaches()

interface Lot {
  id: string
}
const lots = (version: number) =>
  defineModelCache<Lot>()({
    model: 'Lot',
    schema: type({ id: 'string' }),
    id: 'id',
    ttl: '1m',
    version,
    dependsOn: [],
    load: (_, ids) => ids.map((id) => ({ id })),
  })

const deploy = (options: ModelCacheModuleOptions, version: number) =>
  start([
    ModelCacheModule.forRoot(options),
    ModelCacheModule.forFeature([lots(version)]),
    ModelCacheHealthModule,
  ])

describe('a schema that is new among running processes', () => {
  const fenceMs = 2_000
  const options = { ...ownOptions(), consistency: { fenceMs } }
  const registry = new Registry()

  it('is reported in log, metrics, explain and health until its rows are stored', async () => {
    const before = await deploy(options, 1)
    await before.cache(lots(1)).get('1')
    expect(await before.app.get(SchemaHealthIndicator).isHealthy('schemas')).toEqual({
      schemas: { status: 'up' },
    })

    // A process that has written before may have a write under way that does not know of the new schema.
    const unit = before.app.get(ModelCacheWrites).begin()
    unit.markWritten('Lot', [{ id: '2' }])
    await unit.fence()
    await unit.end()

    const { app, cache, logger } = await deploy({ ...options, registry }, 2)
    const beganMs = Date.now()
    const health = app.get(SchemaHealthIndicator)
    // The first probe begins the wait, before anything has been read.
    const waiting = await health.isHealthy('schemas', { isHealthyWhileNew: false })
    expect(waiting).toEqual({
      schemas: { status: 'down', storesFrom: { Lot: expect.stringMatching(/^\d{4}-.*Z$/) } },
    })
    const from = Date.parse((waiting.schemas as unknown as { storesFrom: { Lot: string } }).storesFrom.Lot)
    expect(from).toBeGreaterThan(beganMs)
    expect(from).toBeLessThanOrEqual(Date.now() + fenceMs)
    expect(await health.isHealthy('schemas')).toMatchObject({ schemas: { status: 'up', storesFrom: {} } })
    const { mayFill, mayFillInMs } = await cache(lots(2)).explain('1')
    expect(mayFill).toBe(false)
    expect(mayFillInMs).toBeGreaterThan(0)
    expect(mayFillInMs).toBeLessThanOrEqual(fenceMs)
    await cache(lots(2)).get('1')
    expect(await registry.metrics()).toContain('model_cache_new_schemas_total{model="Lot"} 1')
    const reported = logger.logged.filter((line) => String(line).includes('its schema is new'))
    expect(reported).toEqual([
      expect.stringMatching(
        /^ModelCache "Lot": its schema is new in the store.* stores no rows until \d{4}-.*Z, in [12] s[.,]/,
      ),
    ])

    await eventually(async () => !('storesFrom' in (await health.isHealthy('schemas')).schemas))
    expect(Date.now()).toBeGreaterThanOrEqual(from - 50)
    await untilStored(cache(lots(2)), '1')
    expect(await cache(lots(2)).explain('1')).toMatchObject({ mayFill: true, mayFillInMs: 0 })
    await app.close()
    await before.app.close()
  })

  it('stores rows at once when it is the first schema', async () => {
    const { app, cache, logger } = await deploy({ ...ownOptions(), consistency: { fenceMs } }, 1)
    expect(await app.get(SchemaHealthIndicator).isHealthy('schemas', { isHealthyWhileNew: false })).toEqual({
      schemas: { status: 'up' },
    })
    expect(await cache(lots(1)).explain('1')).toMatchObject({ mayFill: true, mayFillInMs: 0 })
    expect(logger.logged.filter((line) => String(line).includes('its schema is new'))).toEqual([])
    await app.close()
  })

  it('is not what processes wait for whose store has lost what it held', async () => {
    const own = { ...ownOptions(), consistency: { fenceMs: 60_000 } }
    const { app, cache } = await deploy(own, 1)
    await untilStored(cache(lots(1)), '1')
    const admin = new Redis(valkeyUrl().replace('valkey', 'redis'))
    await admin.del(`${own.namespace}:{catalogue}`, `${own.namespace}:{catalogue}:epoch`)
    admin.disconnect()
    // All pods do, and all of them would become unready at once.
    expect(await app.get(SchemaHealthIndicator).isHealthy('schemas', { isHealthyWhileNew: false })).toEqual({
      schemas: { status: 'up' },
    })
    expect((await cache(lots(1)).explain('1')).mayFillInMs).toBeGreaterThan(0)
    await app.close()
  })

  it('is reported healthy while the store does not answer', async () => {
    const { app } = await deploy(
      { registry: new Registry(), valkey: { url: 'valkey://127.0.0.1:1', deadlineMs: 50 } },
      1,
    )
    expect(await app.get(SchemaHealthIndicator).isHealthy('schemas', { isHealthyWhileNew: false })).toEqual({
      schemas: { status: 'up' },
    })
    await app.close()
  })
})
