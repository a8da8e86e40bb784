/** The process of a whole application, which starts once, with caches or without. It loads the library only with caches. */
import 'reflect-metadata'
import { setTimeout as sleep } from 'node:timers/promises'
import { NestFactory } from '@nestjs/core'
import { serveParent } from '../../harness/process.ts'
import { cpuTime } from '../../harness/processor.ts'
import { clientOf } from './client-of.ts'
import { modelShapes } from './models.ts'

/** What an application has besides Nest and Prisma. */
export type Parts = 'nothing' | 'packages' | 'caches'

const methods = serveParent({
  /**
   * Starts an application and returns what its process has taken so far.
   *
   * @param restMs time for work in the background
   */
  async start({ models, parts, restMs }: { models: number; parts: Parts; restMs: number }) {
    const prisma = clientOf(modelShapes(models))
    // There is no database, but Prisma loads what compiles queries.
    await prisma.$queryRaw`SELECT 1`.catch(() => {})
    // As an application with a Redis client and metrics of its own loads them.
    if (parts === 'packages') await Promise.all([import('ioredis'), import('prom-client')])
    const imports = parts === 'caches' ? await cachesOf(prisma, models) : []
    const module = class Application {}
    const providers = [{ provide: 'prisma', useValue: prisma }]
    const app = await NestFactory.createApplicationContext({ module, imports, providers }, { logger: false })
    const startMs = cpuTime()
    await sleep(restMs)
    const restedMs = cpuTime()
    globalThis.gc!()
    const { heapUsed, rss } = process.memoryUsage()
    await app.close()
    return { startMs, restedMs, heapMiB: heapUsed / 2 ** 20, rssMiB: rss / 2 ** 20 }
  },
})
export type Whole = typeof methods

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
