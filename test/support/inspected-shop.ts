import { type } from 'arktype'
import { ModelCacheWrites, modelCaches } from 'model-cache'
import { createCacheMetrics, type ReadThroughCache, type Store } from 'model-cache/advanced'
import type { QueryCoverage } from '@model-cache/inspector'
import { createTestCache, MemoryStore } from 'model-cache/testing'
import { Registry } from 'prom-client'

const { defineModelCache } = modelCaches()

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
  readonly root?: object
}

type ShopDefinition = ReturnType<typeof defineLots> | typeof seats
type AnyCache = ReadThroughCache<unknown, unknown>

/** As the inspector takes it of a root. */
interface ShopCache {
  readonly cache: AnyCache
  readonly inspected: AnyCache['inspected']
  readonly definition: ShopDefinition
  coverage(): QueryCoverage | undefined
}

/** A root with two caches over rows in memory, as the inspector sees it. Everything is real but for the source. */
export function openShop(options: ShopOptions = {}) {
  const { name, lotsName = 'Lot', store = new MemoryStore(), lots = [], root } = options
  const registry = new Registry()
  const observer = createCacheMetrics(registry, { prefix: 'shop_', root: name })
  const writes = new ModelCacheWrites({ store })
  const shared = { store, writes, observer }
  const definition = defineLots(lotsName)
  const opened = createTestCache(definition, lots, shared)
  const { cache: seatCache } = createTestCache(seats, [{ row: 'a', place: 1 }], shared)
  const asShopCache = (cache: unknown, definition: ShopDefinition): ShopCache => ({
    cache: cache as AnyCache,
    inspected: (cache as AnyCache).inspected,
    definition,
    coverage: () => undefined,
  })
  const caches = new Map([
    [lotsName, asShopCache(opened.cache, definition)],
    ['Seat', asShopCache(seatCache, seats)],
  ])
  const inspected = {
    name,
    namespace: 'mc',
    store,
    catalogue: writes.cachesIn({ store }).catalogue,
    messages: (store as Store).messages,
    mode: 'available' as const,
    database: (): string | undefined => undefined,
    follow: undefined,
    warnings: (): readonly string[] => [],
    metrics: { registry, prefix: 'shop_' },
    queries: () => [],
    schema: () => undefined,
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
