import { Redis } from 'ioredis'
import { createPrefixes } from '../../../harness/codecs/prefixes.ts'
import { auctionItem } from '../../../harness/fixtures/models.ts'
import { TTL_MS, type OpenCase, type BurstEnvironment } from './storm-case.ts'

/** The first design of this project: a GET per read, and a reviver that looks for prefixes in every string. */
export async function openV1(environment: BurstEnvironment): Promise<OpenCase> {
  const { encode, decode } = createPrefixes()
  return openPerKey(environment, encode, (text) => decode(text as never))
}

/** The published design: a GET per read, a compiled stringifier, and a reviver that visits declared places. */
export async function openV2(environment: BurstEnvironment): Promise<OpenCase> {
  const { stringify } = auctionItem.createStringifier()
  const { revive } = auctionItem.createReviver()
  return openPerKey(environment, stringify, revive)
}

function openPerKey(
  { url, source }: BurstEnvironment,
  encode: (row: unknown) => string | Buffer,
  decode: (text: string) => unknown,
): OpenCase {
  const client = new Redis(url, { enableAutoPipelining: true })
  return {
    async get(id) {
      const key = `AuctionItem:${id}`
      const text = await client.get(key)
      if (text !== null) return decode(text)
      const row = await source.loadOne(id)
      void client.set(key, encode(row), 'PX', TTL_MS)
      return row
    },
  }
}
