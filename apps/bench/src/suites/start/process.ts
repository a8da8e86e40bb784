/** The process that starts an application once: none of its code is warm. It loads the library only with caches. */
import 'reflect-metadata'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ModuleMetadata } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { ModelCache } from 'model-cache'
import { serveParent } from '../../harness/process.ts'
import { cpuTime } from '../../harness/processor.ts'
import { median } from '../../harness/statistics.ts'
import { clientOf, type ModelShape, modelShapes } from './models.ts'

/** What a whole application has besides Nest and Prisma. */
export type Parts = 'nothing' | 'packages' | 'caches'

/** @param restMs in all methods, time for work in the background after the start */
const methods = serveParent({
  /** Starts an application with this number of models, derived from a Prisma client or described by hand. */
  async start({ models, derived, restMs }: { models: number; derived: boolean; restMs: number }) {
    const { defineCaches, deriveCaches } = await import('./caches.ts')
    const open = await opener()
    const shapes = modelShapes(models)
    const prisma = derived ? await askedClientOf(shapes) : undefined
    const [caches, definitions] = await timed(() => (derived ? deriveCaches : defineCaches)(shapes))
    const [app, start] = await timed(() => open(caches, prisma))
    const [, background] = await timed(() => sleep(restMs))
    await app.close()
    return { definitions, start, background }
  },

  /** Starts an application and reads a row of each model twice, one after another: from its source, then from the store. */
  async read({ models, restMs }: { models: number; restMs: number }) {
    const { getModelCacheToken } = await import('model-cache')
    const { defineCaches } = await import('./caches.ts')
    const definitions = defineCaches(modelShapes(models))
    const app = await (await opener())(definitions)
    await sleep(restMs)
    const loads: number[] = []
    const hits: number[] = []
    for (const definition of definitions) {
      const cache = app.get<ModelCache<unknown, string>>(getModelCacheToken(definition))
      for (const times of [loads, hits]) {
        const [row, { wallMs }] = await timed(() => cache.get('a'))
        if (row === null) throw new Error(`A row of ${definition.name} was not found.`)
        times.push(wallMs)
      }
    }
    await app.close()
    return { loadMs: median(loads), hitMs: median(hits) }
  },

  /** Starts an application and returns what its process has taken so far. */
  async startWhole({ models, parts, restMs }: { models: number; parts: Parts; restMs: number }) {
    const prisma = await askedClientOf(modelShapes(models))
    // As an application with a Redis client and metrics of its own loads them.
    if (parts === 'packages') await Promise.all([import('ioredis'), import('prom-client')])
    const imports = parts === 'caches' ? await cachesOf(prisma, models) : []
    const app = await createApp({ imports, providers: [{ provide: 'prisma', useValue: prisma }] })
    const startMs = cpuTime()
    await sleep(restMs)
    const restedMs = cpuTime()
    globalThis.gc!()
    const { heapUsed, rss } = process.memoryUsage()
    await app.close()
    return { startMs, restedMs, heapMiB: heapUsed / 2 ** 20, rssMiB: rss / 2 ** 20 }
  },
})
export type Starting = typeof methods

/** A client that has been asked once: there is no database, but Prisma has loaded what compiles queries. */
async function askedClientOf(shapes: readonly ModelShape[]) {
  const prisma = clientOf(shapes)
  await prisma.$queryRaw`SELECT 1`.catch(() => {})
  return prisma
}

/** The result, and milliseconds by the clock and of processor time in all threads. */
async function timed<T>(work: () => T | Promise<T>) {
  const [wallBefore, cpuBefore] = [performance.now(), cpuTime()]
  const result = await work()
  return [result, { wallMs: performance.now() - wallBefore, cpuMs: cpuTime() - cpuBefore }] as const
}

const createApp = (metadata: ModuleMetadata) =>
  NestFactory.createApplicationContext({ module: class Application {}, ...metadata }, { logger: false })

async function opener() {
  const { ModelCacheModule } = await import('model-cache')
  const { MemoryStore } = await import('model-cache/advanced')
  return (definitions: Parameters<typeof ModelCacheModule.forFeature>[0], prisma?: object) =>
    createApp({
      imports: [
        ModelCacheModule.forRoot({ store: new MemoryStore(), writes: 'manual', ...(prisma && { prisma }) }),
        ModelCacheModule.forFeature(definitions),
      ],
    })
}

async function cachesOf(prisma: object, models: number) {
  const { ModelCacheModule, modelCaches } = await import('model-cache')
  // eslint-disable-next-line typescript/no-explicit-any -- models that no client was generated for
  const { defineModelCache } = modelCaches<any>()
  const caches = modelShapes(models).map(({ name }) => defineModelCache(name, { ttl: '1h' } as never))
  return [
    ModelCacheModule.forRoot({ prisma, writes: 'manual' }),
    ModelCacheModule.forFeature(caches as never),
  ]
}
