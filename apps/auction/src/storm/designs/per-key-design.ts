import type { AuctionItem } from '#prisma/client/client.js'
import type { StormTexts } from '../storm-texts.js'
import type { DesignName, StormDesign } from './storm-design.js'

/** What an earlier design does with a row. */
export interface RowText {
  encode(lot: AuctionItem): string
  decode(text: string): unknown
}

/** Both earlier designs: each read is a GET of its own, and decodes what it gets. */
export function createPerKeyDesign(
  name: DesignName,
  texts: StormTexts,
  { encode, decode }: RowText,
): StormDesign {
  const keyOf = (id: string): string => `${name}:${id}`
  return {
    name,
    async fill(lots) {
      await Promise.all(lots.map((lot) => texts.set(keyOf(lot.id), encode(lot))))
    },
    async get(id) {
      const text = await texts.get(keyOf(id))
      if (text === null) throw new Error(`The store has lost lot ${id} during the storm.`)
      return decode(text)
    },
  }
}
