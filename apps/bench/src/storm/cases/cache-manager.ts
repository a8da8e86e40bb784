import { createKeyv } from '@keyv/redis'
import { createCache } from 'cache-manager'
import { reviveFields } from './revive-fields.ts'
import { TTL_MS, type OpenCase, type StormEnvironment } from './storm-case.ts'

export async function openCacheManager({ url, source }: StormEnvironment): Promise<OpenCase> {
  const keyv = createKeyv(url)
  keyv.serialize = (entry) => JSON.stringify(entry)
  keyv.deserialize = <T>(text: string) => {
    const entry = JSON.parse(text) as { value: T }
    reviveFields(entry.value)
    return entry
  }
  const cache = createCache({ stores: [keyv], ttl: TTL_MS })
  return { get: (id) => cache.wrap(id, () => source.loadOne(id)) }
}
