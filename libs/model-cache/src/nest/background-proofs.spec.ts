import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { NestFactory } from '@nestjs/core'
import { type } from 'arktype'
import { eventuallyEqual } from '../../../../test/support/eventually.js'
import { defineModelCache } from '../cache/policy/definition.js'
import { decimalOf } from '../codec/row-types.js'
import { MemoryStore } from '../protocol/index.js'
import { BackgroundProofs } from './background-proofs.js'
import { ModelCacheModule } from './model-cache.module.js'

function proofs(count: number) {
  const proved: number[] = []
  const background = new BackgroundProofs()
  const caches = Array.from({ length: count }, (_, i) => ({ prove: () => void proved.push(i) }))
  return { proved, background, caches }
}

afterEach(() => void jest.useRealTimers())

describe('background proofs', () => {
  it('prove one codec per event-loop turn, in order, and later ones as well', async () => {
    const { proved, background, caches } = proofs(3)
    for (const cache of caches.slice(0, 2)) background.add(cache)
    expect(proved).toEqual([])
    while (proved.length < 2) {
      const before = proved.length
      await new Promise(setImmediate)
      expect(proved.length - before).toBeLessThanOrEqual(1)
    }
    background.add(caches[2]!)
    await eventuallyEqual(() => proved.length, 3)
    expect(proved).toEqual([0, 1, 2])
  })

  it('stop with the application', async () => {
    const { proved, background, caches } = proofs(3)
    for (const cache of caches) background.add(cache)
    while (proved.length === 0) await new Promise(setImmediate)
    background.stop()
    await delay(20)
    expect(proved.length).toBeLessThan(3)
  })

  it('have no timer when none is left, or when they are stopped', () => {
    jest.useFakeTimers()
    const { proved, background, caches } = proofs(3)
    for (const cache of caches.slice(0, 2)) background.add(cache)
    jest.advanceTimersByTime(10)
    expect([proved, jest.getTimerCount()]).toEqual([[0, 1], 0])
    background.add(caches[2]!)
    expect(jest.getTimerCount()).toBe(1)
    background.stop()
    expect(jest.getTimerCount()).toBe(0)
  })

  it('do not keep the process alive', () => {
    const { background, caches } = proofs(1)
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    background.add(caches[0]!)
    expect(timers()).toBe(before)
    background.stop()
  })
})

describe('an application', () => {
  class Rounded {
    constructor(readonly text: string) {}
    static isDecimal(value: unknown): boolean {
      return value instanceof Rounded
    }
    toString(): string {
      return this.text.split('.')[0]!
    }
  }
  const define = (model: string, row: object) =>
    defineModelCache<{ id: string }>()({
      model,
      schema: type({ id: 'string', ...row }),
      id: 'id',
      ttl: '1m',
      dependsOn: [],
      load: () => [],
    })

  it('starts before its codecs are proved, and logs those that fail without being read', async () => {
    const warned = Promise.withResolvers<string>()
    const ignore = (): void => {}
    const logger = { log: ignore, error: ignore, warn: warned.resolve }
    const definitions = [define('Sound', { at: 'Date' }), define('Lossy', { price: decimalOf(Rounded) })]
    const imports = [
      ModelCacheModule.forRoot({ store: new MemoryStore() }),
      ModelCacheModule.forFeature(definitions),
    ]
    const root = class Application {}
    const app = await NestFactory.createApplicationContext({ module: root, imports }, { logger })
    expect(await warned.promise).toMatch(/^ModelCache "Lossy": a generated row changed at "price"/)
    await app.close()
  })

  it('does not start with a stringifier by hand that fails its proof', async () => {
    const definition = { ...define('Lossy', {}), stringifier: { stringify: () => '{"id":"b"}' } }
    const root = ModelCacheModule.forRoot({ store: new MemoryStore() })
    const imports = [root, ModelCacheModule.forFeature([definition])]
    const starting = NestFactory.createApplicationContext(
      { module: class Application {}, imports },
      { logger: false, abortOnError: false },
    )
    await expect(starting).rejects.toMatchObject({ code: 'E_CODEC_PROOF' })
  })
})
