import 'reflect-metadata'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type CacheOf, getModelCacheToken, ModelCacheModule, ModelCacheWrites } from 'model-cache'
import { createCacheMetrics, MemoryStore } from 'model-cache/advanced'
import type { CacheObserver } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import { AT_REST, UNCONFIGURED, type AllocationCase, type Operation } from './allocation-case.ts'
import { countedLots, idOf, openLots, readOne, readsOf, type LotsOptions } from './counted-lots.ts'

const hook = (name: string, open: () => Promise<Operation>): AllocationCase => ({
  name,
  group: 'hook',
  per: 1,
  open,
})

/** A hit of the store, by what is configured beside it. */
export const hookCases: readonly AllocationCase[] = [
  hook(UNCONFIGURED, () => readWith({})),
  hook(AT_REST[0]!, () => readWith({ observer: silentObserver() })),
  hook(AT_REST[1]!, () => readWith({ writes: new ModelCacheWrites() })),
  hook(AT_REST[2]!, () => readWith({ pressure: { value: 0 } })),
  hook('metrics', () => readWith({ observer: createCacheMetrics(new Registry()) })),
  { ...hook('as Nest wires it, nobody subscribed', () => readInNest(false)), tolerance: 0.05 },
  { ...hook('as Nest wires it, read channel subscribed', () => readInNest(true)), tolerance: 0.05 },
  hook('within a transaction', readInTransaction),
]

const readWith = (parts: LotsOptions): Promise<Operation> => readOne(openLots('copies', parts))

/** Not the library's own, which is the default. */
function silentObserver(): CacheObserver {
  const nothing = (): void => {}
  const observer = new Proxy({} as ReturnType<CacheObserver['forModel']>, { get: () => nothing })
  return { forModel: () => observer, storeChanged: nothing }
}

/** Metrics, channels, pressure and writes, as an application has them. */
async function readInNest(isSubscribed: boolean): Promise<Operation> {
  class CountedModule {}
  Module({
    imports: [
      ModelCacheModule.forRoot({
        store: new MemoryStore(),
        prisma: {},
        registry: new Registry(),
        // Without the watching thread, which would write to the profile of this one.
        eventLoop: { budgetMs: 1_000, resolutionMs: 1_000, nameBlocksFromMs: 0 },
      }),
      ModelCacheModule.forFeature([countedLots]),
    ],
  })(CountedModule)
  const application = await NestFactory.createApplicationContext(CountedModule, { logger: false })
  const cache = application.get<CacheOf<typeof countedLots>>(getModelCacheToken(countedLots))
  const run = await readsOf(cache)
  // From the source, until the row is stored.
  while (!(await cache.explain(idOf(0))).stored.isHit) await run()
  const listener = (): void => {}
  if (isSubscribed) subscribe('model-cache:read', listener)
  return {
    run,
    async close() {
      if (isSubscribed) unsubscribe('model-cache:read', listener)
      await application.close()
    },
  }
}

/** Bypasses the cache. */
async function readInTransaction(): Promise<Operation> {
  const writes = new ModelCacheWrites()
  const cache = openLots('copies', { writes })
  const unit = writes.begin()
  return { run: () => writes.within(unit, {}, () => cache.get(idOf(0))), close: () => cache.close() }
}
