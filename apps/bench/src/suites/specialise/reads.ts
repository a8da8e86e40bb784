import { modelCaches } from 'model-cache'
import { createLoadSource, createModelCache, MemoryStore } from 'model-cache/advanced'
import type { CreateModelCacheOptions } from 'model-cache/advanced'
import { undecodable, type Codec } from 'model-cache/codec'
import type { AuctionBid } from '#prisma/client/client.js'
import { auctionBid } from '../../harness/fixtures/models.ts'

const { defineModelCache } = modelCaches()

/** Rows per request: many small ones, so that a decision for each of them weighs as much as it can. */
export const BIDS = 100

export const bids = auctionBid.rows.slice(0, BIDS)
export const bidIds = bids.map(({ id }) => id)
export const bidCodec = auctionBid.compile() as Codec<AuctionBid>

/** The response to a request. */
export const answerOf = (rows: readonly (AuctionBid | null)[]): string =>
  JSON.stringify(rows.map((row) => row?.id))

export interface PlainReads<Id> {
  readonly idOf: (bid: AuctionBid) => Id
  readonly storeUnder: (id: Id) => string
  readonly keyOf: (id: Id) => string
  /** Called with each row. */
  readonly onRow?: (row: AuctionBid) => void
}

/**
 * The least that a cache does: keys, a look-up, this library's codec. It shares only the codec with the library, so that
 * one part can be done in two ways.
 */
export function plainReads<Id>({ idOf, storeUnder, keyOf, onRow = () => {} }: PlainReads<Id>): () => string {
  const ids = bids.map(idOf)
  const stored = new Map(bids.map((bid) => [storeUnder(idOf(bid)), bidCodec.encode(bid)]))
  return () => {
    const rows = ids.map((id) => {
      const text = stored.get(keyOf(id))
      const row = text === undefined ? null : bidCodec.decode(text)
      if (row === null || row === undefined || row === undecodable)
        throw new Error(`There is no row under ${keyOf(id)}.`)
      onRow(row)
      return row
    })
    return answerOf(rows)
  }
}

const definition = defineModelCache<AuctionBid>()({
  model: 'AuctionBid',
  schema: auctionBid.schema,
  id: 'id',
  ttl: '1h',
})
const byId = new Map(bids.map((bid) => [bid.id, bid]))

/** This library over a store in memory: a network round trip would hide the decision. */
export function openLibrary(
  parts: Pick<CreateModelCacheOptions<AuctionBid, string>, 'consistency' | 'observer' | 'writes'>,
) {
  const load = (_: unknown, ids: readonly string[]) => ids.map((id) => ({ ...byId.get(id)! }))
  return createModelCache(definition, {
    store: new MemoryStore(),
    source: createLoadSource<AuctionBid, string>(load, undefined),
    ...parts,
  })
}
