import { Redis } from 'ioredis'
import type { OpenCase, StormEnvironment } from './storm-case.ts'

/**
 * What is asked for in one turn is one MGET of the different keys, and every caller is given what is made of the text, which is
 * JSON. Misses are one query and one MSET of texts that were written before.
 */
export async function openOneMget<Given>(
  { url, source, lots }: StormEnvironment,
  make: (text: string) => Given,
): Promise<Pick<OpenCase, 'get'>> {
  const client = new Redis(url)
  const texts = new Map([...lots].map(([id, row]) => [id, JSON.stringify(row)]))
  let asked = new Map<string, PromiseWithResolvers<Given>>()

  const answer = async (): Promise<void> => {
    const reads = asked
    asked = new Map()
    const ids = [...reads.keys()]
    const values = await client.mget(ids)
    const missed = ids.filter((id, index) => {
      const value = values[index]!
      if (value !== null) reads.get(id)!.resolve(make(value))
      return value === null
    })
    if (missed.length === 0) return
    await source.load(missed)
    void client.mset(new Map(missed.map((id) => [id, texts.get(id)!])))
    for (const id of missed) reads.get(id)!.resolve(make(texts.get(id)!))
  }

  return {
    get(id) {
      if (asked.size === 0) setImmediate(() => void answer())
      let read = asked.get(id)
      if (!read) asked.set(id, (read = Promise.withResolvers()))
      return read.promise
    },
  }
}
