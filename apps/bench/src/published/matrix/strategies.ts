import DataLoader from 'dataloader'
import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { modelCaches } from 'model-cache'
import { createModelCache, ValkeyStore, type CacheObserver, type ModelObserver } from 'model-cache/advanced'
import { createPrefixes, revivePrefix } from '../../harness/codecs/prefixes.ts'
import { Decimal } from '../../harness/fixtures/fixture.ts'
import { emptySource, primeFirst } from '../../harness/fixtures/lot-cache.ts'
import { loadSimdjson } from '../simdjson.ts'
import type { Row, ScenarioRows } from './scenarios.ts'

/** A strategy in its own process, connected, with all rows of the scenario stored. */
export interface OpenStrategy {
  /** Reads one row, as a resolver does. */
  get(id: string): Promise<unknown>
  /** Brings rows into the memory layer, least recently used first; only of strategies that have one. */
  remember?(ids: readonly string[]): Promise<unknown>
  /** Milliseconds from text to rows, and reads answered from memory, since the start. */
  readonly counts: { parseMs: number; memoryHits: number }
  close(): unknown
}

export interface Strategy {
  readonly name: string
  readonly note: string
  readonly needsSimdjson?: boolean
  /** @param url of an empty database */
  open(url: string, scenario: ScenarioRows): Promise<OpenStrategy>
}

/** As in this library, so that fetching costs all strategies about the same. */
const KEYS_PER_MGET = 250
const TTL_MS = 600_000

/**
 * All parsers read the same text: JSON in which dates and decimals are strings with a prefix. They look for prefixes in all values, or
 * at the declared places.
 */
const PARSERS = {
  json: () => ({
    parse: (text: string): unknown => JSON.parse(text, revivePrefix),
    restore: (value: unknown): unknown => value,
  }),
  traversal: () => ({ parse: loadSimdjson().parse, restore: reviveAll }),
  paths: ({ places }: ScenarioRows) => ({
    parse: loadSimdjson().parse,
    restore: (row: unknown) => revivePlaces(row, places),
  }),
}

/** Looks for prefixes in every string, in place. */
function reviveAll(value: unknown): unknown {
  if (typeof value === 'string') return revivePrefix('', value)
  if (typeof value !== 'object' || value === null) return value
  const parent = value as Record<string, unknown>
  for (const key of Object.keys(parent)) parent[key] = reviveAll(parent[key])
  return parent
}

/** Removes the prefixes at the declared places, in place. */
function revivePlaces(row: unknown, places: ScenarioRows['places']): unknown {
  const fields = row as Record<string, unknown>
  for (const [name, kind] of places) {
    const text = fields[name]
    if (typeof text !== 'string') continue
    fields[name] =
      kind === 'date' ? new Date(text.slice('date:'.length)) : new Decimal(text.slice('decimal:'.length))
  }
  return fields
}

/** Stores rows as JSON with prefixes. Reads of one turn are fetched together, and each reply is parsed at once, value by value or joined. */
const parsing = (
  name: string,
  note: string,
  parser: keyof typeof PARSERS,
  { isJoined = false, hasLru = false } = {},
): Strategy => ({
  name,
  note: hasLru
    ? `${note}; returns the same object to all callers, and nothing guards it against changes`
    : note,
  needsSimdjson: parser !== 'json',
  async open(url, scenario) {
    const client = new Redis(url)
    const { encode } = createPrefixes()
    for (const [id, row] of scenario.rows) void client.set(id, encode(row))
    await client.ping()
    const { parse, restore } = PARSERS[parser](scenario)
    const counts = { parseMs: 0, memoryHits: 0 }
    const fetch = async (ids: readonly string[]): Promise<unknown[]> => {
      const texts = (await client.mget(...ids)) as string[]
      const start = performance.now()
      const rows = isJoined
        ? (parse(`[${texts.join(',')}]`) as unknown[]).map(restore)
        : texts.map((text) => restore(parse(text)))
      counts.parseMs += performance.now() - start
      return rows
    }
    const loader = new DataLoader<string, unknown>(fetch, {
      cache: false,
      maxBatchSize: KEYS_PER_MGET,
      batchScheduleFn: setImmediate,
    })
    const opened: OpenStrategy = { get: (id) => loader.load(id), counts, close: () => client.disconnect() }
    return hasLru ? behindLru(opened, scenario.wanted.length) : opened
  },
})

