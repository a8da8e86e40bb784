import { createKeyv } from '@keyv/redis'
import { createCache, type Cache } from 'cache-manager'
import type { PrismaClient } from '#prisma/client/client.js'
import { addNames, readPage, type HighestBids } from '../page.ts'
import { TTL_MS, type ListsEnvironment, type OpenLists } from '../variant.ts'
import { bidsOf, lotsOf, namesOf } from './load.ts'
import { listKey, LOTS_KEY, nameKey, readThrough, reviveStored } from './stored.ts'

/** Without its memory layer: no bus ends the values in the memory of other processes. */
function openCache(valkeyUrl: string): Cache {
  const keyv = createKeyv(valkeyUrl)
  keyv.serialize = (entry) => JSON.stringify(entry)
  keyv.deserialize = <T>(text: string) => {
    const entry = JSON.parse(text) as { value: T }
    reviveStored(entry.value)
    return entry
  }
  return createCache({ stores: [keyv], ttl: TTL_MS })
}

const ends = (cache: Cache): Pick<OpenLists, 'endLists' | 'endNames'> => ({
  async endLists(lotIds) {
    await cache.mdel(lotIds.map(listKey))
  },
  async endNames(userIds) {
    await cache.mdel(userIds.map(nameKey))
  },
})

/** `wrap` for each value: it coalesces reads of one key. */
export function openWrap({ prisma, valkeyUrl }: ListsEnvironment): OpenLists {
  const cache = openCache(valkeyUrl)
  return {
    ...readThrough(prisma, (key, load) => cache.wrap(key, load)),
    ...ends(cache),
  }
}

/** `mget` for what a request reads, one query for those that it does not return, and `mset` of these. */
export function openMget({ prisma, valkeyUrl }: ListsEnvironment): OpenLists {
  const cache = openCache(valkeyUrl)

  async function readMany<Value>(
    keyOf: (id: string) => string,
    ids: readonly string[],
    load: (prisma: PrismaClient, missing: readonly string[]) => Promise<readonly Value[]>,
  ): Promise<Value[]> {
    const found = await cache.mget<Value>(ids.map(keyOf))
    const missing = ids.filter((_, index) => found[index] === undefined)
    if (missing.length === 0) return found as Value[]
    const values = await load(prisma, missing)
    await cache.mset(values.map((value, index) => ({ key: keyOf(missing[index]!), value })))
    const loaded = new Map(missing.map((id, index) => [id, values[index]!]))
    return ids.map((id, index) => found[index] ?? loaded.get(id)!)
  }

  const highest = async (lotIds: readonly string[]): Promise<HighestBids[]> =>
    addNames(await readMany(listKey, lotIds, bidsOf), (userIds) => readMany(nameKey, userIds, namesOf))
  return {
    highest,
    page: () => readPage(() => cache.wrap(LOTS_KEY, () => lotsOf(prisma)), highest),
    ...ends(cache),
  }
}
