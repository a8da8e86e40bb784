import { type DynamicModule, Module } from '@nestjs/common'
import { Test, type TestingModule } from '@nestjs/testing'
import { EventLoopPressure } from '@model-cache/event-loop'
import { getCacheStateToken, getModelCacheStoreToken } from '../nest/model-cache.tokens.js'
import { MemoryStore } from '../protocol/index.js'
import { FlakyStore } from '../testing/flaky-store.js'
import {
  EventLoopHealthIndicator,
  FollowHealthIndicator,
  L1HealthIndicator,
  ModelCacheHealthModule,
  SchemaHealthIndicator,
  StoreHealthIndicator,
} from './index.js'

/** What a root says of itself, in a module that is not imported by that of the indicators, as those of the library are not. */
@Module({})
class Known {}
function known(values: ReadonlyMap<string | symbol | typeof EventLoopPressure, unknown>): DynamicModule {
  const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }))
  return { module: Known, global: true, providers, exports: providers.map(({ provide }) => provide) }
}

describe('health indicators', () => {
  const pressure = { value: 0 }
  const state = {
    distrusted: [] as string[],
    newSchemas: () => new Map<string, Date>(),
    follower: undefined as unknown,
  }
  const billing = { ...state, distrusted: ['Invoice'] }
  const store = new FlakyStore(new MemoryStore())
  let application: TestingModule
  beforeAll(async () => {
    const values = new Map<string | symbol | typeof EventLoopPressure, unknown>([
      [getCacheStateToken(), state],
      [getCacheStateToken('billing'), billing],
      [getModelCacheStoreToken(), store],
      [getModelCacheStoreToken('billing'), new MemoryStore()],
      [EventLoopPressure, pressure],
    ])
    application = await Test.createTestingModule({
      imports: [known(values), ModelCacheHealthModule],
    }).compile()
  })
  beforeEach(() => {
    Object.assign(state, { newSchemas: () => new Map<string, Date>(), follower: undefined })
    store.recover()
  })
  afterAll(() => application.close())

  it('tell that the event loop keeps up, up to a pressure', () => {
    const indicator = application.get(EventLoopHealthIndicator)
    pressure.value = 0.894
    expect(indicator.isHealthy('loop')).toEqual({ loop: { status: 'up', pressure: 0.89, maxPressure: 0.9 } })
    pressure.value = 0.9
    expect(indicator.isHealthy('loop')).toEqual({ loop: { status: 'down', pressure: 0.9, maxPressure: 0.9 } })
    expect(indicator.isHealthy('loop', { maxPressure: 0.95 })).toMatchObject({ loop: { status: 'up' } })
  })

  it('tell which models bypass L1, in each root', () => {
    const indicator = application.get(L1HealthIndicator)
    expect(indicator.isHealthy('l1')).toEqual({ l1: { status: 'up' } })
    expect(indicator.isHealthy('l1', { root: 'billing' })).toEqual({
      l1: { status: 'down', distrusted: ['Invoice'] },
    })
  })

  it('tell whether somebody follows the database, if somebody should', () => {
    const indicator = application.get(FollowHealthIndicator)
    expect(indicator.isHealthy('log')).toEqual({ log: { status: 'up', follow: 'off' } })
    const nobody = { log: { status: 'down', reason: 'nobody follows the database' } }
    for (const follower of [null, { state: 'waiting' }]) {
      state.follower = follower
      expect(indicator.isHealthy('log')).toEqual(nobody)
    }
    state.follower = { state: 'following', lagMs: 3.4, lagBytes: 7 }
    expect(indicator.isHealthy('log')).toEqual({ log: { status: 'up', lagMs: 3, lagBytes: 7 } })
    expect(indicator.isHealthy('log', { root: 'billing' })).toEqual({ log: { status: 'up', follow: 'off' } })
  })

  it('tell from when on rows of a new schema are stored', async () => {
    const indicator = application.get(SchemaHealthIndicator)
    expect(await indicator.isHealthy('schema', { isHealthyWhileNew: false })).toEqual({
      schema: { status: 'up' },
    })
    state.newSchemas = () => new Map([['Post', new Date(0)]])
    const storesFrom = { Post: '1970-01-01T00:00:00.000Z' }
    expect(await indicator.isHealthy('schema')).toEqual({ schema: { status: 'up', storesFrom } })
    expect(await indicator.isHealthy('schema', { isHealthyWhileNew: false })).toEqual({
      schema: { status: 'down', storesFrom },
    })
    expect(await indicator.isHealthy('schema', { root: 'billing' })).toEqual({ schema: { status: 'up' } })
  })

  it('tell whether the store answers', async () => {
    const indicator = application.get(StoreHealthIndicator)
    expect(await indicator.isHealthy('store')).toEqual({ store: { status: 'up', store: store.name } })
    store.fail('ping')
    expect(await indicator.isHealthy('store')).toMatchObject({
      store: { status: 'down', store: store.name, reason: expect.stringContaining('ping') },
    })
    expect(await indicator.isHealthy('store', { root: 'billing' })).toMatchObject({ store: { status: 'up' } })
  })
})
