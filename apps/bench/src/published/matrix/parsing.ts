import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { createPrefixes, revivePrefix } from '../../harness/codecs/prefixes.ts'
import { Decimal } from '../../harness/fixtures/fixture.ts'
import { loadSimdjson } from '../simdjson.ts'
import type { ScenarioRows } from './scenarios.ts'
import type { OpenStrategy, Strategy } from './strategy.ts'

/** As in this library, so that fetching costs all strategies about the same. */
const KEYS_PER_MGET = 250

/** Stored texts to rows, in the same order. */
type Parse = (texts: readonly string[]) => unknown[]

const joined = (texts: readonly string[]): string => `[${texts.join(',')}]`

/**
 * All parsers read the same text: JSON in which dates and decimals are strings with a prefix. They parse one value at a
 * time or all in one array, and look for prefixes in all values or at the declared places.
 */
const PARSERS = {
  json: () => {
    const { decode } = createPrefixes()
    return (texts) => texts.map((text) => decode(text as never))
  },
  'simdjson-traversal': () => {
    const { parse } = loadSimdjson()
    return (texts) => texts.map((text) => reviveAll(parse(text)))
  },
  'simdjson-paths': ({ places }) => {
    const { parse } = loadSimdjson()
    return (texts) => texts.map((text) => revivePlaces(parse(text), places))
  },
  'array-json': () => {
    const { decode } = createPrefixes()
    return (texts) => decode(joined(texts) as never) as unknown[]
  },
  'array-simdjson-traversal': () => {
    const { parse } = loadSimdjson()
    return (texts) => reviveAll(parse(joined(texts))) as unknown[]
  },
  'array-simdjson-paths': ({ places }) => {
    const { parse } = loadSimdjson()
    return (texts) => {
      const rows = parse(joined(texts)) as unknown[]
      for (const row of rows) revivePlaces(row, places)
      return rows
    }
  },
} as const satisfies Record<string, (scenario: ScenarioRows) => Parse>
type ParserName = keyof typeof PARSERS

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

/**
 * Every read fetches and parses its text.
 *
 * @param hasLru whether behind an LRU of as many rows as one burst reads, which gives the same object to all callers
 */
export const parsing = (name: string, note: string, parser: ParserName, hasLru = false): Strategy => ({
  name,
  note: hasLru
    ? `${note}; returns the same object to all callers, and nothing guards it against changes`
    : note,
  needsSimdjson: parser.includes('simdjson'),
  async open({ url, scenario }) {
    const { get, takeParseMs, close } = await openStoredTexts(url, scenario, PARSERS[parser](scenario))
    let memoryHits = 0
    const opened: OpenStrategy = {
      get,
      take() {
        const taken = { parseMs: takeParseMs(), memoryHits }
        memoryHits = 0
        return taken
      },
      close: async () => close(),
    }
    if (!hasLru) return opened
    const memory = new LRUCache<string, object>({ max: scenario.wanted.length })
    const load = async (id: string): Promise<unknown> => {
      const row = await get(id)
      memory.set(id, row as object)
      return row
    }
    return {
      ...opened,
      async get(id) {
        const row = memory.get(id)
        if (row === undefined) return load(id)
        memoryHits++
        return row
      },
      async remember(ids) {
        // Reading a row that is there makes it the most recent one.
        await Promise.all(ids.map((id) => memory.get(id) ?? load(id)))
      },
    }
  },
})

interface Read {
  readonly id: string
  resolve(row: unknown): void
  reject(error: unknown): void
}

/** Stores rows as JSON with prefixes. Reads of one turn are fetched together, and each reply is parsed at once. */
async function openStoredTexts(url: string, { rows }: ScenarioRows, parse: Parse) {
  const client = new Redis(url)
  const { encode } = createPrefixes()
  for (const chunk of chunksOf([...rows.values()])) {
    await client.mset(new Map(chunk.map((row) => [row.id, encode(row)])))
  }
  let waiting: Read[] = []
  let parseMs = 0

  const fetch = async (reads: readonly Read[]): Promise<void> => {
    const texts = (await client.mget(reads.map(({ id }) => id))) as string[]
    const start = performance.now()
    const parsed = parse(texts)
    parseMs += performance.now() - start
    for (const [index, { resolve }] of reads.entries()) resolve(parsed[index])
  }
  const fetchAll = (): void => {
    const reads = waiting
    waiting = []
    for (const chunk of chunksOf(reads)) {
      fetch(chunk).catch((error: unknown) => {
        for (const { reject } of chunk) reject(error)
      })
    }
  }

  return {
    get: (id: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(fetchAll)
        waiting.push({ id, resolve, reject })
      }),
    takeParseMs(): number {
      const taken = parseMs
      parseMs = 0
      return taken
    },
    close: (): void => client.disconnect(),
  }
}

const chunksOf = <T>(values: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(values.length / KEYS_PER_MGET) }, (_, chunk) =>
    values.slice(chunk * KEYS_PER_MGET, (chunk + 1) * KEYS_PER_MGET),
  )
