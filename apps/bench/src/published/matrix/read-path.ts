import { modelCaches } from 'model-cache'
import { createModelCache, ValkeyStore, type CacheObserver, type ModelObserver } from 'model-cache/advanced'
import { sourceOf } from '../../harness/fixtures/lot-cache.ts'
import type { Row } from './scenarios.ts'
import type { OpenStrategy, Strategy, StrategyEnvironment } from './strategy.ts'

const { defineModelCache } = modelCaches()

const TTL_MS = 600_000
/** Few enough that every row is stored before the deadline of its command. */
const FILLED_AT_A_TIME = 500

/** This library, read by read. */
export const readPath = (name: string, note: string, l1: boolean, rows: 'copies' | 'shared'): Strategy => ({
  name,
  note,
  needsSimdjson: false,
  open: (environment) => openReadPath(environment, l1, rows),
})

async function openReadPath(
  { url, scenario }: StrategyEnvironment,
  l1: boolean,
  rows: 'copies' | 'shared',
): Promise<OpenStrategy> {
  const { schema, wanted } = scenario
  const definition = defineModelCache<Row>()({
    model: 'AuctionItem',
    // Of the fields of the scenario, which no type has.
    schema: schema as never,
    id: 'id',
    ttl: TTL_MS,
    rows,
    ...(l1 && { l1: { ttl: TTL_MS, maxEntries: wanted.length } }),
  })
  const store = new ValkeyStore({ url })
  await store.connect()
  const counts = { parseMs: 0, memoryHits: 0 }
  let isStored = false
  const source = sourceOf(async (ids: readonly string[]) => {
    if (isStored) throw new Error(`${ids.length} rows are loaded although they are stored.`)
    return ids.map((id) => ({ ...scenario.rows.get(id)! }))
  })
  const cache = createModelCache(definition, { store, source, observer: countingObserver(counts) })
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
  const counting: Partial<ModelObserver> = {
    reads: (layer, outcome, count) => {
      if (layer === 'l1' && outcome === 'hit') counts.memoryHits += count
    },
    syncSeconds: (operation, seconds) => {
      if (operation === 'decode') counts.parseMs += seconds * 1000
    },
  }
  const model = new Proxy(counting, { get: (known, name: keyof ModelObserver) => known[name] ?? nothing })
  return { forModel: () => model as ModelObserver, storeChanged: nothing }
}
