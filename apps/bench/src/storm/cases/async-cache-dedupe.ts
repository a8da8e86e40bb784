import { createCache } from 'async-cache-dedupe'
import { Redis } from 'ioredis'
import { reviveFields } from './revive-fields.ts'
import { TTL_MS, type OpenCase, type StormEnvironment } from './storm-case.ts'

export async function openAsyncCacheDedupe({ url, source }: StormEnvironment): Promise<OpenCase> {
  const cache = createCache({
    ttl: TTL_MS / 1000,
    storage: { type: 'redis', options: { client: new Redis(url, { enableAutoPipelining: true }) } },
    // The storage writes and parses the JSON.
    transformer: {
      serialize: (row: unknown) => row,
      deserialize(row: unknown) {
        reviveFields(row)
        return row
      },
    },
  }).define('lot', (id: string) => source.loadOne(id))
  return { get: (id) => cache.lot(id) }
}
