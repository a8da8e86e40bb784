import { LRUCache } from 'lru-cache'
import { PARSERS, type ParserName } from './parsers.ts'
import { openStoredTexts } from './stored-texts.ts'
import type { OpenStrategy, StrategyEnvironment } from './strategy.ts'

/** Every read fetches its text and has it parsed. */
export async function openParsing(
  { url, scenario }: StrategyEnvironment,
  parser: ParserName,
): Promise<OpenStrategy> {
  const stored = await openStoredTexts(url, scenario, PARSERS[parser](scenario))
  return {
    get: stored.get,
    take: () => ({ parseMs: stored.takeParseMs(), memoryHits: 0 }),
    close: async () => stored.close(),
  }
}

/** An LRU of as many rows as one storm asks for, in front of the same. What it holds is handed out as it is, to everybody. */
export async function openLru(
  { url, scenario }: StrategyEnvironment,
  parser: ParserName,
): Promise<OpenStrategy> {
  const stored = await openStoredTexts(url, scenario, PARSERS[parser](scenario))
  const memory = new LRUCache<string, object>({ max: scenario.asked.length })
  let memoryHits = 0
  const load = async (id: string): Promise<unknown> => {
    const row = await stored.get(id)
    memory.set(id, row as object)
    return row
  }
  return {
    async get(id) {
      const row = memory.get(id)
      if (row === undefined) return load(id)
      memoryHits++
      return row
    },
    async remember(ids) {
      // To ask for a row that is there makes it the most recent one.
      await Promise.all(ids.map((id) => memory.get(id) ?? load(id)))
    },
    take() {
      const hits = memoryHits
      memoryHits = 0
      return { parseMs: stored.takeParseMs(), memoryHits: hits }
    },
    close: async () => stored.close(),
  }
}
