import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importFile } from '#prisma/import/import-file.js'
import { startAuction, type AuctionServer } from './auction-server.js'

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

function galaLot(number: number, changes: object = {}): object {
  const image = 'https://images.example.org/1.png'
  return {
    id: uuid(number),
    lot: `H${number}`,
    name: `Lot ${number}`,
    itemType: 'bidding',
    label: null,
    showLabel: false,
    order: number,
    imageCover: true,
    images: [
      { image, preload_image: image, thumbnail_image: image, small_image: image, medium_image: image },
    ],
    bidding: {
      starting_price: 100.5,
      minimum_increment: 5,
      live_auction_item: false,
      enable_live_auction: false,
      sealed_bid_item: false,
      reserve_price: null,
      reserve_price_enabled: false,
      hide_reserve_price: true,
      hide_units_available: false,
      hide_bidder: false,
      hide_price: false,
      hide_status_badge: false,
      units_available: 1,
      minimum_next_bid: 105.5,
    },
    outbidBidders: [],
    winningBids: [],
    ...changes,
  }
}

const HEADER = 'auction_id,bid,bid_time_days,bidder,bidder_rating,opening_bid,final_price,item,duration_days'

describe('loading a file', () => {
  let server: AuctionServer
  let folder: string
  const load = async (name: string, content: string) => {
    const path = join(folder, name)
    await writeFile(path, content)
    return importFile(server.prisma, path)
  }
  const loadGala = (auction: string, items: unknown[]) =>
    load(`${auction}.json`, JSON.stringify({ auction, items }))

  beforeAll(async () => {
    server = await startAuction()
    folder = await mkdtemp(join(tmpdir(), 'auction-files-'))
  })
  afterAll(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  it('loads the valid lots of a gala, and reports index, id and reason of the others', async () => {
    const bid = { id: uuid(90), bidderId: uuid(91), amount: 7, minimumNextBid: 8, createdAt: 'yesterday' }
    const { rows, rejections } = await loadGala('mixed', [
      galaLot(1),
      galaLot(2, { name: 'With\0NUL' }),
      null,
      galaLot(4, { winningBids: [bid] }),
      galaLot(1, { lot: 'H5' }),
      galaLot(6, { bidding: { starting_price: 1.005 } }),
      galaLot(7),
    ])
    expect(rows?.auctionItems.map(({ lot }) => lot)).toEqual(['H1', 'H7'])
    expect(rejections.map(({ where }) => where)).toEqual([
      `items[1] (id ${uuid(2)})`,
      'items[2]',
      `items[3] (id ${uuid(4)})`,
      `items[4] (id ${uuid(1)})`,
      `items[5] (id ${uuid(6)})`,
    ])
    expect(rejections.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^name must be non-empty text/),
      'must be an object (was null)',
      expect.stringMatching(/^winningBids\[0\]\.createdAt must be an ISO 8601/),
      `id ${uuid(1)} is already used by items[0] (id ${uuid(1)})`,
      expect.stringContaining('bidding.starting_price must be an amount from 0 with at most two decimals'),
    ])
    expect(await server.prisma.auctionItem.count({ where: { fundraiserId: rows!.fundraiser.id } })).toBe(2)
  })

  it('loads the valid lines of a bids file, and reports line and reason of the others', async () => {
    const { rows, rejections } = await load(
      'bids.csv',
      [
        HEADER,
        '8213034705,95,2.927373,bidder-0001,0,95,117.5,xbox,3',
        '8213034705,abc,2.94,bidder-0002,1,95,117.5,xbox,3',
        '8213034705,117.5,2.95,bidder-0003',
        '"8213034705,100,2.96,bidder-0003,58,95,117.5,xbox,3',
        '',
        '8213034705,95,2.927373,bidder-0001,0,95,117.5,xbox,3',
        '8213034705,100,3.5,bidder-0003,58,95,117.5,xbox,3',
        '8213034705,100,2.97,bidder-0003,58,95,999,xbox,3',
        '8213034705,117.5,2.998947,bidder-0004,10,95,117.5,xbox,3',
      ].join('\r\n'),
    )
    expect(rejections).toEqual([
      { where: 'line 3', reason: 'bid must be an amount such as 117.5 (was "abc")' },
      { where: 'line 4', reason: 'has 4 fields, the first line has 9' },
      { where: 'line 5', reason: expect.stringContaining('Quote Not Closed') },
      { where: 'line 7', reason: 'is the same bid as line 2' },
      { where: 'line 8', reason: 'bid_time_days must be within duration_days (3) (was 3.5)' },
      { where: 'line 9', reason: 'contradicts line 2 on auction 8213034705' },
    ])
    const [lot] = rows!.auctionItems
    const stored = await server.prisma.auctionItem.findUniqueOrThrow({
      where: { id: lot!.id },
      include: { bids: { orderBy: { amount: 'asc' } } },
    })
    expect(stored.bids.map(({ amount, status }) => [amount.toFixed(), status])).toEqual([
      ['95', 'OUTBID'],
      ['117.5', 'WINNING'],
    ])
    expect(stored.currentBid?.toFixed()).toBe('117.5')
    expect(stored.bids[0]!.placedAt.getTime() - stored.startsAt.getTime()).toBe(
      Math.round(2.927373 * 86_400_000),
    )
  })

  it('changes nothing when it loads a file again, except for removing newer bids', async () => {
    const items = [galaLot(31), galaLot(32)]
    const { rows } = await loadGala('again', items)
    const fundraiserId = rows!.fundraiser.id
    const all = () =>
      server.prisma.auctionItem.findMany({
        where: { fundraiserId },
        include: { bids: true, item: true },
        orderBy: { id: 'asc' },
      })
    const before = await all()

    const bid = {
      auctionItemId: uuid(31),
      bidderId: (await server.prisma.user.findFirstOrThrow()).id,
      amount: 200,
    }
    const { id } = await server.prisma.auctionBid.create({
      data: { ...bid, minimumNextBid: 205, status: 'WINNING', source: 'test', placedAt: new Date() },
    })
    await loadGala('again', items)
    expect(await server.prisma.auctionBid.findUnique({ where: { id } })).toBe(null)
    expect(await all()).toEqual(before)
  })

  it('writes nothing if the file contradicts the database', async () => {
    const bid = {
      id: uuid(50),
      bidderId: uuid(51),
      amount: 110,
      minimumNextBid: 115,
      createdAt: '2024-10-26T09:12:19Z',
    }
    await loadGala('first', [galaLot(40, { winningBids: [bid] })])
    const lots = await server.prisma.auctionItem.count()
    const users = await server.prisma.user.count()

    const conflicting = galaLot(41, { winningBids: [{ ...bid, bidderId: uuid(52) }] })
    await expect(loadGala('second', [galaLot(42), conflicting])).rejects.toThrow(
      /second\.json contradicts the database: .*row of AuctionBid already has that value\. Nothing was loaded\.$/,
    )
    expect(await server.prisma.auctionItem.count()).toBe(lots)
    expect(await server.prisma.user.count()).toBe(users)
  })

  it.each([
    [
      'notes.txt',
      'x',
      /notes\.txt is neither a gala file \(\.json\) nor a bids file \(\.csv\): choose one of these\.$/,
    ],
    ['broken.json', '{"auction": ', /broken\.json is not valid JSON: .*Nothing was loaded\.$/],
    [
      'list.json',
      '[]',
      /list\.json is JSON, but not an auction: .*Expected \{ "auction": "name", "items": \[lots\] \}/,
    ],
    [
      'other.csv',
      'a,b\n1,2',
      /other\.csv has no column auction_id, bid, .* in its first line\. Expected the columns auction_id,bid,/,
    ],
  ])('rejects %s and describes the expected file', async (name, content, message) => {
    await expect(load(name, content)).rejects.toThrow(message)
  })

  it('reports a missing file', async () => {
    await expect(importFile(server.prisma, join(folder, 'none.csv'))).rejects.toThrow(
      /none\.csv does not exist: pass the path of a gala file \(\.json\) or a bids file \(\.csv\)\.$/,
    )
  })
})
