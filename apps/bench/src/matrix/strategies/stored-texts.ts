import { Redis } from 'ioredis'
import { createPrefixes } from '../../codec/candidates/prefixes.ts'
import type { ScenarioRows } from '../scenarios.ts'
import type { Parse } from './parsers.ts'

/** As this library asks for them, so that fetching costs all strategies about the same. */
const KEYS_PER_MGET = 250

export interface StoredTexts {
  /** One row; all that are asked for in one turn are fetched together. */
  get(id: string): Promise<unknown>
  takeParseMs(): number
  close(): void
}

/** Stores the rows of a scenario as JSON with prefixes, and reads them: what one MGET brings is parsed in one go. */
export async function openStoredTexts(
  url: string,
  { rows }: ScenarioRows,
  parse: Parse,
): Promise<StoredTexts> {
  const client = new Redis(url)
  const { encode } = createPrefixes()
  for (const chunk of chunksOf([...rows.values()])) {
    await client.mset(new Map(chunk.map((row) => [row.id, encode(row)])))
  }
  let asked: Asked[] = []
  let parseMs = 0

  const fetch = async (reads: readonly Asked[]): Promise<void> => {
    const texts = (await client.mget(reads.map(({ id }) => id))) as string[]
    const start = performance.now()
    const parsed = parse(texts)
    parseMs += performance.now() - start
    for (const [index, { resolve }] of reads.entries()) resolve(parsed[index])
  }
  const fetchAll = (): void => {
    const reads = asked
    asked = []
    for (const chunk of chunksOf(reads)) {
      fetch(chunk).catch((error: unknown) => {
        for (const { reject } of chunk) reject(error)
      })
    }
  }

  return {
    get: (id) =>
      new Promise((resolve, reject) => {
        if (asked.length === 0) setImmediate(fetchAll)
        asked.push({ id, resolve, reject })
      }),
    takeParseMs() {
      const taken = parseMs
      parseMs = 0
      return taken
    },
    close: () => client.disconnect(),
  }
}

interface Asked {
  readonly id: string
  resolve(row: unknown): void
  reject(error: unknown): void
}

const chunksOf = <T>(values: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(values.length / KEYS_PER_MGET) }, (_, chunk) =>
    values.slice(chunk * KEYS_PER_MGET, (chunk + 1) * KEYS_PER_MGET),
  )
