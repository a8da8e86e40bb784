import type { AuctionItem } from '#prisma/client/client.js'
import type { PayloadStore } from '../payload-store.js'
import type { BurstDesign, DesignName } from './burst-design.js'

/** How an earlier design serializes rows. */
export interface RowCodec {
  encode(lot: AuctionItem): string
  decode(payload: string): unknown
}

/** An earlier design: every read sends a GET and decodes the payload. */
export function createPerKeyDesign(
  name: DesignName,
  store: PayloadStore,
  { encode, decode }: RowCodec,
): BurstDesign {
  const keyOf = (id: string): string => `${name}:${id}`
  return {
    name,
    async fill(lots) {
      await Promise.all(lots.map((lot) => store.set(keyOf(lot.id), encode(lot))))
    },
    async get(id) {
      const payload = await store.get(keyOf(id))
      if (payload === null) throw new Error(`The store lost lot ${id} during the burst.`)
      return decode(payload)
    },
  }
}
