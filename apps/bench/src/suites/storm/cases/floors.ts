import { Redis } from 'ioredis'
import { Prisma, type AuctionItem } from '#prisma/client/client.js'
import { createPrefixes } from '../../../harness/codecs/prefixes.ts'
import { auctionItem } from '../../../harness/fixtures/models.ts'
import { connectPipelined, TTL_MS } from '../../../harness/peers.ts'
import type { BurstEnvironment, OpenCase, StormCase } from '../storm-case.ts'
import { reviveFields } from './revive-fields.ts'

export const floors: readonly StormCase[] = [
  {
    name: 'raw',
    note: 'the floor: one MGET of the different keys, undecoded; misses are one query and one MSET',
    open: async (environment) => ({
      ...openOneMget(environment, (text) => text),
      rowOf(text) {
        const row: unknown = JSON.parse(text as string)
        reviveFields(row)
        return row
      },
    }),
  },
  {
    name: 'rows-floor',
    note:
      'as raw, but every caller gets a new object in the shape of a lot, of constants and pieces of the text: the cost of ' +
      'rows that need no decoding',
    // Nothing is parsed, so only the id is right.
    open: async (environment) => ({
      ...openOneMget(environment, cutRow),
      rowOf: (row) => environment.lots.get((row as AuctionItem).id),
    }),
  },
  {
    name: 'v1',
    note: 'GET for each read, pipelined; JSON.parse with a reviver that looks for prefixes',
    async open(environment) {
      const { encode, decode } = createPrefixes()
      return openPerKey(environment, encode, (text) => decode(text as never))
    },
  },
  {
    name: 'v2',
    note: 'GET for each read, pipelined; the exported createStringifier and createReviver',
    async open(environment) {
      const { stringify } = auctionItem.createStringifier()
      const { revive } = auctionItem.createReviver()
      return openPerKey(environment, stringify, revive)
    },
  },
]

function openPerKey(
  { url, source }: BurstEnvironment,
  encode: (row: unknown) => string | Buffer,
  decode: (text: string) => unknown,
): OpenCase {
  const client = connectPipelined(url)
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

/**
 * Reads of one turn are one MGET of the different keys, and every caller gets `make(text)`. Misses are one query and one
 * MSET of texts that were written before.
 */
function openOneMget<Given>(
  { url, source, lots }: BurstEnvironment,
  make: (text: string) => Given,
): Pick<OpenCase, 'get'> {
  const client = new Redis(url)
  const texts = new Map([...lots].map(([id, row]) => [id, JSON.stringify(row)]))
  let requested = new Map<string, PromiseWithResolvers<Given>>()

  const answer = async (): Promise<void> => {
    const reads = requested
    requested = new Map()
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
      if (requested.size === 0) setImmediate(() => void answer())
      let read = requested.get(id)
      if (!read) requested.set(id, (read = Promise.withResolvers()))
      return read.promise
    },
  }
}

/** A lot with four bids. `$36` is a piece of the text of that length, behind the one before; `price` and the dates are constants. */
const LOT = `{
  id: $36, fundraiserId: $36, itemId: $36, lot: $3, name: $27, description: $330, itemType: $7, category: $6,
  label: null, showLabel: false, sortOrder: 1, imageCover: true,
  images: [{ image: $70, preloadImage: $84, thumbnailImage: $86, smallImage: $86, mediumImage: $86 }],
  donorName: $16, fairMarketValue: price, startingPrice: price, minimumIncrement: price, minimumNextBid: price,
  buyNowPrice: null, reservePrice: null, reservePriceEnabled: false, hideReservePrice: true,
  hideUnitsAvailable: false, hideBidder: false, hidePrice: false, hideStatusBadge: false, liveAuctionItem: false,
  enableLiveAuction: false, sealedBidItem: false, unitsAvailable: 1, status: $4,
  startsAt: new Date(1_700_000_000_000), endsAt: new Date(1_700_000_000_001),
  currentBid: price, currentBidId: $36, currentBidderId: $36, outbidBidderIds: [$36, $36, $36],
  bidCount: 4, lastBidAt: new Date(1_700_000_000_002), terms: $242, collectionNotes: null,
  createdAt: new Date(1_700_000_000_003), updatedAt: new Date(1_700_000_000_004),
}`
/** Where the id begins in JSON of a lot. */
const FIRST = 7

let end = FIRST
const pieces = LOT.replaceAll(/\$(\d+)/g, (_, length) => `text.substring(${end}, ${(end += Number(length))})`)

/**
 * As many texts, dates, arrays and objects as a lot with four bids has: straight-line code, as a compiled decoder has. Decimals are
 * immutable, so a decoder could share them as well.
 *
 * @param text JSON of a lot, which begins with its id
 */
// oxlint-disable-next-line no-new-func -- the pieces are written with their lengths
export const cutRow = new Function('price', `return (text) => (${pieces})`)(new Prisma.Decimal('1250')) as (
  text: string,
) => AuctionItem
