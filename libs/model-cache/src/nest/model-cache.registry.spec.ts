import { jest } from '@jest/globals'
import { LazyModuleLoader } from '@nestjs/core'
import { Test, type TestingModule } from '@nestjs/testing'
import { type } from 'arktype'
import { Registry } from 'prom-client'
import { answeringPostgres } from '../../../../test/support/answering-postgres.js'
import { eventually } from '../../../../test/support/eventually.js'
import { manualClock } from '../../../../test/support/manual-clock.js'
import { createSqliteDemo } from '../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../test/support/use-opened.js'
import { Wire } from '../../../../test/support/wire.js'
import type { ModelCache } from '../cache/model-cache.js'
import { type AnyModelCacheDefinition, defineModelCache } from '../cache/policy/definition.js'
import { decimalOf } from '../codec/row-types.js'
import { MemoryStore, ModelCacheWrites, type Store, warmKey } from '../protocol/index.js'
import { WarmingProcesses } from '../warm/warm-messages.js'
import type { FollowedRoot, FollowOption, FollowerReport } from './followed-root.js'
import { inspectedRoot } from './inspected-root.js'
import { ModelCacheModule } from './model-cache.module.js'
import type { ModelCacheModuleOptions } from './model-cache.options.js'
import { ModelCacheRegistry } from './model-cache.registry.js'
import {
  type CacheState,
  getCacheStateToken,
  getModelCacheToken,
  getModelCacheWritesToken,
  MODEL_CACHE_STATE,
} from './model-cache.tokens.js'
import { provideExtendedPrisma } from './provide-extended-prisma.js'

interface Guest {
  id: string
  name: string
  email: string
  createdAt: Date
}
type Imports = NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>
type Providers = NonNullable<Parameters<typeof Test.createTestingModule>[0]['providers']>

const GuestRow = type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' })
const guests = defineModelCache<Guest>()({ model: 'GuestUser', schema: GuestRow, id: 'id', ttl: '1m' })
const load = async (_client: unknown, ids: readonly string[]) => ids.map((id) => ({ id }))
const define = (name: string, change: object = {}): AnyModelCacheDefinition =>
  defineModelCache<{ id: string }>()({
    model: name,
    schema: type({ id: 'string' }),
    id: 'id',
    ttl: '1m',
    dependsOn: [],
    load,
    ...change,
  })
const loaded = define('Loaded')

/** Rows of it change when they are encoded, so that a proof fails. */
class Rounded {
  constructor(readonly text: string) {}
  static isDecimal(value: unknown): boolean {
    return value instanceof Rounded
  }
  toString(): string {
    return this.text.split('.')[0]!
  }
}
const lossy = define('Lossy', { schema: type({ id: 'string', price: decimalOf(Rounded) }) })

const root = (options: Partial<ModelCacheModuleOptions> & { name?: string } = {}) =>
  ModelCacheModule.forRoot({ registry: false, store: new MemoryStore(), ...options })

async function compile(imports: Imports, providers: Providers = []) {
  const warned: string[] = []
  const logger = { log() {}, warn: (text: string) => void warned.push(text), error() {} }
  const app = await Test.createTestingModule({ imports, providers }).setLogger(logger).compile()
  apps.push(app)
  const cache = (name: string) => app.get<ModelCache<{ id: string }, string>>(getModelCacheToken(name))
  const lazily = (definition: AnyModelCacheDefinition) =>
    app
      .get(LazyModuleLoader)
      .load(() => ({ module: class Lazy {}, imports: [ModelCacheModule.forFeature([definition])] }))
  return { app, cache, lazily, warned, registry: app.get(ModelCacheRegistry) }
}

async function start(
  options: Partial<ModelCacheModuleOptions>,
  definitions: readonly AnyModelCacheDefinition[] = [loaded],
  providers: Providers = [],
) {
  const started = await compile([root(options), ModelCacheModule.forFeature(definitions)], providers)
  await started.app.init()
  return started
}

const failureOf = (starting: Promise<unknown>): Promise<Error> =>
  starting.then(
    () => new Error('the application started'),
    (error: Error) => error,
  )

