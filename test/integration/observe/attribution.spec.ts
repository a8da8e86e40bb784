import { setTimeout as delay } from 'node:timers/promises'
import { GraphQLModule } from '@nestjs/graphql'
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { type } from 'arktype'
import { type CacheOf, getModelCacheToken, ModelCacheModule, modelCaches } from 'model-cache'
import { eventuallyEqual } from '../../support/eventually.js'
import { blocksOf, describeAttribution, untilBlocksAreNamed, valueOf } from './describe-attribution.js'
import { type Platform, startWatched } from './handlers.js'

const { defineModelCache } = modelCaches()

const fastify: Platform = {
  adapter: () => new FastifyAdapter(),
  graphql: {
    module: () =>
      GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true }),
    unavailable: 503,
  },
}

describeAttribution('Express', { adapter: () => new ExpressAdapter() })
describeAttribution('Fastify with Mercurius', fastify)

interface Report {
  id: string
  lines: { text: string; at: Date }[]
}

const reports = defineModelCache<Report>()({
  model: 'Report',
  schema: type({ id: 'string', lines: type({ text: 'string', at: 'Date' }).array() }),
  id: 'id',
  ttl: '1m',
  format: 'json',
  dependsOn: [],
  load: (_client, ids) => {
    const lines = Array.from({ length: 300_000 }, () => ({
      text: 'a line of a huge report',
      at: new Date(0),
    }))
    return (ids as string[]).map((id) => ({ id, lines }))
  },
})

describe('a huge cached value', () => {
  it('is named by its model and operation, and the caches as what blocked', async () => {
    // On a busy machine it takes seconds to make the text of the row, and its lease has to last that long.
    const options = { memory: { maxEntries: 10 }, consistency: { leaseMs: 600_000 } }
    const watched = await startWatched(fastify, options, [ModelCacheModule.forFeature([reports])])
    await untilBlocksAreNamed(watched)
    const cache = watched.app.get<CacheOf<typeof reports>>(getModelCacheToken(reports))
    const { registry } = watched
    const fills = 'model_cache_fills_total'
    await cache.get('1')
    const outcome = { model: 'Report', outcome: 'stored' }
    await eventuallyEqual(() => valueOf(registry, fills, fills, outcome), 1)
    await cache.get('1')
    await delay(30)
    const labels = { model: 'Report', op: 'decode' }
    const total = await valueOf(registry, 'model_cache_sync_seconds', 'model_cache_sync_seconds_sum', labels)
    const count = await valueOf(
      registry,
      'model_cache_sync_seconds',
      'model_cache_sync_seconds_count',
      labels,
    )
    // One row is one section, however long; slices are of 4 ms.
    expect(count).toBe(1)
    expect(total).toBeGreaterThan(0.004 * 5)
    const large = 'model_cache_large_rows_total'
    expect(await valueOf(registry, large, large, { model: 'Report' })).toBe(2)
    expect(await blocksOf(registry)).toHaveProperty(['model-cache'])
    await watched.app.close()
  })
})
