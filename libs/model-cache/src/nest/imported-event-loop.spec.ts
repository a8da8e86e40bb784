import { BlockWatch, EventLoopModule } from '@model-cache/event-loop'
import { Test } from '@nestjs/testing'
import { Registry } from 'prom-client'
import { MemoryStore } from '../protocol/index.js'
import type { FollowOption } from './followed-root.js'
import { ModelCacheModule } from './model-cache.module.js'

const compile = (imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) =>
  Test.createTestingModule({ imports }).setLogger({ log() {}, error() {}, warn() {} })

describe('EventLoopModule', () => {
  it('refuses to be imported beside ModelCacheModule.forRoot, which imports it', async () => {
    const registry = new Registry()
    const testing = await compile([
      EventLoopModule.forRoot({ registry }),
      ModelCacheModule.forRoot({ registry }),
    ]).compile()
    await expect(testing.init()).rejects.toMatchObject({
      code: 'E_DUPLICATE_ROOT',
      message: expect.stringContaining('not at all beside ModelCacheModule.forRoot') as string,
    })
    // Nest 11 throws the error again.
    await testing.close().catch(() => {})
  })

  it('keeps roots from starting if it is imported beside them, as Nest would close none', async () => {
    const calls: string[] = []
    const follow: FollowOption = {
      onGap: 'serve',
      followFor: () => ({
        watch: { report: undefined, isFollowed: () => false, onResume: () => () => {} },
        start: async () => void calls.push('start'),
        stop: async () => void calls.push('stop'),
      }),
    }
    const testing = await compile([
      EventLoopModule.forRoot({ registry: false }),
      ModelCacheModule.forRoot({ registry: false, store: new MemoryStore(), follow }),
    ]).compile()
    await expect(testing.init()).rejects.toMatchObject({ code: 'E_DUPLICATE_ROOT' })
    expect(calls).toEqual([])
    // Nest 11 throws the error again.
    await testing.close().catch(() => {})
  })

  it('is imported by ModelCacheModule.forRoot, which gives it its options', async () => {
    const registry = new Registry()
    const testing = await compile([
      ModelCacheModule.forRootAsync({ useFactory: () => ({ registry, metricsPrefix: 'shop_' }) }),
    ]).compile()
    await testing.init()
    expect(testing.get(BlockWatch)).toBeInstanceOf(BlockWatch)
    expect(await registry.metrics()).toContain('shop_event_loop_pressure_ratio')
    await testing.close()
  })
})