/** What `@model-cache/follow` returns, of a follower that says what it is given. */
function givenFollow() {
  const calls: string[] = []
  const roots: FollowedRoot[] = []
  const said: { report: FollowerReport | undefined } = { report: undefined }
  const watch = Object.assign(said, { isFollowed: () => false, onResume: () => () => {} })
  const follow: FollowOption = {
    onGap: 'bypass',
    followFor(root) {
      roots.push(root)
      return { watch, start: async () => void calls.push('start'), stop: async () => void calls.push('stop') }
    },
  }
  return { calls, follow, roots, said }
}

/** A memory store whose processes tell each other. */
const wired = (wire: Wire): Store => Object.assign(new MemoryStore(), { messages: wire })

const database = useOpened(createSqliteDemo)
beforeAll(async () => {
  await database.client().guestUser.create({ data: { id: 'ada', name: 'Ada', email: '' } })
})
/** Those of a test. */
const apps: TestingModule[] = []
afterEach(async () => {
  jest.restoreAllMocks()
  jest.useRealTimers()
  for (const app of apps.splice(0)) await app.close()
})

describe('what the inspector sees of a root', () => {
  it('has its caches, and the queries of its client', async () => {
    const store = new MemoryStore()
    const metrics = new Registry()
    const { app, cache, registry } = await start(
      { store, registry: metrics, metricsPrefix: 'app_', prisma: 'PRISMA' },
      [guests],
      [provideExtendedPrisma('PRISMA', () => database.client(), [], { reads: 'all' })],
    )
    const { caches, catalogue, follow, name, namespace, queries, schema, ...rest } = registry[inspectedRoot]
    expect([name, namespace, follow]).toEqual([undefined, 'mc', undefined])
    expect(rest.store).toBe(store)
    expect(rest.metrics).toEqual({ registry: metrics, prefix: 'app_' })
    expect(rest.warnings()).toEqual([])
    expect([rest.mode, rest.database()]).toEqual(['available', expect.stringContaining('database')])
    expect(catalogue).toBe(app.get(ModelCacheWrites).cachesIn({ store, namespace }).catalogue)
    expect([...caches().keys()]).toEqual(['GuestUser'])
    const seen = caches().get('GuestUser')!
    expect(seen.cache).toBe(cache('GuestUser'))
    expect(seen.inspected.layout).toContain('GuestUser')
    expect(seen.definition).toBe(guests)
    expect(seen.coverage()).toEqual({ mode: 'answer', canAnswer: true, missing: [] })
    expect(queries()[0]!.models).toContainEqual(expect.objectContaining({ model: 'GuestUser', bypassed: [] }))
    const client = app.get<ReturnType<typeof database.client>>('PRISMA')
    await client.guestUser.findMany({ where: { name: 'Ada' } })
    expect(schema()!.models.has('GuestUser')).toBe(true)
    expect(queries()[0]!.models).toContainEqual(
      expect.objectContaining({ bypassed: [expect.objectContaining({ model: 'GuestUser', count: 1 })] }),
    )
  })

  it('has the queries of a client that reads replicas, if that of forRoot has no `reads`', async () => {
    const replicas = { replica: true, reads: 'all' } as const
    const { app, registry } = await start(
      { prisma: 'PRISMA' },
      [guests],
      [
        provideExtendedPrisma<object>('PRISMA', () => database.client()),
        provideExtendedPrisma<object>('REPLICA', () => database.client(), [], replicas),
      ],
    )
    const { caches, queries } = registry[inspectedRoot]
    expect(caches().get('GuestUser')!.coverage()).toEqual({ mode: 'answer', canAnswer: true, missing: [] })
    const replica = app.get<ReturnType<typeof database.client>>('REPLICA')
    await replica.guestUser.findMany({ where: { name: 'Ada' } })
    expect(queries()[0]!.models).toContainEqual(
      expect.objectContaining({ bypassed: [expect.objectContaining({ model: 'GuestUser', count: 1 })] }),
    )
  })

  it('has the queries of its client and of those that read replicas, each by itself', async () => {
    const reads = 'all' as const
    const { app, registry } = await start(
      { prisma: 'PRISMA' },
      [guests],
      [
        provideExtendedPrisma<object>('PRISMA', () => database.client(), [], { reads }),
        provideExtendedPrisma<object>('REPLICA', () => database.client(), [], { replica: true, reads }),
      ],
    )
    for (const token of ['PRISMA', 'REPLICA', 'REPLICA']) {
      const client = app.get<ReturnType<typeof database.client>>(token)
      await client.guestUser.findMany({ where: { name: 'Ada' } })
    }
    const counted = registry[inspectedRoot].queries().map(({ models }) => models[0]!.bypassed)
    expect(counted).toEqual([1, 2].map((count) => [expect.objectContaining({ model: 'GuestUser', count })]))
  })

  it('has neither before the start, nor queries without a client', async () => {
    const { app, registry } = await compile([root(), ModelCacheModule.forFeature([loaded])])
    expect(registry[inspectedRoot].caches().size).toBe(0)
    await app.init()
    const { caches, metrics, queries, schema, warnings } = registry[inspectedRoot]
    expect([queries(), schema(), caches().get('Loaded')!.coverage()]).toEqual([[], undefined, undefined])
    expect([metrics.prefix, warnings()]).toEqual(['', []])
  })

  it('has the lost guarantees, each of which is logged once', async () => {
    const { lazily, registry, warned } = await start({ prisma: database.client() }, [guests])
    await lazily(
      defineModelCache<Guest>()({
        name: 'Others',
        model: 'GuestUser',
        schema: GuestRow,
        id: 'id',
        ttl: '1m',
      }),
    )
    const losses = warned.filter((text) => text.includes('is not extended'))
    expect(registry[inspectedRoot].warnings().map((loss) => `${loss}.`)).toEqual(losses)
    expect(losses).toHaveLength(1)
  })
})

