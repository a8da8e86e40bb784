import { Controller, Get, type INestApplication, Module } from '@nestjs/common'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { HealthCheck, HealthCheckService } from '@nestjs/terminus'
import { Test } from '@nestjs/testing'
import { type } from 'arktype'
import { type CacheOf, getModelCacheToken, ModelCacheModule, modelCaches } from 'model-cache'
import { EventLoopPressure } from '@model-cache/event-loop'
import {
  EventLoopHealthIndicator,
  L1HealthIndicator,
  ModelCacheHealthModule,
  StoreHealthIndicator,
} from 'model-cache/terminus'
import { Registry } from 'prom-client'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { pressure } from './handlers.js'

const { defineModelCache } = modelCaches()

interface Lot {
  id: string
}
const lotCache = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'string' }),
  id: 'id',
  ttl: '1m',
  l1: {},
  dependsOn: [],
  load: (_, ids) => ids.map((id) => ({ id })),
})

@Controller()
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly store: StoreHealthIndicator,
    private readonly l1: L1HealthIndicator,
    private readonly eventLoop: EventLoopHealthIndicator,
  ) {}

  @Get('health')
  @HealthCheck()
  check() {
    return this.health.check([
      () => this.store.isHealthy('valkey'),
      () => this.l1.isHealthy('l1'),
      () => this.eventLoop.isHealthy('eventLoop', { maxPressure: 0.8 }),
    ])
  }
}

describe('the health indicators of terminus', () => {
  let valkey: ValkeyServer
  let app: INestApplication
  const health = async (): Promise<[number, Record<string, unknown>]> => {
    const response = await fetch(`${(await app.getUrl()).replace('[::1]', '127.0.0.1')}/health`)
    const { details } = (await response.json()) as { details: Record<string, unknown> }
    return [response.status, details]
  }

  beforeAll(async () => {
    valkey = await startValkey()
    @Module({
      imports: [
        ModelCacheModule.forRoot({ valkey: { url: valkey.url }, registry: new Registry() }),
        ModelCacheModule.forFeature([lotCache]),
        ModelCacheHealthModule,
      ],
      controllers: [HealthController],
    })
    class HealthModule {}
    const testing = await Test.createTestingModule({ imports: [HealthModule] })
      .overrideProvider(EventLoopPressure)
      .useValue(pressure)
      .compile()
    app = testing.createNestApplication(new FastifyAdapter(), { logger: false })
    await app.listen(0, '127.0.0.1')
  })
  afterAll(async () => {
    await app.close()
    await valkey.stop()
  })

  it('report healthy, with details', async () => {
    pressure.value = 0.123
    expect(await health()).toEqual([
      200,
      {
        valkey: { status: 'up', store: 'valkey' },
        l1: { status: 'up' },
        eventLoop: { status: 'up', pressure: 0.12, maxPressure: 0.8 },
      },
    ])
  })

  it('report an unavailable store, and why', async () => {
    pressure.value = 0
    await valkey.stop()
    const [status, details] = await health()
    expect(status).toBe(503)
    expect(details.valkey).toMatchObject({
      status: 'down',
      store: 'valkey',
      reason: expect.stringContaining('PING'),
    })
    expect(details.eventLoop).toMatchObject({ status: 'up' })
  })

  it('report that L1 is off while no invalidations arrive', async () => {
    const lots = app.get<CacheOf<typeof lotCache>>(getModelCacheToken(lotCache))
    let details: Record<string, unknown> = {}
    do {
      expect(await lots.get('1')).toEqual({ id: '1' })
      ;[, details] = await health()
    } while ((details.l1 as { status: string }).status === 'up')
    expect(details.l1).toEqual({ status: 'down', distrusted: ['Lot'] })
  })
})
