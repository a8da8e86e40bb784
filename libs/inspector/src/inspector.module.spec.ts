import 'reflect-metadata'
import { type CanActivate, Injectable, Module, type ModuleMetadata } from '@nestjs/common'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'
import { type } from 'arktype'
import { Registry } from 'prom-client'
import { EventLoopModule } from '@model-cache/event-loop'
import { ModelCacheModule, modelCaches } from 'model-cache'
import { MemoryStore } from 'model-cache/testing'
import { Inspector } from './inspector.js'
import { ModelCacheInspectorModule } from './inspector.module.js'
import type { InspectorMount } from './inspector.options.js'

const { defineModelCache } = modelCaches()
const lots = defineModelCache<{ id: number }>()({
  model: 'Lot',
  schema: type({ id: 'number' }),
  id: 'id',
  ttl: '1m',
  dependsOn: [],
  load: (_client, ids) => ids.map((id) => ({ id })),
})

@Injectable()
class Sessions {
  readonly isOpen = true
}

@Module({ providers: [Sessions], exports: [Sessions] })
class SessionModule {}

@Injectable()
class SessionGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  canActivate(): boolean {
    return this.sessions.isOpen
  }
}

const apps: NestFastifyApplication[] = []

async function start(inspector: NonNullable<ModuleMetadata['imports']>[number]) {
  const warnings: string[] = []
  const logger = {
    log: () => {},
    error: () => {},
    warn: (message: unknown) => void warnings.push(String(message)),
  }
  const root = ModelCacheModule.forRoot({ store: new MemoryStore(), registry: new Registry() })
  const testing = await Test.createTestingModule({
    imports: [root, ModelCacheModule.forFeature([lots]), inspector],
  })
    .setLogger(logger)
    .compile()
  const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter())
  apps.push(app)
  await app.init()
  await app.getHttpAdapter().getInstance().ready()
  const get = (url: string) => app.inject({ method: 'GET', url })
  return { app, get, unguarded: () => warnings.filter((message) => message.includes('has no guards')) }
}

describe('an application with an inspector', () => {
  const environment = process.env.NODE_ENV
  afterEach(async () => {
    process.env.NODE_ENV = environment
    await Promise.all(apps.splice(0).map((app) => app.close()))
  })

  it('serves the page and the API at its default path, and warns that it has no guards', async () => {
    const { app, get, unguarded } = await start(ModelCacheInspectorModule.forRoot())
    expect((await get('/inspector')).body).toContain('"./inspector/assets/')
    expect((await get('/inspector/assets/main.js')).statusCode).toBe(200)
    const caches = await get('/inspector/api/v1/caches')
    expect(caches.json()).toMatchObject({ caches: [{ name: 'Lot', root: null, actions: [] }], foreign: [] })
    expect(unguarded()).toEqual([expect.stringContaining('The inspector at "inspector" has no guards')])
    expect(await app.get(Inspector, { strict: false }).ownProcess()).toMatchObject({ pid: process.pid })
  })

  it('has the defaults in place of options that are undefined', async () => {
    const nothing = { path: undefined, guards: undefined, imports: undefined } as unknown as InspectorMount
    const { get, unguarded } = await start(ModelCacheInspectorModule.forRoot(nothing))
    expect((await get('/inspector')).statusCode).toBe(200)
    expect(unguarded()).toHaveLength(1)
  })

  it('takes guards with their modules, and warns of nothing', async () => {
    const { get, unguarded } = await start(
      ModelCacheInspectorModule.forRoot({ path: 'admin', guards: [SessionGuard], imports: [SessionModule] }),
    )
    expect((await get('/admin')).statusCode).toBe(200)
    expect(unguarded()).toEqual([])
    const refusing = await start(
      ModelCacheInspectorModule.forRoot({ guards: [{ canActivate: () => false }] }),
    )
    for (const path of ['', '/assets/main.js', '/api/v1/caches'])
      expect((await refusing.get(`/inspector${path}`)).statusCode).toBe(403)
  })

  it('takes its options from a factory with modules of its own', async () => {
    const mounted = ModelCacheInspectorModule.forRootAsync({
      imports: [SessionModule],
      inject: [Sessions],
      useFactory: ({ isOpen }: Sessions) => ({ actions: isOpen ? ['invalidate'] : [] }),
    })
    const { get } = await start(mounted)
    const caches = await get('/inspector/api/v1/caches')
    expect(caches.json()).toMatchObject({ caches: [{ actions: ['invalidate'] }] })
  })

  it.each([
    ['no options', undefined, 'the options of ModelCacheInspectorModule are undefined; expected an object.'],
    [
      'guards, which would not be asked',
      { guards: [SessionGuard] },
      'returns the option "guards", which has no',
    ],
    ['a path, which would not be used', { path: 'admin' }, 'returns the option "path", which has no effect'],
  ])('does not start where a factory returns %s', async (_, options, problem) => {
    const mounted = ModelCacheInspectorModule.forRootAsync({ useFactory: () => options as never })
    await expect(start(mounted)).rejects.toThrow(problem)
  })

  it('does not start in production without a guard', async () => {
    process.env.NODE_ENV = 'production'
    await expect(start(ModelCacheInspectorModule.forRoot())).rejects.toMatchObject({
      code: 'E_UNGUARDED_INSPECTOR',
    })
    const guards = [{ canActivate: () => true }]
    const { get } = await start(ModelCacheInspectorModule.forRoot({ guards }))
    expect((await get('/inspector')).statusCode).toBe(200)
  })

  it('does not start with permissions for a cache that it does not have', async () => {
    await expect(start(ModelCacheInspectorModule.forRoot({ show: { Bid: '*' } }))).rejects.toThrow(
      'option "show" names the cache "Bid", and this application has Lot.',
    )
    const { get } = await start(ModelCacheInspectorModule.forRoot({ show: { Lot: '*' } }))
    expect((await get('/inspector')).statusCode).toBe(200)
  })

  it.each([
    ['nothing else', []],
    ['the module of the event loop', [EventLoopModule.forRoot()]],
  ])('does not start without caches, beside %s', async (_, imports) => {
    const compile = Test.createTestingModule({ imports: [...imports, ModelCacheInspectorModule.forRoot()] })
      .setLogger(false as never)
      .compile()
    await expect(compile).rejects.toMatchObject({ code: 'E_MISSING_CACHES' })
  })
})