/** Behind an LRU of as many rows as one burst reads, which gives the same object to all callers. */
function behindLru(opened: OpenStrategy, max: number): OpenStrategy {
  const memory = new LRUCache<string, object>({ max })
  const load = async (id: string): Promise<unknown> => {
    const row = await opened.get(id)
    memory.set(id, row as object)
    return row
  }
  return {
    ...opened,
    async get(id) {
      const row = memory.get(id)
      if (row === undefined) return load(id)
      opened.counts.memoryHits++
      return row
    },
    // Reading a row that is there makes it the most recent one.
    remember: (ids) => Promise.all(ids.map((id) => memory.get(id) ?? load(id))),
  }
}

/** This library, read by read. */
const readPath = (name: string, note: string, hasL1: boolean, rows: 'copies' | 'shared'): Strategy => ({
  name,
  note,
  async open(url, scenario) {
    const definition = modelCaches().defineModelCache<Row>()({
      model: 'AuctionItem',
      // Of the fields of the scenario, which no type has.
      schema: scenario.schema as never,
      id: 'id',
      ttl: TTL_MS,
      rows,
      ...(hasL1 && { l1: { ttl: TTL_MS, maxEntries: scenario.wanted.length } }),
    })
    const store = new ValkeyStore({ url, deadlineMs: 30_000 })
    await store.connect()
    const counts = { parseMs: 0, memoryHits: 0 }
    const cache = createModelCache(definition, {
      store,
      source: emptySource,
      observer: countingObserver(counts),
    })
    const stored = [...scenario.rows.values()]
    await primeFirst(cache, stored.length, (place) => stored[place]!)
    return {
      get: (id) => cache.get(id),
      ...(hasL1 && { remember: (ids) => cache.getMany(ids) }),
      counts,
      async close() {
        await cache.close()
        await store.close()
      },
    }
  },
})

function countingObserver(counts: OpenStrategy['counts']): CacheObserver {
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

const JOINED = { isJoined: true }
const LRU = { hasLru: true }

/** In the order of the published table; ours are last. */
export const allStrategies: readonly Strategy[] = [
  parsing(
    'baseline',
    'JSON.parse of each value, with a reviver that looks for prefixes in every string',
    'json',
  ),
  parsing(
    'simdjson-traversal',
    'simdjson.parse of each value, then a walk over all of it for prefixes',
    'traversal',
  ),
  parsing(
    'simdjson-paths',
    'simdjson.parse of each value, then a visit of the declared dates and decimals',
    'paths',
  ),
  parsing(
    'array-json',
    'the values of each reply joined to one array, one JSON.parse with the reviver',
    'json',
    JOINED,
  ),
  parsing('array-simdjson-traversal', 'the same array, simdjson.parse and the walk', 'traversal', JOINED),
  parsing('array-simdjson-paths', 'the same array, simdjson.parse and the declared places', 'paths', JOINED),
  parsing('lru', 'lru-cache of restored rows in front of the baseline', 'json', LRU),
  parsing('lru-simdjson-traversal', 'lru-cache in front of simdjson-traversal', 'traversal', LRU),
  parsing('lru-simdjson-paths', 'lru-cache in front of simdjson-paths', 'paths', LRU),
  readPath(
    'model-cache',
    'this library without L1: record format, decoded in slices of 4 ms',
    false,
    'copies',
  ),
  readPath('model-cache-l1', 'this library with L1; every caller gets a copy', true, 'copies'),
  readPath(
    'model-cache-l1-shared',
    'this library with L1 and `rows: "shared"`: one frozen row for all',
    true,
    'shared',
  ),
]