describe('the state of a root', () => {
  it('is empty before the start', async () => {
    const { app } = await compile([root(), ModelCacheModule.forFeature([loaded])])
    const state = app.get<CacheState>(MODEL_CACHE_STATE)
    expect([state.distrusted, await state.newSchemas(), state.follower]).toEqual([[], new Map(), undefined])
  })

  it('names the caches whose schema is new among running processes, and since when they store rows', async () => {
    const store = new MemoryStore()
    const deploy = (version: number) =>
      start({ store, consistency: { fenceMs: 60_000 } }, [loaded, define('Lot', { version })])
    const before = await deploy(1)
    // A process that has written before may have a write under way that does not know of the new schema.
    const unit = before.app.get(ModelCacheWrites).begin()
    unit.markWritten('Lot', [{ id: '2' }])
    await unit.fence()
    await unit.end()
    const after = await deploy(2)
    const schemas = await after.app.get<CacheState>(MODEL_CACHE_STATE).newSchemas()
    expect([...schemas]).toEqual([['Lot', expect.any(Date)]])
    await after.app.close()
    await before.app.close()
  })

  it('names the caches whose L1 is bypassed', async () => {
    const wire = new Wire()
    wire.subscribe = () => Promise.reject(new Error('there is no connection'))
    const held = define('Held', { l1: {} })
    const { app, cache } = await start({ store: wired(wire) }, [loaded, held])
    await cache('Held').get('1')
    expect(app.get<CacheState>(MODEL_CACHE_STATE).distrusted).toEqual(['Held'])
  })

  it('has what the follower last said', async () => {
    const { calls, follow, said } = givenFollow()
    const { app, registry } = await start({ follow })
    const state = app.get<CacheState>(MODEL_CACHE_STATE)
    expect([state.follower, calls]).toEqual([null, ['start']])
    said.report = {
      follower: 'one',
      atMs: performance.now(),
      state: 'following',
      lagMs: 3,
      lagBytes: 0,
      isStandby: false,
      standbyLagMs: null,
      caches: [],
    }
    expect(state.follower).toBe(said.report)
    expect(registry[inspectedRoot].follow!.report).toBe(said.report)
    await app.close()
    expect(calls).toEqual(['start', 'stop'])
  })
})

