import { EventEmitter } from 'node:events'
import { jest } from '@jest/globals'
import type { FactoryProvider } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import type { Command } from 'ioredis'
import { Registry } from 'prom-client'
import { BlockWatch } from '@model-cache/event-loop'
import { Slicer } from '@model-cache/event-loop/internal'
import { eventually } from '../../../../test/support/eventually.js'
import { digestOf } from '../protocol/backend/valkey/valkey-scripts.js'
import { MemoryStore, ModelCacheWrites, type Store, type ValkeyStoreOptions } from '../protocol/index.js'
import { FlakyStore } from '../testing/flaky-store.js'
import { ModelCacheModule } from './model-cache.module.js'
import type { ModelCacheModuleOptions } from './model-cache.options.js'
import { createRootProviders } from './model-cache.providers.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import { getModelCacheStoreToken } from './model-cache.tokens.js'

/** As much of a connection of ioredis as a store uses before it connects. It removes keys of other types with each script. */
class FakeConnection extends EventEmitter {
  readonly isCluster = false
  readonly options = { host: 'h', port: 1 }
  readonly status = 'ready'
  async sendCommand({ args }: Command): Promise<unknown> {
    return args[0] === digestOf('releaseLeases') ? [3, 1] : args.map(() => null)
  }
  async info(): Promise<string> {
    return 'role:master'
  }
  async hello(): Promise<void> {}
  async auth(): Promise<void> {}
  async asking(): Promise<void> {}
  async quit(): Promise<void> {}
  disconnect(): void {
    this.emit('close')
    this.emit('end')
  }
}

/** The roots of an application that has not started, and what they log. */
async function compile(options: ModelCacheModuleOptions & { name?: string }) {
  const logged: string[] = []
  const warned: string[] = []
  const logger = {
    log: (text: string) => void logged.push(text),
    warn: (text: string) => void warned.push(text),
    error() {},
  }
  const unnamed =
    options.name === undefined
      ? []
      : [ModelCacheModule.forRoot({ registry: false, store: new MemoryStore() })]
  const testing = Test.createTestingModule({ imports: [...unnamed, ModelCacheModule.forRoot(options)] })
  const app = await testing.setLogger(logger).compile()
  // Nest logs its modules.
  logged.length = 0
  return {
    app,
    logged,
    warned,
    store: app.get<Store>(getModelCacheStoreToken(options.name), { strict: false }),
  }
}

afterEach(() => jest.restoreAllMocks())

describe('the store of a root', () => {
  async function withValkey() {
    const connections: FakeConnection[] = []
    const duplicate = (): FakeConnection => {
      const connection = new FakeConnection()
      connections.push(connection)
      return connection
    }
    const client = { isCluster: false, options: {}, mget: () => {}, duplicate }
    const registry = new Registry()
    const valkey = { client, deadlineMs: 60_000 } as unknown as ValkeyStoreOptions
    const compiled = await compile({ valkey, registry, name: 'billing', metricsPrefix: 'app_' })
    const [reader, writer] = connections as [FakeConnection, FakeConnection]
    return { ...compiled, reader, writer, metrics: () => registry.metrics() }
  }

  it('is the memory of the process without `valkey`, which is warned of', async () => {
    const { app, store, warned } = await compile({ registry: false, memory: { maxEntries: 7 } })
    expect(store).toBeInstanceOf(MemoryStore)
    expect(warned).toEqual([
      expect.stringContaining(
        'There is no option `valkey`: rows are cached in the memory of this process only',
      ),
    ])
    await app.close()
    await expect(compile({ registry: false, memory: { maxEntries: 0 } })).rejects.toThrow('memory.maxEntries')
  })

  it('is the one that is given, without a warning', async () => {
    const given = new MemoryStore()
    const { app, store, warned } = await compile({ registry: false, store: given })
    expect(store).toBe(given)
    expect(warned).toEqual([])
    await app.close()
  })

  it.each([
    ['reads', 'Rows are loaded from the database until it recovers.'],
    ['writes', 'Until it recovers, rows are not cached, and invalidated rows are loaded from the database.'],
  ] as const)(
    'logs and counts when Valkey is unavailable for %s, and when it is available again',
    async (side, consequence) => {
      const { logged, metrics, reader, store, warned, writer } = await withValkey()
      const connection = side === 'reads' ? reader : writer
      const isOpen = (count: number) =>
        `app_model_cache_open_circuits{side="${side}",root="billing"} ${count}`
      connection.emit('close')
      expect(warned).toEqual([
        `Valkey (h:1) is unavailable for ${side}: there is no connection. ${consequence}`,
      ])
      expect(logged).toEqual([])
      expect(await metrics()).toContain(isOpen(1))
      connection.emit('ready')
      await eventually(() => logged.length > 0)
      expect(logged).toEqual([expect.stringContaining(`Valkey is available for ${side} again: `)])
      expect(warned).toHaveLength(1)
      expect(await metrics()).toContain(isOpen(0))
      expect(store.name).toBe('valkey')
    },
  )

  it('counts and logs no connection of a store that is closed', async () => {
    const { logged, metrics, reader, store, warned } = await withValkey()
    reader.emit('close')
    await store.close()
    for (const side of ['reads', 'writes'])
      expect(await metrics()).toContain(`app_model_cache_open_circuits{side="${side}",root="billing"} 0`)
    expect([logged, warned]).toEqual([[], [expect.stringContaining('is unavailable for reads')]])
  })

  it('counts keys of other programs, and warns of them once', async () => {
    const { metrics, store, warned } = await withValkey()
    const row = { key: '{a}1', guard: '{a}1:l' }
    for (const token of ['t', 'u']) await store.releaseLeases([row], token)
    expect(warned).toEqual([expect.stringMatching(/^A key of the cache in Valkey was not a string/)])
    expect(await metrics()).toContain('app_model_cache_foreign_keys_total{root="billing"} 6')
  })
})

