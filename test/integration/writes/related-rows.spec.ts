import type { PrismaClient } from '#prisma/client/client.js'
import type { RecordingCoordinator } from './recording-coordinator.js'
import { openWritesFixture, type WritesFixture } from './writes-fixture.js'

let fixture: WritesFixture
let prisma: PrismaClient
let recorder: RecordingCoordinator

beforeAll(async () => {
  fixture = await openWritesFixture({ maxRows: 5 })
  ;({ prisma, recorder } = fixture)
})
afterAll(() => fixture.close())

let runs = 0
let guestId: string
let bidIds: string[]
const bidder = {
  firstName: 'a',
  lastName: 'b',
  displayName: 'c',
  country: 'NL',
  locale: 'nl',
  timezone: 'UTC',
}

/** Creates a guest with two bids for one test. */
beforeEach(async () => {
  guestId = `guest-${++runs}`
  const { id: _id, guestId: _guest, ...bid } = await fixture.plain.auctionBid.findFirstOrThrow()
  bidIds = [`${guestId}-a`, `${guestId}-b`]
  await fixture.plain.guestUser.create({ data: { id: guestId, name: 'old', email: '' } })
  await fixture.plain.auctionBid.createMany({
    data: bidIds.map((id) => ({ ...bid, id, guestId, source: 'old' })),
  })
  recorder.caches = { AuctionBid: [['id']] }
  recorder.refusal = undefined
  recorder.look = () =>
    fixture.value('SELECT "guestId" || \' \' || source FROM "AuctionBid" WHERE id = $1', [bidIds[0]])
  await recorder.take()
  fixture.statements()
})
const marked = (...ids: string[]) => `markWritten AuctionBid ${ids.map((id) => `{"id":"${id}"}`).join(' ')}`

describe('a referential action', () => {
  it('of a deleted parent reaches its children, which are selected first', async () => {
    await prisma.guestUser.delete({ where: { id: guestId } })
    expect(await recorder.take()).toEqual([
      marked(...bidIds),
      `fence seeing ${guestId} old`,
      'end seeing null',
    ])
  })

  it('of a parent whose key changes reaches its children', async () => {
    await prisma.guestUser.update({ where: { id: guestId }, data: { id: `${guestId}-new`, name: 'new' } })
    expect(await recorder.take()).toEqual([
      marked(...bidIds),
      `fence seeing ${guestId} old`,
      `end seeing ${guestId}-new old`,
    ])
    await prisma.guestUser.update({ where: { id: `${guestId}-new` }, data: { name: 'newer' } })
    expect(await recorder.take()).toEqual([])
  })

  it('reaches children of parents that are deleted in bulk, or in a transaction', async () => {
    recorder.caches.GuestUser = [['id']]
    await prisma.guestUser.deleteMany({ where: { id: { startsWith: guestId } } })
    expect(await recorder.take()).toEqual([
      `markWritten GuestUser {"id":"${guestId}"}`,
      marked(...bidIds),
      `fence seeing ${guestId} old`,
      'end seeing null',
    ])
    const other = await fixture.plain.guestUser.create({ data: { name: 'other', email: '' } })
    await fixture.plain.auctionBid.update({ where: { id: bidIds[0]! }, data: { guestId: other.id } })
    await prisma.$transaction([prisma.guestUser.delete({ where: { id: other.id } })])
    expect(await recorder.take()).toEqual([
      `markWritten GuestUser {"id":"${other.id}"}`,
      marked(bidIds[0]!),
      `fence seeing ${other.id} old`,
      'end seeing null',
    ])
  })

  it('affects all rows of the children above the limit', async () => {
    const bid = await fixture.plain.auctionBid.findUniqueOrThrow({
      where: { id: bidIds[0]! },
      omit: { id: true },
    })
    await fixture.plain.auctionBid.createMany({
      data: [1, 2, 3, 4].map((n) => ({ ...bid, id: `${guestId}-${n}` })),
    })
    await prisma.guestUser.delete({ where: { id: guestId } })
    expect(await recorder.take()).toEqual([
      'markWritten all AuctionBid: cascade',
      `fence seeing ${guestId} old`,
      'end seeing null',
    ])
  })

  it('that restricts a delete keeps the parent, and only the parent is announced', async () => {
    recorder.caches = { AuctionItem: [['id']], AuctionBid: [['id']] }
    const { auctionItemId: id } = await fixture.plain.auctionBid.findUniqueOrThrow({
      where: { id: bidIds[0]! },
    })
    await expect(prisma.auctionItem.delete({ where: { id } })).rejects.toMatchObject({ code: 'P2003' })
    expect(await recorder.take()).toEqual([
      `markWritten AuctionItem {"id":"${id}"}`,
      `fence seeing ${guestId} old`,
      `end seeing ${guestId} old`,
    ])
  })
})