describe('a module that is loaded lazily', () => {
  it('has a cache that works at once, and is proved', async () => {
    const { lazily, registry, warned } = await start({}, [])
    await lazily(lossy)
    await eventually(() => warned.length > 0)
    expect(warned).toEqual([expect.stringMatching(/^ModelCache "Lossy": a generated row changed/)])
    await lazily(loaded)
    expect(await registry[inspectedRoot].caches().get('Loaded')!.cache.get('7')).toEqual({ id: '7' })
  })

  it('has the database that rows come from looked at', async () => {
    const { lazily, registry } = await start({ prisma: database.client(), writes: 'manual' }, [])
    await lazily(guests)
    const { cache } = registry[inspectedRoot].caches().get('GuestUser')!
    await eventually(async () => {
      await cache.get('ada')
      return (await cache.explain('ada')).stored.isHit
    })
  })
})

describe('the store of a root', () => {
  it('gets no command of an application that has closed', async () => {
    const wire = new Wire()
    const { app, cache } = await start({ store: wired(wire), warm: {} }, [define('Held', { l1: {} }), loaded])
    await cache('Held').get('1')
    expect(wire.listeners.size).toBeGreaterThan(1)
    await app.close()
    expect(wire.listeners.size).toBe(0)
  })
})

it('has fences wait for the standby that its client reads from, for half of their time', async () => {
  const held = jest.spyOn(ModelCacheWrites.prototype, 'holdFor')
  // Which database it is remains unknown.
  const clientAt = (position: number, onAsked = (): void => {}) =>
    answeringPostgres((sql) => {
      if (!sql.includes('AS position') || sql.includes('AS system')) return undefined
      onAsked()
      return { position: String(position) }
    })
  let asked = 0
  const providers = [
    provideExtendedPrisma<object>('STANDBY', () => clientAt(5, () => void asked++), [], { replica: true }),
    provideExtendedPrisma<object>('PRIMARY', () => clientAt(7)),
  ]
  const options = { prisma: 'STANDBY', primary: 'PRIMARY', consistency: { fenceMs: 60_000 } }
  await start(options, [guests], providers)
  const clock = manualClock()
  const [[replay]] = held.mock.calls as [Parameters<ModelCacheWrites['holdFor']>]
  let hasPassed: boolean | undefined
  const waiting = replay.passed(new AbortController().signal).then((passed) => (hasPassed = passed))
  await eventually(() => asked > 0)
  clock.rest(29_999)
  const before = asked
  await eventually(() => asked > before + 2)
  expect(hasPassed).toBeUndefined()
  clock.rest(1)
  expect(await waiting).toBe(false)
  jest.restoreAllMocks()
})

it('warns of fields that may be secret', async () => {
  const { app, warned } = await start({}, [
    define('Account', { schema: type({ id: 'string', apiSecret: 'string' }) }),
  ])
  await app.close()
  expect(warned).toEqual([expect.stringContaining('apiSecret may be secret')])
})

it('lists each cache in the store at its start', async () => {
  const { registry } = await start({}, [loaded, define('Other')])
  const listed = () => {
    const { catalogue } = registry[inspectedRoot]
    return catalogue.read().then(() => [...catalogue.caches.keys()])
  }
  expect(await listed()).toHaveLength(2)
})

it('skips the ids of a cache that a lazily loaded module is still binding', async () => {
  const wire = new Wire()
  const checked = Promise.withResolvers<readonly object[]>()
  // Something with the methods of a model, whose first answer takes a while.
  const prisma = { guestUser: { findMany: () => checked.promise, findUnique: async () => null } }
  const { registry } = await start({ store: wired(wire), warm: {}, prisma, writes: 'manual' })
  const loading = registry.register(guests)
  const { signal } = new AbortController()
  const processes = new WarmingProcesses('mc', wire)
  await processes.open()
  const found = (await processes.find(new Set(['Loaded']), signal)).get('Loaded')!
  expect(await processes.replay(found, [{ cache: 'GuestUser', id: '1' }], signal)).toMatchObject({
    skipped: 1,
  })
  expect(registry[inspectedRoot].caches().size).toBe(1)
  checked.resolve([])
  await loading
  expect(registry[inspectedRoot].caches().size).toBe(2)
})

