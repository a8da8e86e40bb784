import { randomUUID } from 'node:crypto'
import type { INestApplication, ModuleMetadata } from '@nestjs/common'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'
import {
  type CacheOf,
  getModelCacheToken,
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
} from 'model-cache'
import { type InspectorMount, type InspectorOptions, ModelCacheInspectorModule } from '@model-cache/inspector'
import { EventLoopPressure, type Pressure } from '@model-cache/event-loop'
import { Registry } from 'prom-client'
import { type Prisma, PrismaClient } from '#prisma/client/client.js'
import { openDatabase } from '#prisma/database.js'
import { applyMigrations } from '#prisma/migrate.js'
import { patientMs } from '../../support/patience.js'
import { createDatabase, valkeyUrl } from '../../support/servers.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
export const guests = defineModelCache('GuestUser', { ttl: '1m', lists: { named: { by: 'name' } } })

export const platforms = ['express', 'fastify'] as const

/** Records what is logged. */
class Log {
  readonly lines: string[] = []
  readonly log = (message: unknown): void => void this.lines.push(String(message))
  readonly warn = this.log
  readonly error = this.log
}

export interface Setting {
  readonly platform?: (typeof platforms)[number]
  readonly inspector?: InspectorOptions & InspectorMount
  readonly options?: ModelCacheModuleOptions
  readonly imports?: ModuleMetadata['imports']
  readonly providers?: ModuleMetadata['providers']
  readonly controllers?: ModuleMetadata['controllers']
  readonly trustsProxy?: boolean
  /** Instead of that of the process. */
  readonly pressure?: Pressure
  /** Before the application is initialized. */
  readonly configure?: (app: INestApplication) => void
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line typescript/no-explicit-any -- each test knows the shape of its answer
  readonly json: any
}

export interface InspectedApplication {
  readonly app: INestApplication
  readonly url: string
  readonly logged: readonly string[]
  cache<Definition extends { readonly name: string }>(definition: Definition): CacheOf<Definition>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, headers?: Record<string, string>): Promise<Answer>
  close(): Promise<void>
}

/** A database, and applications with an inspector that share its caches. Everything is closed after the tests. */
export function useInspectedApplications() {
  const namespace = `inspector-${randomUUID()}`
  const closing: (() => Promise<unknown>)[] = []
  const world = {
    prisma: undefined as unknown as PrismaClient,
    /** Returns another plain client of the database. */
    connect: undefined as unknown as () => PrismaClient,
    namespace,
    start,
  }

  beforeAll(async () => {
    const { url, drop } = await createDatabase()
    const database = await openDatabase({ url })
    await database.withSession(applyMigrations)
    world.connect = () => new PrismaClient({ adapter: database.adapter })
    world.prisma = world.connect()
    closing.push(
      drop,
      () => database.close(),
      () => world.prisma.$disconnect(),
    )
  })
  afterAll(async () => {
    for (const close of closing.toReversed()) await close()
  })

  /** Rejects if the application does not start. */
  async function start(setting: Setting = {}): Promise<InspectedApplication> {
    const {
      platform = 'fastify',
      inspector = {},
      imports = [],
      providers = [],
      controllers = [],
      configure,
    } = setting
    const log = new Log()
    const root: ModelCacheModuleOptions = {
      valkey: { url: valkeyUrl(), deadlineMs: patientMs },
      prisma: world.prisma,
      ...(setting.options?.prisma === undefined && { writes: 'manual' }),
      namespace,
      registry: new Registry(),
      ...setting.options,
    }
    const builder = Test.createTestingModule({
      imports: [
        ModelCacheModule.forRoot(root),
        ModelCacheModule.forFeature([guests]),
        ModelCacheInspectorModule.forRoot(inspector),
        ...imports,
      ],
      providers,
      controllers,
    }).setLogger(log)
    if (setting.pressure) builder.overrideProvider(EventLoopPressure).useValue(setting.pressure)
    const testing = await builder.compile()
    const app = testing.createNestApplication(adapterOf(platform, setting.trustsProxy ?? false))
    configure?.(app)
    const close = () => app.close()
    closing.push(close)
    await app.listen(0, '127.0.0.1')
    const url = await app.getUrl()
    return {
      app,
      url,
      logged: log.lines,
      cache: (definition) => app.get(getModelCacheToken(definition)),
      get: (path, headers = {}) => request(url + path, 'GET', headers),
      post: (path, headers = { 'x-model-cache-inspector': '1' }) => request(url + path, 'POST', headers),
      close,
    }
  }

  return world
}

function adapterOf(
  platform: (typeof platforms)[number],
  trustsProxy: boolean,
): ExpressAdapter | FastifyAdapter {
  if (platform === 'fastify') return new FastifyAdapter({ trustProxy: trustsProxy })
  const adapter = new ExpressAdapter()
  adapter.set('trust proxy', trustsProxy)
  return adapter
}

async function request(url: string, method: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, { method, headers, redirect: 'manual' })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  }
}
