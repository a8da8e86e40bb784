import type { ReadThroughCache } from 'model-cache/advanced'
import type { AuctionItem } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import { idsByUser } from '../storm/lots.ts'
import type { Progress } from './soak-measurements.ts'

/** Storms of all kinds in turn and by chance, with invalidations in their midst, over caches that keep rows in different ways. */
export function createStorms(
  caches: readonly ReadThroughCache<AuctionItem, string>[],
  lots: ReadonlyMap<string, AuctionItem>,
  random: Random,
): { next(): Promise<void>; progress(): Omit<Progress, 'loads'> } {
  const ids = [...lots.keys()]
  let [storms, reads, invalidations, errors] = [0, 0, 0, 0]
  let firstError: string | undefined

  const fail = (error: string): void => {
    errors++
    firstError ??= error
  }
  const read = async (cache: ReadThroughCache<AuctionItem, string>, id: string): Promise<void> => {
    reads++
    try {
      const row = await cache.get(id)
      if ((row?.id ?? null) !== (lots.get(id)?.id ?? null)) fail(`asked for ${id}, got ${row?.id}`)
    } catch (error) {
      fail(String(error))
    }
  }
  const invalidate = (cache: ReadThroughCache<AuctionItem, string>): Promise<void> => {
    invalidations++
    if (random.chance(0.05)) return cache.invalidateAll()
    return cache.invalidate(Array.from({ length: random.integer(1, 50) }, () => random.pick(ids)))
  }

  return {
    async next() {
      const cache = caches[storms++ % caches.length]!
      const users = idsByUser(ids, random.chance(0.5) ? 'same' : 'distinct').slice(0, random.integer(1, 50))
      const work: Promise<void>[] = users.flatMap((lotIds) => lotIds.map((id) => read(cache, id)))
      for (let i = 0; i < 20; i++) work.push(read(cache, `nothing ${random.integer(0, 100_000)}`))
      for (let i = random.integer(0, 3); i > 0; i--) work.push(invalidate(cache))
      if (random.chance(0.1)) work.push(cache.prime(users[0]!.map((id) => ({ ...lots.get(id)! }))))
      await Promise.all(work)
    },
    progress: () => ({
      storms,
      reads,
      invalidations,
      errors,
      ...(firstError !== undefined && { firstError }),
    }),
  }
}
