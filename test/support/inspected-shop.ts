import { type } from 'arktype'
import { Registry } from 'prom-client'
import { defineModelCache } from '../../libs/model-cache/src/cache/policy/definition.js'
import { createCacheMetrics } from '../../libs/model-cache/src/metrics/cache-metrics.js'
import type { InspectedRoot, RootCache } from '../../libs/model-cache/src/nest/inspected-root.js'
import { MemoryStore, ModelCacheWrites, type Store } from '../../libs/model-cache/src/protocol/index.js'
import { createTestCache } from '../../libs/model-cache/src/testing/test-cache.js'

export interface Lot {
  id: number
  slug: string
  house: string
  name: string
}
export const lot = (id: number, house = 'north', name = `lot ${id}`): Lot => ({
  id,
  slug: `lot-${id}`,
  house,
  name,
})

const lotSchema = type({ id: 'number', slug: 'string', house: 'string', name: 'string' })
const defineLots = (name: string) =>
  defineModelCache<Lot>()({
    model: 'Lot',
    name,
    schema: lotSchema,
    id: 'id',
    ttl: '1m',
    l1: { ttl: '1m' },
    unique: { bySlug: 'slug' },
    lists: { ofHouse: { by: 'house', orderBy: { id: 'asc' } } },
  })

interface Seat {
  row: string
  place: number
}
const seats = defineModelCache<Seat>()({
  model: 'Seat',
  schema: type({ row: 'string', place: 'number' }),
  id: ['row', 'place'],
  ttl: '1m',
})

export interface ShopOptions {
  /** The name of its root. @default none */
  readonly name?: string
  /** The name of the cache of lots. @default Lot */
  readonly lotsName?: string
  /** @default one of its own */
  readonly store?: Store
  readonly lots?: Lot[]
  /** Replaces parts of the root. */
  readonly root?: Partial<InspectedRoot>
}

/** A root with two caches over rows in memory, as the inspector sees it. Everything is real but for the source. */
export function openShop(options: ShopOptions = {}) {
  const { name, lotsName = 'Lot', store = new MemoryStore(), lots = [], root } = options
  const registry = new Registry()
  const observer = createCacheMetrics(registry, { prefix: 'shop_', root: name })
  const writes = new ModelCacheWrites({ store })
  const shared = { store, writes, observer }
  const opened = createTestCache(defineLots(lotsName), lots, shared)
  const { cache: seatCache } = createTestCache(seats, [{ row: 'a', place: 1 }], shared)
  const asRootCache = (cache: typeof opened.cache | typeof seatCache) =>
    ({ cache, inspected: cache.inspected, coverage: () => undefined }) as unknown as RootCache
  const caches = new Map([
    [lotsName, asRootCache(opened.cache)],
    ['Seat', asRootCache(seatCache)],
  ])
  const inspected: InspectedRoot = {
    name,
    namespace: 'mc',
    store,
    catalogue: writes.knownIn({ store }).catalogue,
    follow: undefined,
    warnings: () => [],
    metrics: { registry, prefix: 'shop_' },
    queries: () => undefined,
    suggest: () => undefined,
    caches: () => caches,
    ...root,
  }
  return {
    root: inspected,
    cache: opened.cache,
    caches,
    lots: opened.rows,
    registry,
    observer,
    seats: seatCache,
  }
}
