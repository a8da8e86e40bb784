/** The process that starts an application once: none of its code is warm. */
import 'reflect-metadata'
import { setTimeout as sleep } from 'node:timers/promises'
import { NestFactory } from '@nestjs/core'
import { getModelCacheToken, type ModelCache, ModelCacheModule } from 'model-cache'
import { MemoryStore } from 'model-cache/advanced'
import { serveParent } from '../../harness/process.ts'
import { cpuTime } from '../../harness/processor.ts'
import { mean, median } from '../../harness/statistics.ts'
import { clientOf } from './client-of.ts'
import { defineCaches, type Definitions, deriveCaches } from './define-caches.ts'
import { modelShapes } from './models.ts'

/** Milliseconds by the clock, and of processor time in all threads. */
export interface Took {
  readonly wallMs: number
  readonly cpuMs: number
}

const methods = serveParent({
  fieldsPerModel: (models: number) =>
    mean(modelShapes(models).map(({ fields }) => Object.keys(fields).length)),

  /**
   * Starts an application with this number of models, derived from a Prisma client or described by hand, then leaves it alone.
   *
   * @param restMs time for work in the background
   */
  async start({ models, derived, restMs }: { models: number; derived: boolean; restMs: number }) {
    const shapes = modelShapes(models)
    const prisma = derived ? clientOf(shapes) : undefined
    const [definitions, schemasTook] = await timed(() => (derived ? deriveCaches : defineCaches)(shapes))
    const [app, startTook] = await timed(() => open(definitions, prisma))
    const [, restTook] = await timed(() => sleep(restMs))
    await app.close()
    return { schemas: schemasTook, start: startTook, restCpuMs: restTook.cpuMs }
  },

  /**
   * Starts an application and reads a row of each model twice, one after another: from its source, then from the store.
   *
   * @param restMs time between start and reads for work in the background
   */
  async read({ models, restMs }: { models: number; restMs: number }) {
    const definitions = defineCaches(modelShapes(models))
    const app = await open(definitions)
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
})
export type Starting = typeof methods

async function timed<T>(work: () => T | Promise<T>): Promise<[T, Took]> {
  const [wallBefore, cpuBefore] = [performance.now(), cpuTime()]
  const result = await work()
  return [result, { wallMs: performance.now() - wallBefore, cpuMs: cpuTime() - cpuBefore }]
}

function open(definitions: Definitions, prisma?: object) {
  const imports = [
    ModelCacheModule.forRoot({ store: new MemoryStore(), writes: 'manual', ...(prisma && { prisma }) }),
    ModelCacheModule.forFeature(definitions),
  ]
  const application = class Application {}
  return NestFactory.createApplicationContext({ module: application, imports }, { logger: false })
}
