import { Redis } from 'ioredis'
import { reviveFields } from './revive-fields.ts'
import type { OpenCase, StormEnvironment } from './storm-case.ts'

/**
 * The floor: what is asked for in one turn is one MGET of the different keys, and every caller is given the text, which
 * nobody decodes. Misses are one query and one MSET of texts that were made before.
 */
export async function openRaw({ url, source, lots }: StormEnvironment): Promise<OpenCase> {
  const client = new Redis(url)
  const texts = new Map([...lots].map(([id, row]) => [id, JSON.stringify(row)]))
  let asked = new Map<string, PromiseWithResolvers<string>>()

  const answer = async (): Promise<void> => {
    const reads = asked
    asked = new Map()
    const ids = [...reads.keys()]
    const values = await client.mget(ids)
    const missed = ids.filter((id, index) => {
      const value = values[index]!
      if (value !== null) reads.get(id)!.resolve(value)
      return value === null
    })
    if (missed.length === 0) return
    await source.load(missed)
    void client.mset(new Map(missed.map((id) => [id, texts.get(id)!])))
    for (const id of missed) reads.get(id)!.resolve(texts.get(id)!)
  }

  return {
    get(id) {
      if (asked.size === 0) setImmediate(() => void answer())
      let read = asked.get(id)
      if (!read) asked.set(id, (read = Promise.withResolvers()))
      return read.promise
    },
    rowOf(text) {
      const row: unknown = JSON.parse(text as string)
      reviveFields(row)
      return row
    },
  }
}