describe('the writes of a root', () => {
  const prepare = async (mode?: 'available' | 'strict') => {
    const store = new FlakyStore(new MemoryStore())
    store.fail('askCatalogue')
    const { app } = await compile({ registry: false, store, ...(mode && { consistency: { mode } }) })
    return app.get(ModelCacheWrites).prepare()
  }

  it('wait for the store in strict mode only', async () => {
    await expect(prepare('strict')).rejects.toMatchObject({ code: 'E_FENCE' })
    await prepare('available')
    await prepare()
  })
})

describe('the slicer', () => {
  it('is known to the watch while it visits', async () => {
    const added = jest.spyOn(BlockWatch.prototype, 'addInner')
    const { app } = await compile({ registry: false, store: new MemoryStore() })
    const [holder, isRunning] = added.mock.calls[0]!
    expect([holder, isRunning()]).toEqual(['model-cache', false])
    const seen: boolean[] = []
    await app.get(Slicer).each(
      [0],
      () => seen.push(isRunning()),
      () => {},
    )
    expect(seen).toEqual([true])
    await app.close()
  })

  it('has the budget of the options', async () => {
    const starting = compile({ registry: false, store: new MemoryStore(), eventLoop: { budgetMs: 0 } })
    await expect(starting).rejects.toThrow('option "budgetMs" is 0')
  })
})

describe('the registry of a root', () => {
  const provider = createRootProviders(undefined).find(({ provide }) => provide === ModelCacheRegistry)
  const create = (...application: readonly (object | undefined)[]): unknown =>
    (provider as FactoryProvider).useFactory({}, new MemoryStore(), {}, {}, ...application)
  const [moduleRef, modules, pressure, watch, slicer] = [{}, {}, {}, {}, {}]

  it.each<[string, ...(object | undefined)[]]>([
    ['reference of a module', undefined, modules],
    ['container of modules', moduleRef, undefined],
  ])('says that there are two copies of Nest if it gets no %s', async (_, ...given) => {
    await expect(create(...given, pressure, watch, slicer)).rejects.toMatchObject({
      code: 'E_DUPLICATE_NEST',
    })
  })

  it.each<[string, ...(object | undefined)[]]>([
    ['pressure', undefined, watch, slicer],
    ['watch', pressure, undefined, slicer],
    ['slicer', pressure, watch, undefined],
  ])('says that the unnamed root is missing if it gets no %s', async (_, ...given) => {
    await expect(create(moduleRef, modules, ...given)).rejects.toThrow('one root without a name')
  })
})