it('proves no codec after the end', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] })
  const { app, warned } = await start({}, [lossy])
  await app.close()
  jest.advanceTimersByTime(1_000)
  expect(warned).toEqual([])
})

describe('two roots', () => {
  it('have writes, a follower and a warm-up of their own', async () => {
    const wire = new Wire()
    const { follow, roots } = givenFollow()
    const registry = new Registry()
    const billing = { name: 'billing', store: wired(wire), registry, metricsPrefix: 'app_', follow, warm: {} }
    const { app, warned } = await compile([root(), root(billing)])
    await app.init()
    const ofBilling = (token: string | symbol | Function): unknown => app.get(token, { strict: false })
    expect(ofBilling(getModelCacheWritesToken('billing'))).toBeInstanceOf(ModelCacheWrites)
    expect(ofBilling(getModelCacheWritesToken('billing'))).not.toBe(app.get(ModelCacheWrites))
    expect(ofBilling(getCacheStateToken('billing'))).toMatchObject({ follower: null })
    expect(app.get<CacheState>(MODEL_CACHE_STATE).follower).toBeUndefined()
    const namespace = 'mc:billing'
    const { namespaceCaches: known, log, ...rest } = roots[0]!
    expect(rest).toEqual({
      name: 'billing',
      namespace,
      store: billing.store,
      metrics: { registry, prefix: 'app_' },
    })
    const writes = ofBilling(getModelCacheWritesToken('billing')) as ModelCacheWrites
    expect(known).toBe(writes.cachesIn({ store: billing.store, namespace }))
    log.warn('ModelCache: nobody follows.')
    expect(warned).toContain('Nobody follows.')
    expect([roots.length, [...wire.listeners.keys()].includes(warmKey(namespace))]).toEqual([1, true])
  })
})

describe('a root that does not start', () => {
  it('ends the others as well, as Nest ends none of them', async () => {
    const { calls, follow } = givenFollow()
    const { app } = await compile([
      root({ follow }),
      root({ name: 'billing' }),
      ModelCacheModule.forFeature([guests], 'billing'),
    ])
    expect((await failureOf(app.init())).message).toContain('has no `prisma`')
    expect(calls).toEqual(['start', 'stop'])
  })
})

describe('options of a root', () => {
  it('may be those of the event loop, if it has no name', async () => {
    await (await start({ eventLoop: { budgetMs: 2 } })).app.close()
    const named = compile([root(), root({ name: 'billing', eventLoop: { budgetMs: 2 } })])
    expect((await failureOf(named)).message).toContain('expected it in the options of the unnamed root only')
  })

  it.each<[string, Partial<ModelCacheModuleOptions>]>([
    ['audit.rate', { audit: { rate: 2 } }],
    ['buckets', { buckets: 3 }],
    ['maxNotFoundBytes', { maxNotFoundBytes: -1 }],
    ['maxConcurrentLoads', { maxConcurrentLoads: 0 }],
    ['loadTimeoutMs', { loadTimeoutMs: 0 }],
    ['namespace', { namespace: 'a{b}' }],
    ['consistency', { consistency: { fenceMs: -1 } }],
  ])('%s reaches the caches', async (option, options) => {
    expect((await failureOf(start(options))).message).toContain(`option "${option}`)
  })

  it('describe rows to other processes by the tables of the schema', async () => {
    const { registry } = await start({ prisma: database.client(), writes: 'manual', buckets: 128 }, [guests])
    const { description } = registry[inspectedRoot].caches().get('GuestUser')!.inspected
    expect(description.buckets).toBe(128)
    expect(JSON.stringify(description.tables)).toContain('GuestUser')
  })
})