/** Data of a bid with its item as a relation. */
function inRelations<Bid extends { auctionItemId: string }>({ auctionItemId, ...bid }: Bid) {
  return { ...bid, auctionItem: { connect: { id: auctionItemId } } }
}

describe('nested writes', () => {
  const nested = (bids: object) => prisma.guestUser.update({ where: { id: guestId }, data: { bids } })
  const fenced = [expect.stringContaining('fence'), expect.stringContaining('end')]

  it('with ids are announced by them: update, updateMany, upsert, delete, connect, disconnect', async () => {
    const [a, b] = bidIds as [string, string]
    await nested({ update: { where: { id: a }, data: { source: 'new' } } })
    expect(await recorder.take()).toEqual([
      marked(a),
      `fence seeing ${guestId} old`,
      `end seeing ${guestId} new`,
    ])
    await nested({ updateMany: { where: { id: { in: [a, b] } }, data: { source: 'newer' } } })
    expect(await recorder.take()).toEqual([marked(a, b), ...fenced])
    await nested({ disconnect: [{ id: a }, { id: b }] })
    expect(await recorder.take()).toEqual([marked(a, b), ...fenced])
    await nested({ connect: [{ id: a }] })
    expect(await recorder.take()).toEqual([marked(a), ...fenced])
    await nested({ delete: { id: a } })
    expect(await recorder.take()).toEqual([marked(a), `fence seeing ${guestId} newer`, 'end'])
  })

  it('without ids are announced as they are written: updateMany, deleteMany', async () => {
    const {
      id: _id,
      guestId: _guest,
      auctionItemId,
      bidderId,
      ...rest
    } = await fixture.plain.auctionBid.findUniqueOrThrow({
      where: { id: bidIds[0]! },
    })
    const relations = {
      auctionItem: { connect: { id: auctionItemId } },
      bidder: { connect: { id: bidderId } },
    }
    for (const operation of [
      { updateMany: { where: { source: 'old' }, data: { source: 'new' } } },
      { deleteMany: {} },
    ]) {
      await nested(operation)
      const events = await recorder.take()
      const words = events.slice(0, -2).flatMap((event) => event.split(' '))
      expect(new Set(words)).toEqual(new Set(marked(...bidIds).split(' ')))
      expect(events.slice(-2)).toEqual(fenced)
    }
    await nested({ create: { id: `${guestId}-made`, ...rest, ...relations } })
    expect(await recorder.take()).toEqual([marked(`${guestId}-made`), ...fenced])
    await nested({ create: { ...rest, ...relations } })
    expect(await recorder.take()).toEqual([
      expect.stringMatching(/^markWritten AuctionBid \{"id":"[^"]+"\}$/),
      ...fenced,
    ])
  })

  it('under a new row, without ids, are announced by the generated ids', async () => {
    recorder.caches = { AuctionBid: [['id']], User: [['id']] }
    recorder.look = async () => undefined
    const {
      id: _id,
      guestId: _guest,
      bidderId: _bidder,
      ...bid
    } = await fixture.plain.auctionBid.findFirstOrThrow()
    const made = await prisma.guestUser.create({
      data: {
        name: 'parent',
        email: '',
        bids: {
          connect: [{ id: bidIds[0]! }],
          create: [{ ...inRelations(bid), bidder: { create: { ...bidder, email: `nested-${guestId}` } } }],
        },
      },
      include: { bids: { include: { bidder: true } } },
    })
    const created = made.bids.find(({ id }) => !bidIds.includes(id))!
    const events = await recorder.take()
    expect(events.slice(0, -2).toSorted()).toEqual(
      [marked(bidIds[0]!), marked(created.id), `markWritten User {"id":"${created.bidderId}"}`].toSorted(),
    )
    expect(events.slice(-2)).toEqual(['fence', 'end'])
  })

  it('whose ids change are announced by the old ids and the new ones', async () => {
    recorder.caches = { AuctionBid: [['guestId', 'id']] }
    recorder.look = async () => undefined
    const { guestId: _guest, ...bid } = await fixture.plain.auctionBid.findFirstOrThrow()
    const connected = (id: string) => {
      const create = inRelations({
        ...bid,
        bidderId: undefined,
        bidder: { connect: { id: bid.bidderId } },
        id,
      })
      return { where: { id }, create }
    }
    const [a, b] = bidIds as [string, string]
    const data = { name: 'new', email: '', bids: { connectOrCreate: connected(a) } }
    const { id: newId } = await prisma.guestUser.create({ data })
    const ids = (id: string, ...guests: string[]) =>
      guests.map((guest) => `{"guestId":"${guest}","id":"${id}"}`)
    const found = (await recorder.take()).slice(0, -2).flatMap((event) => event.split(' '))
    expect(new Set(found)).toEqual(new Set(['markWritten', 'AuctionBid', ...ids(a, guestId, newId)]))

    await nested({ connectOrCreate: [connected(b), connected(`${guestId}-new`)] })
    const written = (await recorder.take()).slice(0, -2).flatMap((event) => event.split(' '))
    expect(new Set(written)).toEqual(
      new Set(['markWritten', 'AuctionBid', ...ids(b, guestId), ...ids(`${guestId}-new`, guestId)]),
    )
  })

  it('of an upsert are found through the row that it returns', async () => {
    recorder.caches = { AuctionBid: [['id']] }
    recorder.look = async () => undefined
    const { id: _id, guestId: _guest, bidderId, ...bid } = await fixture.plain.auctionBid.findFirstOrThrow()
    const made = { ...inRelations(bid), bidder: { connect: { id: bidderId } } }
    const { id } = await prisma.guestUser.upsert({
      where: { id: `${guestId}-none` },
      create: { name: 'new', email: '', bids: { create: made } },
      update: {},
    })
    const [created] = await fixture.plain.auctionBid.findMany({ where: { guestId: id } })
    expect(await recorder.take()).toEqual([marked(created!.id), 'fence', 'end'])
  })

  it('of a single row, without an id, are announced by the generated id', async () => {
    recorder.caches = { User: [['id']] }
    recorder.look = async () => undefined
    const { bidderId } = await prisma.auctionBid.update({
      where: { id: bidIds[0]! },
      data: { bidder: { create: { ...bidder, email: `single-${guestId}` } } },
    })
    expect(await recorder.take()).toEqual([`markWritten User {"id":"${bidderId}"}`, 'fence', 'end'])
  })

  it('of the side without the foreign key affect the row itself only', async () => {
    recorder.caches = { AuctionBid: [['id']], User: [['id']], GuestUser: [['id']] }
    const [a] = bidIds as [string]
    await prisma.auctionBid.update({ where: { id: a }, data: { guest: { disconnect: true } } })
    expect(await recorder.take()).toEqual([marked(a), ...fenced])
    await prisma.auctionBid.update({ where: { id: a }, data: { guest: { connect: { id: guestId } } } })
    expect(await recorder.take()).toEqual([marked(a), ...fenced])
    await prisma.auctionBid.update({
      where: { id: a },
      data: { bidder: { create: { ...bidder, id: `user-${guestId}`, email: guestId } } },
    })
    expect(await recorder.take()).toEqual([`markWritten User {"id":"user-${guestId}"}`, marked(a), ...fenced])
  })

  it('are followed at any depth', async () => {
    recorder.caches = { GuestUser: [['id']], User: [['id']] }
    const [a] = bidIds as [string]
    const { bidderId } = await fixture.plain.auctionBid.findUniqueOrThrow({ where: { id: a } })
    await nested({ update: { where: { id: a }, data: { bidder: { update: { rating: 5 } } } } })
    expect(await recorder.take()).toEqual([`markWritten User {"id":"${bidderId}"}`, ...fenced])
    await nested({
      update: {
        where: { id: a },
        data: { bidder: { update: { where: { id: bidderId }, data: { rating: 6 } } } },
      },
    })
    expect(await recorder.take()).toEqual([`markWritten User {"id":"${bidderId}"}`, ...fenced])
  })
})
