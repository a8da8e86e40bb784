import { defineModelCache } from 'model-cache'
import { createModelCache, ValkeyStore, type CacheObserver, type ModelObserver } from 'model-cache/advanced'
import type { Row } from '../scenarios.ts'
import type { OpenStrategy, StrategyEnvironment } from './strategy.ts'

const TTL_MS = 600_000
/** Few enough that every row is stored before the deadline of its command. */
const FILLED_AT_A_TIME = 500

export interface ReadPathOptions {
  /** Whether rows are kept in the memory of the process as well: as many as one storm asks for. */
  readonly l1: boolean
  readonly rows: 'copies' | 'shared'
}

/** This library, read by read. */
export async function openReadPath(
  { url, scenario }: StrategyEnvironment,
  { l1, rows }: ReadPathOptions,
): Promise<OpenStrategy> {
  const { schema, asked } = scenario
  const definition = defineModelCache<Row>()({
    model: 'AuctionItem',
    // Of the fields that the scenario has, which no type knows.
    schema: schema as never,
    id: 'id',
    ttl: TTL_MS,
    rows,
    ...(l1 && { l1: { ttl: TTL_MS, maxEntries: asked.length } }),
  })
  const store = new ValkeyStore({ url })
  await store.connect()
  const counts = { parseMs: 0, memoryHits: 0 }
  let isStored = false
  const cache = createModelCache(definition, {
    store,
    source: {
      async load(ids) {
        if (isStored) throw new Error(`${ids.length} rows that are stored are asked of the source.`)
        return ids.map((id) => ({ ...scenario.rows.get(id)! }))
      },
      mayBlameOneId: () => false,
    },
    observer: countingObserver(counts),
  })
  const ids = [...scenario.rows.keys()]
  for (let i = 0; i < ids.length; i += FILLED_AT_A_TIME) {
    await cache.getMany(ids.slice(i, i + FILLED_AT_A_TIME))
    await cache.drain()
  }
  isStored = true
  return {
    get: (id) => cache.get(id),
    ...(l1 && { remember: async (ids) => void (await cache.getMany(ids)) }),
    take() {
      const taken = { ...counts }
      counts.parseMs = 0
      counts.memoryHits = 0
      return taken
    },
    async close() {
      await cache.close()
      await store.close()
    },
  }
}

function countingObserver(counts: { parseMs: number; memoryHits: number }): CacheObserver {
  const nothing = (): void => {}
  const model: ModelObserver = {
    reads: (layer, outcome, count) => {
      if (layer === 'l1' && outcome === 'hit') counts.memoryHits += count
    },
    syncSeconds: (operation, seconds) => {
      if (operation === 'decode') counts.parseMs += seconds * 1000
    },
    readSeconds: nothing,
    load: nothing,
    invalidations: nothing,
    payloadBytes: nothing,
    batchKeys: nothing,
    largePayloads: nothing,
    misses: nothing,
    fills: nothing,
    newSchemas: nothing,
    unknownWrites: nothing,
    audits: nothing,
    fences: nothing,
    fenceSeconds: nothing,
    slowCommits: nothing,
  }
  return { forModel: () => model, storeChanged: nothing }
}
